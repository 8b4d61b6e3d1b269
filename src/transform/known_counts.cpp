// SPDX-License-Identifier: BSD-3-Clause
#include "transform/known_counts.hpp"

#include <algorithm>

namespace weft {

KnownCounts::KnownCounts(std::uint64_t counters) {
  while (counters > std::uint64_t{1} << (kBits * (height_ + 1))) ++height_;
}

std::uint32_t KnownCounts::count(Known known, std::uint32_t counter) const {
  for (std::uint32_t height = height_; height > 0; --height) known = nodes_[known][arm_of(counter, height)];
  return nodes_[known][arm_of(counter, 0)];
}

KnownCounts::Known KnownCounts::with(Known known, std::uint32_t counter, std::uint32_t count) {
  return with(known, counter, count, height_);
}

KnownCounts::Known KnownCounts::add(const Node& node) {
  nodes_.push_back(node);
  return static_cast<Known>(nodes_.size() - 1);
}

KnownCounts::Known KnownCounts::with(Known known, std::uint32_t counter, std::uint32_t count,
                                     std::uint32_t height) {
  Node node = nodes_[known];
  std::uint32_t& arm = node[arm_of(counter, height)];
  arm = height == 0 ? count : with(arm, counter, count, height - 1);
  return add(node);
}

KnownCounts::Known KnownCounts::both(Known a, Known b, std::uint32_t height) {
  if (a == b || b == kNothing) return a;
  if (a == kNothing) return b;
  const Node of_a = nodes_[a], of_b = nodes_[b];
  Node node;
  for (std::size_t arm = 0; arm < kArms; ++arm)
    node[arm] = height == 0 ? std::max(of_a[arm], of_b[arm]) : both(of_a[arm], of_b[arm], height - 1);
  return node == of_a ? a : node == of_b ? b : add(node);
}

}  // namespace weft
