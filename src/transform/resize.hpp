// SPDX-License-Identifier: BSD-3-Clause
// A schedule for blocks of another size. In the schedules of many algorithms every size, and every place in a
// rank's own buffers, is a multiple of the block: their structure does not depend on it. So calls whose sizes
// are of one class share a schedule, built for the largest of them, and what differs is written into it.
#pragma once

#include <optional>

#include "schedule/schedule.hpp"

namespace weft {

// The largest size of the call's class: a power of two, or the size itself where that does not help. Nothing
// for calls that no class has: of many sizes at once, of nothing, or long.
std::optional<Bytes> largest_of_class(const Call& call);

// Same tasks and edges for blocks of so many bytes, at least one and at most what the schedule was built for.
// Requires a schedule whose algorithm scales (see Algorithm). What lies in shared memory stays where it is,
// and is shorter.
void resize(Schedule& schedule, Bytes bytes);

}  // namespace weft
