// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/request.hpp"

#include <dlfcn.h>

#include "base/log.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/flight/flight.hpp"
#include "mpi/host/progress.hpp"

namespace weft::mpi {
namespace {

// An error goes to the communicator's handler (engine.cpp), and only if that hands codes back it is said
// here.
int query(void* state, MPI_Status* status) {
  set_empty(status);
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

int poll(void* state, MPI_Status*) {
  // progress() moves all operations. Where the caller polls many requests, those under way do it, and a
  // queued one only now and then, for a caller that waits for it alone.
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

}  // namespace

// MPICH moves an operation through its extended generalised requests, which poll it. They are looked up,
// since the header of the standard ABI does not declare them. They are used with a hook as well: MPICH 5.0's
// MPI_Waitall aborts on an incomplete plain generalised request beside MPI_REQUEST_NULL. On other hosts the
// hook moves operations, or the wrapped calls alone.
int start_request_of(const RequestFunctions& is, void* state, MPI_Request* request) {
  using ExtendedStart =
      int (*)(MPI_Grequest_query_function*, MPI_Grequest_free_function*, MPI_Grequest_cancel_function*,
              PollFunction*, WaitFunction*, void*, MPI_Request*);
  static const auto extended = reinterpret_cast<ExtendedStart>(::dlsym(RTLD_DEFAULT, "MPIX_Grequest_start"));
  return extended != nullptr ? extended(is.query, is.free, is.cancel, is.poll, is.wait, state, request)
                             : PMPI_Grequest_start(is.query, is.free, is.cancel, state, request);
}

void set_empty(MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
}

void report_cancel() {
  if (engine().settings.shared.check)
    announce("MPI_Cancel of a collective operation is an error (MPI-4.0, section 6.12): it goes on");
}

int attach_request(Flight& flight) {
  flight.form = Form::kNonblocking;
  if (engine().settings.shared.check) open_requests.fetch_add(1);
  flight.request_alive.store(true, std::memory_order_relaxed);
  const int code =
      start_request_of({query, on_request_free, cancel, poll, wait_for_all}, &flight, &flight.request);
  if (code != MPI_SUCCESS) flight.request_alive.store(false, std::memory_order_relaxed);
  return code;
}

void complete_request(const Flight& flight) { PMPI_Grequest_complete(flight.request); }

}  // namespace weft::mpi
