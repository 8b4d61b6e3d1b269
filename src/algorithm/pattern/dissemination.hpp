// SPDX-License-Identifier: BSD-3-Clause
// Dissemination: in each round a rank tells the ranks at the given distances after it, and hears from those
// as far before it. What it knows grows k-fold per round: after all rounds, of everyone.
//
//   k = 3, 11 ranks      round 0: 1 2      round 1: 3 6      round 2: 9      (18 is more than once around)
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

inline std::vector<std::vector<int>> dissemination_distances(int count, int radix) {
  std::vector<std::vector<int>> rounds;
  for (std::int64_t stride = 1; stride < count; stride *= radix) {
    std::vector<int>& distances = rounds.emplace_back();
    for (int digit = 1; digit < radix && digit * stride < count; ++digit)
      distances.push_back(static_cast<int>(digit * stride));
  }
  return rounds;
}

// The radix for messages that are on their way for much longer than it takes to send a few: no more rounds
// than with four, and as few messages in each as that allows: more would cost each rank more time than they
// save. Trees of k-nomial form have as many rounds.
inline int radix_of_fewest_rounds(int count) {
  constexpr int kMost = 4;
  const std::size_t rounds = dissemination_distances(count, kMost).size();
  int radix = 2;
  while (dissemination_distances(count, radix).size() > rounds) ++radix;
  return radix;
}

}  // namespace weft
