// SPDX-License-Identifier: BSD-3-Clause
// Dissemination: in each round a rank tells the ranks at the given distances after it, and hears from those
// as far before it. What it knows grows k-fold per round: after all rounds, of everyone.
//
//   k = 3, 11 ranks      round 0: 1 2      round 1: 3 6      round 2: 9      (18 is more than once around)
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weft {

// The distances of one round: multiples of the first.
class DisseminationRound {
 public:
  DisseminationRound(int stride, int size) : stride_(stride), size_(size) {}

  struct Iterator {
    int stride, digit;
    int operator*() const { return stride * digit; }
    Iterator& operator++() {
      ++digit;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
  };
  Iterator begin() const { return {stride_, 1}; }
  Iterator end() const { return {stride_, size_ + 1}; }
  int front() const { return stride_; }
  int size() const { return size_; }

 private:
  int stride_;
  int size_;
};

inline std::vector<DisseminationRound> dissemination_rounds(int count, int radix) {
  std::vector<DisseminationRound> rounds;
  rounds.reserve(16);
  for (std::int64_t stride = 1; stride < count; stride *= radix) {
    const std::int64_t digits = std::min<std::int64_t>(radix - 1, (count - 1) / stride);
    rounds.emplace_back(static_cast<int>(stride), static_cast<int>(digits));
  }
  return rounds;
}

// The radix for messages that are on their way for much longer than it takes to send a few: no more rounds
// than with four, and as few messages in each as that allows: more would cost each rank more time than they
// save. Trees of k-nomial form have as many rounds.
inline int radix_of_fewest_rounds(int count) {
  constexpr int kMost = 4;
  const std::size_t rounds = dissemination_rounds(count, kMost).size();
  int radix = 2;
  while (dissemination_rounds(count, radix).size() > rounds) ++radix;
  return radix;
}

}  // namespace weft
