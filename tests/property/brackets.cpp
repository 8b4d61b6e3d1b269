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
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < call.rank_count; ++rank)
    schedules.push_back(build(*choice.algorithm, call, choice.parameters, Rank(rank), false));
  return verify(schedules);
}

TEST(Brackets, depend_on_the_number_of_ranks_alone_when_pinned) {
  std::set<std::string_view> algorithms;
  for (const Collective collective : {Collective::kReduce, Collective::kAllreduce})
    for (const int ranks : {2, 3, 4, 5, 6, 7, 8, 11, 13}) {
      const Hierarchy hierarchy =
          *Hierarchy::make(*Topology::parse("node:" + std::to_string(ranks) + " core:1"), "node");
      const std::vector<Placement> placements = {{},
                                                 {.hierarchy = &hierarchy},
                                                 {.one_node = true, .rank_bytes = Bytes(1 << 10)},
                                                 {.one_node = true, .rank_bytes = Bytes(1 << 16)},
                                                 {.one_node = true,
                                                  .rank_bytes = Bytes(1 << 16),
                                                  .single_copy = true,
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

}  // namespace
}  // namespace weft::tests
