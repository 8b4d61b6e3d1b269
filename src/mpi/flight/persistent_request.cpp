// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/persistent_request.hpp"

#include <algorithm>
#include <utility>

#include "mpi/engine/engine.hpp"
#include "mpi/flight/flight.hpp"
#include "mpi/host/alone.hpp"

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

// Whether the program has started the request, and not completed it by a Wait or Test.
bool is_open(const Flight& flight) {
  int flag = 0;
  MPI_Status status;
  PMPI_Request_get_status(flight.request, &flag, &status);
  return flag == 0 || status.MPI_TAG == flight.persistence.tag;  // an inactive one has the empty status
}

}  // namespace

int attach_persistent_request(Flight& flight) {
  const int tag = another_tag();
  const int code = PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, tag, alone(), &flight.request);
  if (code != MPI_SUCCESS) return code;
  flight.form = Form::kPersistent;
  flight.persistence.tag = tag;
  flight.persistence.is_inactive = true;
  flight.request_alive.store(true, std::memory_order_relaxed);
  engine().persistent.add(flight.request, &flight);
  persistent_requests.fetch_add(1, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

void complete_persistent_request(const Flight& flight) {
  if (flight.error_of_request != MPI_SUCCESS) any_persistent_failed.store(true, std::memory_order_relaxed);
  if (flight.persistence.ends_by_message) PMPI_Send(nullptr, 0, MPI_BYTE, 0, flight.persistence.tag, alone());
}

Flight* persistent_flight(MPI_Request request) { return engine().persistent.find(request); }

void forget_persistent_request(Flight& flight) {
  engine().persistent.remove(flight.request);
  persistent_requests.fetch_sub(1, std::memory_order_relaxed);
  flight.request_alive.store(false, std::memory_order_release);
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

}  // namespace weft::mpi
