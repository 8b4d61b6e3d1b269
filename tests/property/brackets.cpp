// SPDX-License-Identifier: BSD-3-Clause
// With WEFT_REPRODUCIBLE=1 the bracket of a reduction is a function of the number of ranks alone: whatever
// the size, the root and where the ranks are, messages and shared memory evaluate the same expression.
#include <gtest/gtest.h>
#include <set>

#include "executor/verifier/verify.hpp"
#include "planner/planner.hpp"
#include "support/case.hpp"

namespace weft::tests {
namespace {

Report proof_of(const Choice& choice, Call call) {
  call.commutative = false;
  call.commutative = !choice.algorithm->eligible(call);
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < call.rank_count; ++rank)
    schedules.push_back(build_example(*choice.algorithm, call, choice.parameters, Rank(rank), false));
  return verify(schedules);
}

TEST(Brackets, depend_on_the_number_of_ranks_alone_when_pinned) {
  std::set<std::string_view> algorithms;
  for (const Collective collective : {Collective::kReduce, Collective::kAllreduce})
    for (const int ranks : {2, 3, 4, 5, 6, 7, 8, 11, 13}) {
      const Hierarchy hierarchy =
          *Hierarchy::make(*Topology::parse("node:" + std::to_string(ranks) + " core:1"), "node");
      const std::vector<Placement> placements = {
          {},
          {.shares_cores = true},
          {.hierarchy = &hierarchy},
          {.one_node = true, .rank_bytes = Bytes(1 << 10)},
          {.one_node = true, .rank_bytes = Bytes(1 << 16)},
          {.one_node = true, .rank_bytes = Bytes(1 << 16), .crowded = true},
          {.one_node = true,
           .rank_bytes = Bytes(1 << 16),
           .single_copy = true,
           .kernel_is_faster = true,
           .single_copy_from = Bytes(5000)}};
      std::set<std::string> brackets;
      for (const int count : {1, 7, 512, 700})
        for (const int root : {0, ranks - 1})
          for (const Placement& placement : placements) {
            const Call call{.collective = collective,
                            .rank_count = ranks,
                            .root = Rank(collective == Collective::kReduce ? root : 0),
                            .bytes = Bytes(8 * count),
                            .element_bytes = Bytes(8)};
            const Choice choice = choose_reproducible(call, placement);
            const Report report = proof_of(choice, call);
            ASSERT_TRUE(report.proved()) << report.findings.front().message;
            algorithms.insert(choice.algorithm->name);
            brackets.insert(report.bracket);
          }
      EXPECT_EQ(brackets.size(), 1u) << name_of(collective) << " on " << ranks
                                     << " ranks: " << *brackets.begin() << " and " << *brackets.rbegin();
    }
  EXPECT_EQ(algorithms, (std::set<std::string_view>{"exchange", "fan_in", "n_ary_tree", "parts",
                                                    "recursive_k_ing", "single_copy"}));
}

// Who copies faster is measured, and may be measured differently the next time.
TEST(Brackets, do_not_depend_on_whether_the_kernel_copies_faster) {
  std::set<std::string_view> algorithms;
  for (const Collective collective : kCollectives)
    for (const int ranks : {2, 3, 4, 8, 11}) {
      if (!is_reduction(collective)) continue;
      for (const int count : {64, 600, 4000}) {
        const Call call{.collective = collective,
                        .rank_count = ranks,
                        .bytes = Bytes(8 * count),
                        .element_bytes = Bytes(8)};
        std::set<std::string> brackets;
        for (const bool kernel_is_faster : {false, true}) {
          const Choice choice = choose(call, {.one_node = true,
                                              .rank_bytes = Bytes(1 << 14),
                                              .single_copy = true,
                                              .kernel_is_faster = kernel_is_faster,
                                              .single_copy_from = Bytes(1 << 10)});
          algorithms.insert(choice.algorithm->name);
          if (ranks > 2) brackets.insert(proof_of(choice, call).bracket);  // two have one bracket
        }
        EXPECT_LE(brackets.size(), 1u) << name_of(collective) << " on " << ranks << " of " << count;
      }
    }
  EXPECT_TRUE(algorithms.contains("single_copy"));
}

// How long messages take is measured, and may be measured differently the next time.
TEST(Brackets, do_not_depend_on_how_far_nodes_are_apart) {
  std::set<std::string_view> far_algorithms;
  for (const char* const machine : {"node:2 core:1", "node:4 core:1", "node:7 core:1", "node:11 core:1",
                                    "node:3 core:2", "node:5 core:3"}) {
    const Topology topology = *Topology::parse(machine);
    const Hierarchy hierarchy = *Hierarchy::make(topology, "node");
    const bool is_flat = hierarchy.memory_tiers() == 0;
    for (const Collective collective : kCollectives) {
      if (!is_reduction(collective)) continue;
      for (const int count : {1, 7, 512, 4096, 40000}) {
        const Call call{.collective = collective,
                        .rank_count = topology.leaf_count(),
                        .bytes = Bytes(8 * count),
                        .element_bytes = Bytes(8)};
        for (const bool shares_cores : {false, true}) {
          Placement placement{.rank_bytes = Bytes(1 << 16),
                              .hierarchy = is_flat ? nullptr : &hierarchy,
                              .shares_cores = shares_cores};
          const Choice near = choose(call, placement);
          placement.is_far = true;
          const Choice far = choose(call, placement);
          const std::string where = std::string(name_of(collective)) + " on " + machine;
          if (far.algorithm != near.algorithm || far.parameters != near.parameters) {
            const Report report = proof_of(far, call);
            ASSERT_TRUE(report.proved()) << where << ": " << report.findings.front().message;
            EXPECT_EQ(report.bracket, proof_of(near, call).bracket) << where;
          }
          far_algorithms.insert(far.algorithm->name);
        }
      }
    }
  }
  EXPECT_TRUE(far_algorithms.contains("gathered"));
}

}  // namespace
}  // namespace weft::tests
