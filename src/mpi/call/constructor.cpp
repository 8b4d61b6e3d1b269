// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/constructor.hpp"

#include <atomic>
#include <memory>
#include <mpi.h>
#include <utility>
#include <vector>

#include "mpi/call/collective.hpp"
#include "mpi/communicator/adoption.hpp"
#include "mpi/communicator/introductions.hpp"
#include "mpi/communicator/registry.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/flight/request.hpp"

namespace weft::mpi {
namespace {

struct Duplicate {
  MPI_Comm made;
  MPI_Request of_host;
  Hints hints;
  std::unique_ptr<Introductions> introductions;  // null for an inter-communicator, and with one rank
  MPI_Request request = MPI_REQUEST_NULL;
  int error = MPI_SUCCESS;
  std::atomic<bool> is_over{false};
  std::atomic<int> holders{2};  // the request, and who moves it
  void release() {
    if (holders.fetch_sub(1) == 1) delete this;
  }
};

// The duplicates that MPI_Comm_idup has begun and not finished. Used under the engine's lock.
std::vector<Duplicate*>& under_way() {
  static auto& duplicates = *new std::vector<Duplicate*>;
  return duplicates;
}

bool is_over(Duplicate& one) {
  int done = 1;
  if (one.of_host != MPI_REQUEST_NULL) one.error = PMPI_Test(&one.of_host, &done, MPI_STATUS_IGNORE);
  const bool hosts_part = done != 0 || one.error != MPI_SUCCESS;
  return (one.introductions == nullptr || one.introductions->are_over()) && hosts_part;
}

void finish_duplicate(Duplicate& one) {
  if (one.error == MPI_SUCCESS) adopt_duplicate(one.made, one.hints, one.introductions.get());
  else if (one.introductions != nullptr) withdraw(one.introductions->mine());
  one.introductions.reset();
  change_unfinished(-1);
  PMPI_Grequest_complete(one.request);
  one.is_over.store(true, std::memory_order_release);
  one.release();
}

int query(void* state, MPI_Status* status) {
  set_empty(status);
  return static_cast<Duplicate*>(state)->error;
}
int on_request_free(void* state) {
  static_cast<Duplicate*>(state)->release();
  return MPI_SUCCESS;
}
int cancel(void*, int) { return MPI_SUCCESS; }
int poll(void*, MPI_Status*) {
  drive_host_now_and_then(false);
  progress();
  return MPI_SUCCESS;
}
int wait_for_all(int count, void** states, double, MPI_Status*) {
  for (int i = 0; i < count; ++i)
    wait_until([one = static_cast<Duplicate*>(states[i])] { return one->is_over.load(); });
  return MPI_SUCCESS;
}

// Looks once at all duplicates under way.
void move_duplicates() {
  for (std::size_t i = under_way().size(); i-- > 0;) {
    Duplicate& one = *under_way()[i];
    if (!is_over(one)) continue;
    under_way().erase(under_way().begin() + static_cast<std::ptrdiff_t>(i));
    finish_duplicate(one);
  }
}

CallCounter& counter_of_introductions() {
  static CallCounter& counter = *new CallCounter("a constructor of communicators");  // not in the statistics
  return counter;
}
bool start_introductions(const Arguments& allgather, MPI_Request* request, int* code) {
  return start(counter_of_introductions(), allgather, request, code);
}

}  // namespace

void adopt_later(MPI_Comm made, MPI_Comm parent, MPI_Info info, MPI_Request* request) {
  if (!engine().active.load(std::memory_order_acquire) || !is_served(parent)) return;
  auto one = std::make_unique<Duplicate>();
  one->made = made;
  one->of_host = *request;
  one->hints = hints_in(info);
  one->introductions = introductions_for(parent, one->hints);
  if (one->introductions != nullptr) one->introductions->tell_by_weft(parent, start_introductions);
  const RequestFunctions functions{query, on_request_free, cancel, poll, wait_for_all};
  if (start_request_of(functions, one.get(), &one->request) != MPI_SUCCESS) return;
  *request = one->request;
  const InEngine inside;
  static bool are_moved = false;
  if (!std::exchange(are_moved, true)) engine().also_moved.push_back(move_duplicates);
  under_way().push_back(one.release());
  change_unfinished(+1);
}

}  // namespace weft::mpi
