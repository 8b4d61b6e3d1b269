// SPDX-License-Identifier: BSD-3-Clause
// Random: a small seeded generator, passed in wherever chance plays, so that a seed replays a run.
//
// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): an addition and a mix per number, and any seed will do.
#pragma once

#include <cassert>
#include <cstdint>

namespace weft {

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
  }

  // 0 … limit-1. The bias is below limit / 2^64.
  constexpr std::uint64_t below(std::uint64_t limit) {
    assert(limit > 0);
    return next() % limit;
  }

  // True in `percent` of 100 cases.
  constexpr bool chance(int percent) { return below(100) < static_cast<std::uint64_t>(percent); }

 private:
  std::uint64_t state_;
};

}  // namespace weft
