// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/log.hpp"
#include "mpi/check.hpp"
#include "mpi/communicator.hpp"
#include "mpi/delayed_free.hpp"
#include "mpi/engine.hpp"
#include "mpi/front_door.hpp"
#include "mpi/host.hpp"
#include "mpi/request.hpp"

namespace weft::mpi {
namespace {

struct LastingRequests {
  MPI_Comm self = MPI_COMM_NULL;  // they are receives on it
  int next_tag = 0;
};

LastingRequests& lasting() {
  static LastingRequests& requests = *new LastingRequests;
  return requests;
}

// Tags come again after the largest one: by then nobody has the old request.
int another_tag() {
  int* upper_bound = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper_bound, &found);
  const int most = found ? *upper_bound : 32767;
  const int tag = lasting().next_tag;
  lasting().next_tag = tag < most ? tag + 1 : 0;
  return tag;
}

void report_active(MPI_Request request) {
  const InEngine inside;
  for (const Flight* flight : engine().flights)
    if (flight->has_request && flight->request == request)
      announce(
          "MPI_Request_free of an active collective operation is an error (MPI-4.0, section 6.12): it goes "
          "on");
}

// One that the program has started, and not completed by a Wait or Test.
bool is_open(const Flight& flight) {
  int flag = 0;
  MPI_Status status;
  PMPI_Request_get_status(flight.request, &flag, &status);
  return flag == 0 || status.MPI_TAG == flight.lasting_tag;  // an inactive one has the empty status
}

int refuse_start(const Flight& flight, int error) {
  raise_later(*flight.communicator, error);
  return error;
}

int launch_again(Flight& flight) {
  if (Checker* checker = flight.communicator->checker.get()) checker->tell_start(flight);
  flight.reduction.error = flight.error_of_request = MPI_SUCCESS;
  const int filled = flight.fill();
  if (filled == MPI_SUCCESS) launch(flight);
  return filled;
}

// What others wait for goes out first; the request follows while they take it in.
int launch_and_start(Flight& flight, MPI_Request* request) {
  flight.ends_by_message = flight.is_inactive = false;
  const int filled = launch_again(flight);
  const int started = host::start(request);
  flight.ends_by_message = started == MPI_SUCCESS;
  if (flight.has_ended()) complete_lasting_request(flight);
  return filled != MPI_SUCCESS ? filled : started;
}

}  // namespace

int attach_lasting_request(Flight& flight) {
  LastingRequests& all = lasting();
  int code = MPI_SUCCESS;
  if (all.self == MPI_COMM_NULL) {
    code = PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &all.self);  // no attributes: their callbacks may call MPI
    if (code == MPI_SUCCESS) PMPI_Comm_set_errhandler(all.self, MPI_ERRORS_RETURN);
  }
  const int tag = another_tag();
  if (code == MPI_SUCCESS) code = PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, tag, all.self, &flight.request);
  if (code != MPI_SUCCESS) return code;
  flight.has_request = true;
  flight.lasting_tag = tag;
  flight.is_inactive = true;
  flight.request_alive.store(true, std::memory_order_relaxed);
  engine().lasting.add(flight.request, &flight);
  persistent_requests.fetch_add(1, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

// Unless that is seen to otherwise. An operation that failed sends more than there is room for, so that the
// wait returns an error.
void complete_lasting_request(const Flight& flight) {
  if (!flight.ends_by_message) return;
  const int bytes = flight.error_of_request == MPI_SUCCESS ? 0 : 1;
  const char failed = 1;
  PMPI_Send(&failed, bytes, MPI_BYTE, 0, flight.lasting_tag, lasting().self);
}

int open_lasting_requests() {
  if (!engine().settings.shared.check) return 0;
  return static_cast<int>(std::count_if(engine().lasting.begin(), engine().lasting.end(),
                                        [](const auto& entry) { return is_open(*entry.second); }));
}

void forget_lasting_requests() {
  const InEngine inside;
  engine().lasting.clear();
  persistent_requests.store(0, std::memory_order_relaxed);
  if (lasting().self != MPI_COMM_NULL) PMPI_Comm_free(&lasting().self);
}

// Nobody but the host knows whether a request is active that others than MPI_Wait may have completed.
int start_request(MPI_Request* request) {
  if (!any_persistent() || request == nullptr) return host::start(request);
  Flight* flight = nullptr;
  {
    const InEngine inside;
    flight = engine().lasting.find(*request);
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
  if (filled != MPI_SUCCESS) complete_lasting_request(*flight);
  return filled;
}

// To cancel a receive costs a host less than to send it a message, but shows in the status, which only
// MPI_Wait can hide, and only from its own thread.
int finish_persistent(MPI_Request* request) {
  Engine& e = engine();
  if (many_threads || request == nullptr || !e.lock.try_lock()) return MPI_SUCCESS;
  Flight* flight = e.lasting.find(*request);
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
  return under_way || code != MPI_SUCCESS ? flight->error_of_request : MPI_SUCCESS;
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
    if (engine().lasting.find(*request) != nullptr) {
      report_cancel();
      return MPI_SUCCESS;
    }
  }
  return host::cancel(request);
}

// One under way goes on, and what it needs stays until it ends.
int free_request(MPI_Request* request) {
  if (request != nullptr && engine().settings.shared.check) report_active(*request);
  if (request != nullptr && any_persistent()) {
    const InEngine inside;
    if (Flight* flight = engine().lasting.find(*request)) {
      engine().lasting.remove(*request);
      persistent_requests.fetch_sub(1, std::memory_order_relaxed);
      flight->request_alive.store(false, std::memory_order_release);
      if (delayed_handles.load(std::memory_order_relaxed) > 0) collect_unused_handles();
    }
  }
  return host::free_request(request);
}

}  // namespace weft::mpi
