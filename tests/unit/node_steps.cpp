// SPDX-License-Identifier: BSD-3-Clause
// What a rank's node-level tasks become: where it arrives, and for whom it waits.
#include <gtest/gtest.h>

#include "algorithm/build.hpp"
#include "algorithm/catalog.hpp"
#include "node/steps.hpp"

namespace weft::node {
namespace {

struct Part {
  bool arrives;
  std::size_t waited_for;

  bool operator==(const Part&) const = default;
};
void PrintTo(const Part& part, std::ostream* out) {
  *out << (part.arrives ? "arrives" : "does not arrive") << ", waits for " << part.waited_for;
}

// Of the rank at the schedule's only node-level task.
Part part_of(Collective collective, const char* algorithm, int rank) {
  const Call call{.collective = collective, .rank_count = 3, .bytes = Bytes(24), .element_bytes = Bytes(8)};
  const Algorithm& chosen = **find_algorithm(collective, algorithm);
  const Schedule schedule = has_parcels(collective) ? build_example(chosen, call, {}, Rank(rank), false)
                                                    : build(chosen, call, {}, Rank(rank), false);
  const Steps steps(schedule);
  for (std::uint32_t t = 0; t < schedule.tasks.size(); ++t)
    if (is_node_level(schedule.tasks[t].kind)) {
      const Step& step = steps.of(TaskId(t));
      return {step.arrives, step.waited_for.size()};
    }
  return {};
}

TEST(NodeSteps, who_is_awaited_by_nobody_does_not_arrive) {
  EXPECT_EQ(part_of(Collective::kGather, "fan_in", 0), (Part{false, 2}));
  EXPECT_EQ(part_of(Collective::kGather, "fan_in", 1), (Part{true, 0}));
  EXPECT_EQ(part_of(Collective::kScan, "exchange", 0), (Part{true, 0}));
  EXPECT_EQ(part_of(Collective::kScan, "exchange", 1), (Part{true, 1}));
  EXPECT_EQ(part_of(Collective::kScan, "exchange", 2), (Part{false, 2}));
}

// At a deliver step: a mark of nothing is news to those who expect something, and so is another call.
TEST(NodeSteps, who_may_be_awaited_arrives_also_with_nothing) {
  for (const Collective collective : {Collective::kGatherv, Collective::kScatterv})
    for (int rank = 0; rank < 3; ++rank)
      EXPECT_TRUE(part_of(collective, "delivery", rank).arrives) << name_of(collective) << " " << rank;
}

}  // namespace
}  // namespace weft::node
