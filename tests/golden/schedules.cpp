// SPDX-License-Identifier: BSD-3-Clause
// Schedules and rounds as text, for calls that people can check by hand.
#include <fmt/format.h>

#include "executor/verifier/trace.hpp"
#include "schedule/text.hpp"
#include "support/golden.hpp"
#include "support/whole_call.hpp"

namespace weft::tests {
namespace {

std::string schedules_text(const std::vector<Schedule>& schedules) {
  std::string text;
  for (const Schedule& schedule : schedules) text += print_schedule(schedule);
  return text;
}

std::string holdings(const std::vector<std::string>& holds) {
  std::string text;
  for (std::size_t rank = 0; rank < holds.size(); ++rank)
    text += fmt::format("  rank {} holds {}\n", rank, holds[rank]);
  return text;
}

std::string rounds_text(const std::vector<Schedule>& schedules) {
  const Trace shown = trace(schedules);
  EXPECT_TRUE(shown.complete);
  std::string text = "before\n" + holdings(shown.initially);
  for (std::size_t round = 0; round < shown.rounds.size(); ++round) {
    text += fmt::format("round {}\n", round);
    for (const std::string& step : shown.rounds[round].node_steps) text += "  " + step + "\n";
    for (const TraceMessage& m : shown.rounds[round].messages)
      text += fmt::format("  {} -> {}: {} bytes: {}\n", m.from.value, m.to.value, m.bytes.value, m.what);
    text += holdings(shown.rounds[round].holds);
  }
  return text;
}

TEST(Golden, RecursiveThreeIngOnNineRanks) {
  const auto schedules = build_all(allreduce_of(9), "recursive_k_ing", 3);
  expect_golden("recursive_k_ing_9_ranks_radix_3_rounds", rounds_text(schedules));
  expect_golden("recursive_k_ing_9_ranks_radix_3_schedules", schedules_text(schedules));
}

// LibNBC's figure 1.
TEST(Golden, BinomialBcastOnSevenRanks) {
  const Call call{.collective = Collective::kBcast, .rank_count = 7, .bytes = Bytes(8)};
  const auto schedules = build_all(call, "k_nomial", 2);
  expect_golden("binomial_bcast_7_ranks_rank_1", print_schedule(schedules[1]));
  expect_golden("binomial_bcast_7_ranks_rounds", rounds_text(schedules));
}

TEST(Golden, RingAllreduceOnFourRanks) {
  const auto schedules = build_all(allreduce_of(4, Bytes(32)), "ring");
  expect_golden("ring_allreduce_4_ranks_schedules", schedules_text(schedules));
  expect_golden("ring_allreduce_4_ranks_rounds", rounds_text(schedules));
}

// Seven is no power of two: three ranks are extra, and each has a proxy beside it.
TEST(Golden, ProxiesOfRecursiveDoublingOnSevenRanks) {
  Call call = allreduce_of(7);
  call.commutative = false;
  const auto schedules = build_all(call, "recursive_k_ing", 2);
  expect_golden("recursive_k_ing_7_ranks_proxies_schedules", schedules_text(schedules));
  expect_golden("recursive_k_ing_7_ranks_proxies_rounds", rounds_text(schedules));
}

TEST(Golden, NodeLevelTasks) { expect_golden("node_level_tasks", schedules_text(node_level_schedules())); }

}  // namespace
}  // namespace weft::tests
