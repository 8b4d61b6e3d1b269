// SPDX-License-Identifier: BSD-3-Clause
// A schedule round by round, as LibNBC executes it (Hoefler, Lumsdaine, Rehm 2007, section 3): no task of a
// round starts before all of the round before have ended. The baseline that dependencies are compared with.
//
//   send 1    recv 1   │   reduce    send 2    recv 2   │   reduce          │: a join
//        round 0                   round 1                round 2
//
// Rounds follow the order in which the builder issued the tasks: one that waits for a message of the present
// round opens the next. Local work belongs to the round that it opens; receives right before a send that
// opens one belong to the same exchange, and go with it. Whether ranks that wait in this way can end up
// waiting for one another depends on the algorithm: tests prove of the whole catalog that they don't.
#pragma once

#include "schedule/schedule.hpp"

namespace weft {

// Same tasks in the same order, with joins between rounds; same messages, same result, same bracket.
Schedule by_rounds(const Schedule& schedule);

}  // namespace weft
