// SPDX-License-Identifier: BSD-3-Clause
// Classes of calls that differ in their sizes alone. All calls of a class use one schedule, which is built
// for the largest call of the class; SizedSchedule writes the sizes of each of the others into it.
#pragma once

#include <optional>

#include "schedule/schedule.hpp"

namespace weft {

// What is longer is cut into fragments, which should not become much shorter: so its classes are narrower.
inline constexpr Bytes kLargestOfPowers{64 << 10};

// The largest size of the call's class, in whole elements: a power of two, behind 64 KiB also a quarter, half
// or three quarters of the way to one; but what fits into a line is one class. Nothing for calls that no
// class has: of many sizes at once, of nothing, or long.
std::optional<Bytes> largest_of_class(const Call& call);

// The same where blocks differ in size and every rank has all of them: a class is what the longest block may
// be, and this is the sum if all blocks were so long. Nothing where all are empty, or one is too long.
std::optional<Bytes> largest_of_class(const Call& call, const Parcels& parcels);
// The parcels of such a call of so many bytes, in which blocks lie side by side and none is empty.
void take_largest_of_class(const Call& call, const Parcels& parcels, Rank self, bool in_place, Bytes bytes,
                           Parcels& of_class);

// The same where no rank has all sizes, and no block lies in place: what goes between two ranks may be
// as long as what goes by the same way, or nothing where that is what goes at once. The parcels of the class
// lie one behind another. False if there is no such class: since some go by messages, or two ranks have
// several parcels for one another.
bool largest_of_class(const Call& call, const Parcels& parcels, Rank self, const Ways& ways,
                      Parcels& of_class);

// The parcels `of_class`, for which such a structure is built, made short: those that go at once become as
// long as the longest that goes through this place (of Ways::at_once), and all others empty.
Parcels through_place(const Parcels& of_class, Rank self, const Ways& ways, std::size_t place);

// Whether parcels of the same peers are of the class for whose parcels the structure was built: by these
// ways, or, where every rank has all sizes, by the longest.
bool are_of_class(const Parcels& parcels, const Schedule& structure, const std::optional<Ways>& ways);

}  // namespace weft
