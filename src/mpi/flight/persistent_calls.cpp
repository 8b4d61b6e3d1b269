// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/persistent_calls.hpp"

#include <utility>

#include "base/log.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/flight/delayed_free.hpp"
#include "mpi/flight/flight.hpp"
#include "mpi/flight/launch.hpp"
#include "mpi/flight/request.hpp"
#include "mpi/flight/traffic.hpp"
#include "mpi/host/host.hpp"

namespace weft::mpi {
namespace {

void report_active(MPI_Request request) {
  const InEngine inside;
  for (const Flight* flight : engine().flights)
    if (flight->has_request() && flight->request == request)
      announce(
          "MPI_Request_free of an active collective operation is an error (MPI-4.0, section 6.12): it goes "
          "on");
}

int refuse_start(const Flight& flight, int error) {
  raise_later(flight.traffic->members, error);
  return error;
}

int launch_again(Flight& flight) {
  flight.error_of_request = MPI_SUCCESS;
  const int filled = flight.fill();
  if (filled == MPI_SUCCESS) launch(flight);
  return filled;
}

// Starts the operation before its request: other ranks may wait for what it sends.
int launch_and_start(Flight& flight, MPI_Request* request) {
  flight.persistence.ends_by_message = flight.persistence.is_inactive = false;
  const int filled = launch_again(flight);
  const int started = host::start(request);
  flight.persistence.ends_by_message = started == MPI_SUCCESS;
  if (flight.has_ended()) complete_persistent_request(flight);
  return filled != MPI_SUCCESS ? filled : started;
}

}  // namespace

// MPI_Start. Only the host knows whether the request is still active where a call other than MPI_Wait may
// have completed it. If it surely is not, the operation starts first.
int start_request(MPI_Request* request) {
  if (!any_persistent() || request == nullptr) return host::start(request);
  Flight* flight = nullptr;
  {
    const InEngine inside;
    flight = persistent_flight(*request);
    if (flight != nullptr) {
      if (!flight->has_ended()) return refuse_start(*flight, MPI_ERR_REQUEST);
      if (flight->is_abandoned()) return refuse_start(*flight, flight->error);
      if (flight->persistence.is_inactive) return launch_and_start(*flight, request);
    }
  }
  const int started = host::start(request);
  if (started != MPI_SUCCESS || flight == nullptr) return started;
  const InEngine inside;
  flight->persistence.ends_by_message = true;
  const int filled = launch_again(*flight);
  if (filled != MPI_SUCCESS) complete_persistent_request(*flight);
  return filled;
}

// To cancel a receive costs a host less than to send it a message, but shows in the status, which only
// MPI_Wait can hide, and only from its own thread.
int finish_persistent(MPI_Request* request) {
  Engine& e = engine();
  if (many_threads || request == nullptr || !e.lock.try_lock()) return MPI_SUCCESS;
  Flight* flight = persistent_flight(*request);
  const bool under_way = flight != nullptr && !flight->has_ended();
  if (under_way) flight->persistence.ends_by_message = false;
  leave_engine();
  if (flight == nullptr) return MPI_SUCCESS;
  if (under_way) {
    wait_until([flight] { return flight->has_ended(); });
    host::cancel(request);
  }
  const int code = PMPI_Wait(request, MPI_STATUS_IGNORE);
  flight->persistence.is_inactive = true;
  const int error = std::exchange(flight->error_of_request, MPI_SUCCESS);
  return code != MPI_SUCCESS ? code : error;
}

int start_requests(int count, MPI_Request* requests) {
  if (!any_persistent() || count < 0 || requests == nullptr) return host::start_all(count, requests);
  for (int i = 0; i < count; ++i)
    if (const int code = start_request(&requests[i]); code != MPI_SUCCESS) return code;
  return MPI_SUCCESS;
}

// A collective cannot be cancelled: it goes on.
int cancel_request(MPI_Request* request) {
  if (request != nullptr && any_persistent()) {
    const InEngine inside;
    if (persistent_flight(*request) != nullptr) {
      report_cancel();
      return MPI_SUCCESS;
    }
  }
  return host::cancel(request);
}

// MPI_Request_free. An operation under way goes on, and keeps what it needs until its end.
int free_request(MPI_Request* request) {
  if (request != nullptr && engine().settings.shared.check) report_active(*request);
  if (request != nullptr && any_persistent()) {
    const InEngine inside;
    if (Flight* flight = persistent_flight(*request)) {
      forget_persistent_request(*flight);
      if (delayed_handles.load(std::memory_order_relaxed) > 0) collect_unused_handles();
    }
  }
  return host::free_request(request);
}

}  // namespace weft::mpi
