// SPDX-License-Identifier: BSD-3-Clause
// GoalLabels: the numbers by which the simulator tells messages apart, for those that GOAL tells apart by tag
// and order. match_messages: every send has its recv.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "executor/simulator/script.hpp"

namespace weft::simulator {

class GoalLabels {
 public:
  struct Meaning {
    std::uint32_t tag = 0,
                  place = 0;  // place: how many with that tag are before it, from the same to the same
  };

  void begin_rank() { count_.clear(); }
  // The label of the next message that the text has for the rank that is being read.
  std::uint32_t next(TaskKind kind, std::int32_t peer, std::uint32_t tag);
  Meaning meaning(std::uint32_t label) const { return meanings_[label]; }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> count_;   // by kind, peer and tag
  std::unordered_map<std::uint64_t, std::uint32_t> labels_;  // by tag and place
  std::vector<Meaning> meanings_;                            // by label
};

struct GoalProblem {
  int rank = 0;
  std::uint32_t task = 0;
  std::string what;
};

// Gives each recv its send's size. Else the first message that has no other end, or does not fit, and how
// many more there are.
std::optional<GoalProblem> match_messages(std::span<Part> parts, const GoalLabels& labels);

}  // namespace weft::simulator
