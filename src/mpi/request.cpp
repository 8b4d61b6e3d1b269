// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/request.hpp"

#include <dlfcn.h>

#include "base/log.hpp"
#include "mpi/engine.hpp"
#include "mpi/progress.hpp"

namespace weft::mpi {
namespace {

// The status of a collective says nothing; an error goes to the communicator's handler (engine.cpp), and only
// if that hands codes back it is said here.
int query(void* state, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  const auto* flight = static_cast<Flight*>(state);
  if (flight->error == MPI_SUCCESS) return MPI_SUCCESS;
  return status->MPI_ERROR = flight->error_of_request;
}

// May be called inside the host's locks: only leaves a note.
int on_request_free(void* state) {
  if (engine().settings.shared.check) open_requests.fetch_sub(1);
  static_cast<Flight*>(state)->request_alive.store(false, std::memory_order_release);
  return MPI_SUCCESS;
}

int cancel(void*, int) {
  report_cancel();
  return MPI_SUCCESS;
}

// A host without a hook that moves Weft (hook.hpp) has to be told how to move an operation: MPICH by its
// extended requests, which are looked up, since the header of the standard ABI does not know them; anywhere
// else such a request moves in the wrapped calls only. With a hook, too: MPICH 5.0's MPI_Waitall aborts on a
// plain generalised request that is not complete beside MPI_REQUEST_NULL.
using Poll = int(void*, MPI_Status*);
using WaitForAll = int(int, void**, double, MPI_Status*);
using ExtendedStart = int (*)(MPI_Grequest_query_function*, MPI_Grequest_free_function*,
                              MPI_Grequest_cancel_function*, Poll*, WaitForAll*, void*, MPI_Request*);

int poll(void* state, MPI_Status*) {
  // Moving one flight moves all, so that among many requests a look at those that are under way is enough; a
  // queued one counts now and then, in case the caller waits for it alone.
  constexpr unsigned kNowAndThen = 64;
  static std::atomic<unsigned> queued_looks{0};
  const auto* flight = static_cast<Flight*>(state);
  drive_host_now_and_then(false);  // MPICH waits for such a request by polling it, and does nothing else
  const bool is_queued = flight->phase.load(std::memory_order_relaxed) == Phase::kQueued;
  if (!is_queued || ++queued_looks % kNowAndThen == 0) progress();
  return MPI_SUCCESS;
}

int wait_for_all(int count, void** states, double, MPI_Status*) {
  for (int i = 0; i < count; ++i)
    wait_until([flight = static_cast<Flight*>(states[i])] { return flight->has_ended(); });
  return MPI_SUCCESS;
}

int start_generalised(Flight& flight) {
  static const auto extended = reinterpret_cast<ExtendedStart>(::dlsym(RTLD_DEFAULT, "MPIX_Grequest_start"));
  return extended != nullptr
             ? extended(query, on_request_free, cancel, poll, wait_for_all, &flight, &flight.request)
             : PMPI_Grequest_start(query, on_request_free, cancel, &flight, &flight.request);
}

}  // namespace

void report_cancel() {
  if (engine().settings.shared.check)
    announce("MPI_Cancel of a collective operation is an error (MPI-4.0, section 6.12): it goes on");
}

int attach_request(Flight& flight) {
  flight.has_request = true;
  flight.lasting_tag = -1;
  if (engine().settings.shared.check) open_requests.fetch_add(1);
  flight.request_alive.store(true, std::memory_order_relaxed);
  const int code = start_generalised(flight);
  if (code != MPI_SUCCESS) flight.request_alive.store(false, std::memory_order_relaxed);
  return code;
}

void complete_request(const Flight& flight) {
  if (flight.lasting_tag >= 0) complete_lasting_request(flight);
  else PMPI_Grequest_complete(flight.request);
}

}  // namespace weft::mpi
