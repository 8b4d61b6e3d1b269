// SPDX-License-Identifier: BSD-3-Clause
// Noise: what a rank's processor does for others than the program: for so long, so often, from a phase of its
// own on; or as a trace says, from a place of its own on, over and over.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/simulator/time.hpp"

namespace weft::simulator {

struct Interruption {
  Time begin, duration;
};

class Noise {
 public:
  Noise() = default;
  // Every `period` for `duration`, which is shorter.
  static Noise regular(Time period, Time duration, std::uint64_t seed);
  // Those of a trace of so long, which do not overlap and come in order.
  static Noise traced(std::vector<Interruption> trace, Time length, std::uint64_t seed);

  bool exists() const { return !trace_.empty(); }
  // When work of so long that begins then is over on that rank's processor.
  Time end_of(int rank, Time begin, Time work) const;

 private:
  Time phase_of(int rank) const;

  std::vector<Interruption> trace_;
  std::vector<Time> lost_before_;  // to interruptions before each one, from the trace's beginning
  Time length_{1}, lost_;          // of the trace, and in it all together
  std::uint64_t seed_ = 0;
};

}  // namespace weft::simulator
