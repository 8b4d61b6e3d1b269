// SPDX-License-Identifier: BSD-3-Clause
// KnownCounts: how far each of many counters has come, as far as somebody knows. Who learns something has new
// knowledge that shares with the old all but the path to what is new:
//
//        old      new        a tree of counts by counter; an arm that is missing: nothing is known of all
//        / \      / \        counters there
//       a   b<---'   c
//
// Cost: reading and learning one count take log(counters) steps; of two only the parts in which they differ
// are looked at. Memory is given back all at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft {

class KnownCounts {
 public:
  using Known = std::uint32_t;  // a place among nodes_
  static constexpr Known kNothing = 0;

  // For counters below that number.
  explicit KnownCounts(std::uint64_t counters);

  std::uint32_t count(Known known, std::uint32_t counter) const;
  // That, and the counter has come to that count, which is not less than what was known.
  Known with(Known known, std::uint32_t counter, std::uint32_t count);
  // What is known by either.
  Known both(Known a, Known b) { return both(a, b, height_); }

 private:
  static constexpr std::uint32_t kBits = 2, kArms = 1U << kBits;
  using Node = std::array<std::uint32_t, kArms>;  // places of nodes; lowest ones: counts

  static std::uint32_t arm_of(std::uint32_t counter, std::uint32_t height) {
    return (counter >> (kBits * height)) % kArms;
  }
  Known add(const Node& node);
  Known with(Known known, std::uint32_t counter, std::uint32_t count, std::uint32_t height);
  Known both(Known a, Known b, std::uint32_t height);

  std::vector<Node> nodes_{Node{}};  // the first one: nothing is known
  std::uint32_t height_ = 0;         // of the root; the lowest nodes are at 0
};

}  // namespace weft
