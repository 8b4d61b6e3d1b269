// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/host/progress.hpp"

#include "base/clock.hpp"
#include "base/yield_costs.hpp"

namespace weft::mpi {
namespace {
YieldCosts costs;
}

bool yields_are_dear() { return costs.are_dear(); }

// Two ranks that lose a time slice with each look, by turns, move one step in that time; two that spin are on
// their cores together now and then, and move thousands. In a crowd somebody else's step comes first in any
// case.
void yield_unless_dear() {
  if (in_a_crowd) {
    ::sched_yield();
    return;
  }
  const Nanoseconds before = elapsed_time();
  if (!costs.are_to_be_tried(before)) return;
  ::sched_yield();
  const Nanoseconds after = elapsed_time();
  costs.note(after, after - before);
}

}  // namespace weft::mpi
