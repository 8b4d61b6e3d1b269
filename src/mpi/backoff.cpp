// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/backoff.hpp"

#include <atomic>
#include <sched.h>

#include "base/clock.hpp"
#include "topology/machine.hpp"

namespace weft::mpi {
namespace {

// Far more than ranks that take turns need, and less than a time slice.
constexpr Nanoseconds kTakenByOthers{500'000};
// How many times as long the core is kept afterwards: what trying again costs is a small part of all then.
constexpr int kKeptFor = 50;

std::atomic<std::int64_t> keep_until{0};

}  // namespace

void find_out_whether_crowded(MPI_Comm machine) {
  CpuSet cpus = cpus_of_this_process();
  int ranks = 1;
  PMPI_Comm_size(machine, &ranks);
  PMPI_Allreduce(MPI_IN_PLACE, cpus.words.data(), static_cast<int>(cpus.words.size()), MPI_UINT64_T, MPI_BOR,
                 machine);
  crowded = ranks > cpus.count();
}

void give_core_away() {
  if (crowded) {
    ::sched_yield();
    return;
  }
  const Nanoseconds before = elapsed_time();
  if (before.value < keep_until.load(std::memory_order_relaxed)) return;
  ::sched_yield();
  const Nanoseconds after = elapsed_time();
  if (after - before > kTakenByOthers)
    keep_until.store((after + (after - before) * kKeptFor).value, std::memory_order_relaxed);
}

}  // namespace weft::mpi
