// SPDX-License-Identifier: BSD-3-Clause
// Simulated time, and how long something takes: picoseconds, so that a byte of a fast network takes some.
#pragma once

#include <cmath>

#include "base/types.hpp"

namespace weft::simulator {

using Time = Quantity<struct SimulatedTimeUnit>;

inline Time from_ns(double ns) { return Time(std::llround(ns * 1000.0)); }
constexpr double in_ns(Time time) { return static_cast<double>(time.value) / 1000.0; }

}  // namespace weft::simulator
