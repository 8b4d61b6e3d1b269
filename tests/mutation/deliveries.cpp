// SPDX-License-Identifier: BSD-3-Clause
// Steps at which a member waits for some of the others, damaged where only these steps can notice: parcels
// that are delivered through a node's memory, and values that are taken from the ranks before.
#include <gtest/gtest.h>

#include "algorithm/build.hpp"
#include "algorithm/catalog.hpp"
#include "executor/verifier/verify.hpp"
#include "mutation/hand_built.hpp"

namespace weft::tests {
namespace {

// Through the lines alone.
Schedules delivered() {
  const Call call{.collective = Collective::kAlltoallv, .rank_count = 2, .bytes = Bytes(24)};
  Schedules schedules;
  for (int rank = 0; rank < 2; ++rank)
    schedules.push_back(
        build_example(**find_algorithm(call.collective, "delivery"), call, {}, Rank(rank), false));
  return schedules;
}

// In turns: two ranks, several fragments each way.
Schedules delivered_in_turns() {
  const Call call{.collective = Collective::kAlltoallv, .rank_count = 2, .bytes = Bytes(8000)};
  const Parameters parameters{.fragment = kLineStride, .pair_fragment = kLineStride * 8};
  Schedules schedules;
  for (int rank = 0; rank < 2; ++rank)
    schedules.push_back(
        build_example(**find_algorithm(call.collective, "delivery"), call, parameters, Rank(rank), false));
  return schedules;
}

Schedules scanned() {
  const Call call{
      .collective = Collective::kScan, .rank_count = 4, .bytes = Bytes(8), .element_bytes = Bytes(8)};
  Schedules schedules;
  for (int rank = 0; rank < 4; ++rank)
    schedules.push_back(build(**find_algorithm(call.collective, "exchange"), call, {}, Rank(rank), false));
  return schedules;
}

const std::vector<Mutant>& mutants_of_deliveries() {
  static const std::vector<Mutant> all = {
      {"what is delivered lies where the line says how much it is", Rule::kNodeTask,
       [] {
         return damaged(delivered(), [](Schedules& s) {
           Task& leaves = nth_task(s[0], TaskKind::kCopy);
           leaves.target_offset += kLineBytes - leaves.size;
         });
       }},
      {"what is delivered is taken before it is there", Rule::kNodeTask,
       [] {
         return damaged(delivered(), [](Schedules& s) {
           const TaskId step = nth(s[1], TaskKind::kDeliver);
           for (const auto& [from, to] : edges_of(s[1]))
             if (from == step) drop_edge(s[1], from, to);
         });
       }},
      {"a fragment is taken from the half that belongs to the next one", Rule::kWrongResult,
       [] {
         return damaged(delivered_in_turns(), [](Schedules& s) {
           const TaskId last_step = nth(s[1], TaskKind::kDeliver, 3);
           const auto takes = [&](const Task& task) {
             return task.target == kOutput && task.source != kInput;
           };
           for (std::uint32_t task = last_step.value; task-- > 0;)
             if (takes(s[1].tasks[task])) {
               s[1].tasks[task].source_offset += kLineStride * 8;
               return;
             }
         });
       }},
      {"a fragment is left before the one that lay there has been taken", Rule::kNodeTask,
       [] {
         return damaged(delivered_in_turns(), [](Schedules& s) {
           const TaskId step = nth(s[0], TaskKind::kDeliver, 1);
           for (const auto& [from, to] : edges_of(s[0]))
             if (from == step) drop_edge(s[0], from, to);
         });
       }},
      {"a rank leaves out a round in which another one waits for it", Rule::kNodeTask,
       [] {
         return damaged(delivered_in_turns(),
                        [](Schedules& s) { drop_task(s[1], nth(s[1], TaskKind::kDeliver, 3)); });
       }},
      {"a round begins elsewhere than on the other ranks", Rule::kNodeTask,
       [] {
         return damaged(delivered_in_turns(),
                        [](Schedules& s) { nth_task(s[1], TaskKind::kDeliver, 2).peer += 1; });
       }},
      {"less than nothing has been moved before", Rule::kMalformed,
       [] {
         return damaged(delivered_in_turns(),
                        [](Schedules& s) { nth_task(s[1], TaskKind::kDeliver).peer = -1; });
       }},
      {"a value is taken from a rank behind", Rule::kNodeTask,
       [] {
         return damaged(scanned(), [](Schedules& s) {
           nth_task(s[1], TaskKind::kReduce).source_offset = kLineStride * 2;
         });
       }},
  };
  return all;
}

TEST(Deliveries, the_undamaged_are_proved) {
  EXPECT_TRUE(verify(delivered()).proved());
  EXPECT_TRUE(verify(delivered_in_turns()).proved());
  EXPECT_TRUE(verify(scanned()).proved());
}

TEST(Deliveries, come_with_their_step) {
  for (const Mutant& mutant : mutants_of_deliveries()) EXPECT_EQ(missing_objection(mutant), "");
}

}  // namespace
}  // namespace weft::tests
