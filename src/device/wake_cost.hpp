// SPDX-License-Identifier: BSD-3-Clause
// What it costs to wake an agent on this machine.
#pragma once

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft::device {

// From the ring of its bell until a thread that slept as agents do runs again: the median of so many times,
// at least one. Whoever rings stays on its core, as a rank that computes. Fails where the machine has no
// descriptor or thread left.
Result<Nanoseconds> wake_cost(int times);

}  // namespace weft::device
