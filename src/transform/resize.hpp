// SPDX-License-Identifier: BSD-3-Clause
// A schedule for blocks of another size. The structure of many algorithms' schedules does not depend on it:
// every place in a rank's own buffers is a multiple of the block, or a share of one where all ranks cut it
// alike. So calls whose sizes are of one class share a schedule, built for the largest of them, and what
// differs is written into it.
// Long messages go in as many fragments as the largest of the class, each of them shorter.
#pragma once

#include <optional>

#include "schedule/schedule.hpp"

namespace weft {

// The largest size of the call's class, in whole elements: a power of two, behind 64 KiB also a quarter, half
// or three quarters of the way to one; but what fits into a line is one class. Nothing for calls that no
// class has: of many sizes at once, of nothing, or long.
std::optional<Bytes> largest_of_class(const Call& call);

// Writes into a schedule of this structure, whatever its size now, what it is for blocks of so many bytes: at
// least one and at most what the structure was built for. Requires an algorithm that scales (see Algorithm).
// What lies in shared memory stays where it is, and is shorter; scratch keeps its size, and what a task does
// there is as long as at its other end. Of parts of a block that lie at neither end in a buffer of the
// rank's, another task with the same target says how long they are; if there is none, they lie in cells of a
// block each, and there as in a block.
void resize(Schedule& schedule, const Schedule& structure, Bytes bytes);

// The same where blocks differ in size and every rank has all of them: a class is what the longest block may
// be, and this is the sum if all blocks were so long. Nothing where all are empty, or one is too long.
std::optional<Bytes> largest_of_class(const Call& call, const Parcels& parcels);
// The parcels of such a call of so many bytes, in which blocks lie side by side. Blocks that are empty are so
// there as well, so that the sum, which is returned, may be less.
Bytes take_largest_of_class(const Call& call, const Parcels& parcels, Rank self, bool in_place, Bytes bytes,
                            Parcels& of_class);

// The same where no rank has all sizes, and no block lies in place: what goes between two ranks may be
// as long as what goes by the same way. The parcels of the class lie one behind another. False if there is no
// such class: since some go by messages, or two ranks have several parcels for one another.
bool largest_of_class(const Call& call, const Parcels& parcels, Rank self, const Ways& ways,
                      Parcels& of_class);

// Whether parcels of the same peers are of the class for whose parcels the structure was built: by these
// ways, or, where every rank has all sizes, by the longest.
bool are_of_class(const Parcels& parcels, const Schedule& structure, const std::optional<Ways>& ways);

// Writes into a schedule of this structure, which was built for the parcels of their class, these ones. What
// lies in shared memory stays where it is, and is shorter.
void resize(Schedule& schedule, const Schedule& structure, const Parcels& parcels);

}  // namespace weft
