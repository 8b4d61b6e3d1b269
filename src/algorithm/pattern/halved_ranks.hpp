// SPDX-License-Identifier: BSD-3-Clause
// HalvedRanks: a range of ranks is halved again and again until this rank is alone. In each step a rank gives
// away what is for the other half, to its counterpart there, and gets what the other half has for its own.
//
//   5 ranks     0 1 2 | 3 4        0-3  1-4  2->4        the lower half is the larger one: its last rank has
//               0 1 | 2   3 | 4    0-2  1->2  3-4        no counterpart, and gives to that of the one before
//               0 | 1              0-1
#pragma once

#include <vector>

namespace weft {

struct HalvingStep {
  int first, end;              // of the ranks of the own half
  int other_first, other_end;  // of the other half
  int give_to;
  std::vector<int> get_from;  // none, one or two
};

inline std::vector<HalvingStep> halving_steps(int rank_count, int self) {
  std::vector<HalvingStep> steps;
  for (int first = 0, end = rank_count; end - first > 1;) {
    const int middle = first + (end - first + 1) / 2;
    const int upper = end - middle;
    const int lower = middle - first;
    if (self < middle) {
      const int place = self - first;
      const bool is_alone = place == upper;
      steps.push_back({first, middle, middle, end, middle + (is_alone ? upper - 1 : place), {}});
      if (!is_alone) steps.back().get_from.push_back(middle + place);
      end = middle;
    } else {
      const int place = self - middle;
      steps.push_back({middle, end, first, middle, first + place, {first + place}});
      if (place == upper - 1 && lower > upper) steps.back().get_from.push_back(first + upper);
      first = middle;
    }
  }
  return steps;
}

}  // namespace weft
