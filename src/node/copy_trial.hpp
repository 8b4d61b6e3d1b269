// SPDX-License-Identifier: BSD-3-Clause
// Copy trial: how two ranks of a node had better copy long blocks to one another, found by trying. Through
// shared memory the one writes where the other has just read, and that reads what has just been written. The
// kernel copies from buffer to buffer, but looks up every page. Which takes longer differs from processor to
// processor, on some virtual machines from hour to hour (decision 4).
//
//   page      whose turn it is, and where the writer's buffer lies
//   block     64 KiB
//
// The two take turns, so that each part is timed by itself: it does not matter who else wants their cores.
#pragma once

#include <cstddef>
#include <optional>

#include "base/types.hpp"

namespace weft::node {

enum class TrialPart : std::uint8_t { kWriter, kReader };

// What a trial takes of shared memory, which reads as zeros when it begins.
inline constexpr Bytes kTrialBytes{(4 << 10) + (64 << 10)};

// Collective over the two. Tells the reader whether the kernel is faster; none, as for the writer, where it
// is not let, or where the other one did not take its turns within `patience`.
std::optional<bool> is_kernel_faster(std::byte* memory, TrialPart part, Nanoseconds patience);

}  // namespace weft::node
