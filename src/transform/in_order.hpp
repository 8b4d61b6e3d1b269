// SPDX-License-Identifier: BSD-3-Clause
// A schedule as a chain: every task waits for the one issued before it. Within a node a rank does its part by
// itself, one task after another, and waits at few places: nothing is lost by doing it in the builder's
// order, and an executor needs neither counts nor a queue for it, which is what a short collective's time
// goes into.
#pragma once

#include "schedule/schedule.hpp"

namespace weft {

// Same tasks, same result, same bracket; the edges are those of the chain. Requires a schedule without
// messages: those would no longer be under way at the same time.
Schedule in_order(Schedule schedule);

}  // namespace weft
