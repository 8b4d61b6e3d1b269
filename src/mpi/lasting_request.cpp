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

// Null if the request is not one of Weft's. The caller holds the engine's lock.
Flight* flight_of(MPI_Request request) {
  if (Flight* recent = engine().recent_lasting.find(request)) return recent;
  const auto found = engine().lasting.find(key_of(request));
  if (found == engine().lasting.end()) return nullptr;
  engine().recent_lasting.remember(request, found->second);
  return found->second;
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

// What others wait for goes out first; the request can follow while they take it in.
int start(Flight& flight, MPI_Request* request) {
  if (!flight.has_ended()) return host::start(request);  // an error of the program's, for the host to name
  if (flight.is_abandoned()) {
    report_later(flight);
    return flight.error;
  }
  if (Checker* checker = flight.communicator->checker.get()) checker->tell_start(flight);
  flight.reduction.error = flight.error_of_request = MPI_SUCCESS;
  flight.ends_by_message = false;
  const int filled = flight.fill();
  if (filled == MPI_SUCCESS) launch(flight);
  const int code = host::start(request);
  flight.ends_by_message = true;
  if (code == MPI_SUCCESS && flight.has_ended()) complete_lasting_request(flight);
  return filled != MPI_SUCCESS ? filled : code;
}

bool none_here() { return persistent_requests.load(std::memory_order_relaxed) == 0; }

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
  flight.request_alive.store(true, std::memory_order_relaxed);
  engine().lasting[key_of(flight.request)] = &flight;
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
  if (lasting().self != MPI_COMM_NULL) PMPI_Comm_free(&lasting().self);
}

int start_request(MPI_Request* request) {
  if (!none_here() && request != nullptr) {
    const InEngine inside;
    if (Flight* flight = flight_of(*request)) return start(*flight, request);
  }
  return host::start(request);
}

// To cancel a receive costs a host less than to send it a message, but shows in the status, which nobody but
// MPI_Wait could hide.
int finish_persistent(MPI_Request* request) {
  Flight* flight = nullptr;
  bool is_over = false;
  {
    const InEngine inside;
    if (request != nullptr) flight = flight_of(*request);
    if (flight == nullptr) return MPI_SUCCESS;
    is_over = flight->has_ended();
    if (!is_over) flight->ends_by_message = false;
  }
  if (!is_over) {
    wait_until([flight] { return flight->has_ended(); });
    host::cancel(request);
  }
  const int code = PMPI_Wait(request, MPI_STATUS_IGNORE);
  return is_over && code == MPI_SUCCESS ? MPI_SUCCESS : flight->error_of_request;
}

int start_requests(int count, MPI_Request* requests) {
  if (none_here() || count < 0 || requests == nullptr) return host::start_all(count, requests);
  for (int i = 0; i < count; ++i)
    if (const int code = start_request(&requests[i]); code != MPI_SUCCESS) return code;
  return MPI_SUCCESS;
}

// A collective cannot be cancelled: it goes on.
int cancel_request(MPI_Request* request) {
  if (request != nullptr && !none_here()) {
    const InEngine inside;
    if (flight_of(*request) != nullptr) {
      report_cancel();
      return MPI_SUCCESS;
    }
  }
  return host::cancel(request);
}

// One under way goes on, and what it needs stays until it ends.
int free_request(MPI_Request* request) {
  if (request != nullptr && engine().settings.shared.check) report_active(*request);
  if (request != nullptr && !none_here()) {
    const InEngine inside;
    if (Flight* flight = flight_of(*request)) {
      engine().lasting.erase(key_of(*request));
      engine().recent_lasting.forget(*request);
      persistent_requests.fetch_sub(1, std::memory_order_relaxed);
      flight->request_alive.store(false, std::memory_order_release);
      if (delayed_handles.load(std::memory_order_relaxed) > 0) collect_unused_handles();
    }
  }
  return host::free_request(request);
}

}  // namespace weft::mpi
