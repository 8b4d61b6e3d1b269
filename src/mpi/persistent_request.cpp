// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "mpi/alone.hpp"
#include "mpi/communicator.hpp"
#include "mpi/delayed_free.hpp"
#include "mpi/engine.hpp"
#include "mpi/front_door.hpp"
#include "mpi/host.hpp"
#include "mpi/launch.hpp"
#include "mpi/request.hpp"

namespace weft::mpi {
namespace {

// A tag for a new request's message. Behind the largest one they begin again: by then nobody has the old
// request.
int another_tag() {
  int* upper_bound = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper_bound, &found);
  const int most = found ? *upper_bound : 32767;
  static int next_tag = 0;  // under the engine's lock
  return std::exchange(next_tag, next_tag < most ? next_tag + 1 : 0);
}

void report_active(MPI_Request request) {
  const InEngine inside;
  for (const Flight* flight : engine().flights)
    if (flight->has_request() && flight->request == request)
      announce(
          "MPI_Request_free of an active collective operation is an error (MPI-4.0, section 6.12): it goes "
          "on");
}

// Whether the program has started the request, and not completed it by a Wait or Test.
bool is_open(const Flight& flight) {
  int flag = 0;
  MPI_Status status;
  PMPI_Request_get_status(flight.request, &flag, &status);
  return flag == 0 || status.MPI_TAG == flight.request_tag;  // an inactive one has the empty status
}

int refuse_start(const Flight& flight, int error) {
  raise_later(*flight.communicator, error);
  return error;
}

int launch_again(Flight& flight) {
  flight.reduction.error = flight.error_of_request = MPI_SUCCESS;
  const int filled = flight.fill();
  if (filled == MPI_SUCCESS) launch(flight);
  return filled;
}

// Starts the operation before its request: other ranks may wait for what it sends.
int launch_and_start(Flight& flight, MPI_Request* request) {
  flight.ends_by_message = flight.is_inactive = false;
  const int filled = launch_again(flight);
  const int started = host::start(request);
  flight.ends_by_message = started == MPI_SUCCESS;
  if (flight.has_ended()) complete_persistent_request(flight);
  return filled != MPI_SUCCESS ? filled : started;
}

}  // namespace

int attach_persistent_request(Flight& flight) {
  const int tag = another_tag();
  const int code = PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, tag, alone(), &flight.request);
  if (code != MPI_SUCCESS) return code;
  flight.form = Form::kPersistent;
  flight.request_tag = tag;
  flight.is_inactive = true;
  flight.request_alive.store(true, std::memory_order_relaxed);
  engine().persistent.add(flight.request, &flight);
  persistent_requests.fetch_add(1, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

// Completes the request by a message to its receive, unless MPI_Wait is about to take that back.
void complete_persistent_request(const Flight& flight) {
  if (flight.error_of_request != MPI_SUCCESS) any_persistent_failed.store(true, std::memory_order_relaxed);
  if (flight.ends_by_message) PMPI_Send(nullptr, 0, MPI_BYTE, 0, flight.request_tag, alone());
}

int error_of_completed(MPI_Request request) {
  const InEngine inside;
  Flight* flight = engine().persistent.find(request);
  return flight == nullptr ? MPI_SUCCESS : std::exchange(flight->error_of_request, MPI_SUCCESS);
}

int errors_of_completed(int count, const MPI_Request* requests, MPI_Status* statuses, const int* indices) {
  int first = MPI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    const int error = error_of_completed(requests[indices == nullptr ? i : indices[i]]);
    if (error == MPI_SUCCESS) continue;
    const bool is_first = std::exchange(first, first == MPI_SUCCESS ? error : first) == MPI_SUCCESS;
    if (statuses == MPI_STATUSES_IGNORE) continue;
    for (int other = 0; is_first && other < count; ++other) statuses[other].MPI_ERROR = MPI_SUCCESS;
    statuses[i].MPI_ERROR = error;
  }
  return first == MPI_SUCCESS || statuses == MPI_STATUSES_IGNORE ? first : MPI_ERR_IN_STATUS;
}

int open_persistent_requests() {
  if (!engine().settings.shared.check) return 0;
  return static_cast<int>(std::count_if(engine().persistent.begin(), engine().persistent.end(),
                                        [](const auto& entry) { return is_open(*entry.second); }));
}

void forget_persistent_requests() {
  const InEngine inside;
  engine().persistent.clear();
  persistent_requests.store(0, std::memory_order_relaxed);
}

// MPI_Start. Only the host knows whether the request is still active where a call other than MPI_Wait may
// have completed it. If it surely is not, the operation starts first.
int start_request(MPI_Request* request) {
  if (!any_persistent() || request == nullptr) return host::start(request);
  Flight* flight = nullptr;
  {
    const InEngine inside;
    flight = engine().persistent.find(*request);
    if (flight != nullptr) {
      if (!flight->has_ended()) return refuse_start(*flight, MPI_ERR_REQUEST);
      if (flight->is_abandoned()) return refuse_start(*flight, flight->error);
      if (flight->is_inactive) return launch_and_start(*flight, request);
    }
  }
  const int started = host::start(request);
  if (started != MPI_SUCCESS || flight == nullptr) return started;
  const InEngine inside;
  flight->ends_by_message = true;
  const int filled = launch_again(*flight);
  if (filled != MPI_SUCCESS) complete_persistent_request(*flight);
  return filled;
}

// To cancel a receive costs a host less than to send it a message, but shows in the status, which only
// MPI_Wait can hide, and only from its own thread.
int finish_persistent(MPI_Request* request) {
  Engine& e = engine();
  if (many_threads || request == nullptr || !e.lock.try_lock()) return MPI_SUCCESS;
  Flight* flight = e.persistent.find(*request);
  const bool under_way = flight != nullptr && !flight->has_ended();
  if (under_way) flight->ends_by_message = false;
  leave_engine();
  if (flight == nullptr) return MPI_SUCCESS;
  if (under_way) {
    wait_until([flight] { return flight->has_ended(); });
    host::cancel(request);
  }
  const int code = PMPI_Wait(request, MPI_STATUS_IGNORE);
  flight->is_inactive = true;
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
    if (engine().persistent.find(*request) != nullptr) {
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
    if (Flight* flight = engine().persistent.find(*request)) {
      engine().persistent.remove(*request);
      persistent_requests.fetch_sub(1, std::memory_order_relaxed);
      flight->request_alive.store(false, std::memory_order_release);
      if (delayed_handles.load(std::memory_order_relaxed) > 0) collect_unused_handles();
    }
  }
  return host::free_request(request);
}

}  // namespace weft::mpi
