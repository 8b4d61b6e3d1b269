// SPDX-License-Identifier: BSD-3-Clause
// Round by round, every algorithm of the catalog is still proved, keeps its bracket and gives the plain
// result.
#include <gtest/gtest.h>

#include "executor/verifier/verify.hpp"
#include "schedule/describe.hpp"
#include "support/case.hpp"
#include "transform/by_rounds.hpp"

namespace weft::tests {
namespace {

constexpr int kRankCounts[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 33};

std::vector<Call> calls_by_rounds(Collective collective, int ranks) {
  std::vector<Call> calls;
  for (const int root : {0, ranks - 1})
    for (const int count : {1, ranks + 1})
      for (const bool commutative : {true, false}) {
        if (root != 0 && !is_rooted(collective)) continue;
        if (!commutative && !is_reduction(collective)) continue;
        const Bytes element = is_reduction(collective) ? element_of(commutative) : Bytes(1);
        calls.push_back({.collective = collective,
                         .rank_count = ranks,
                         .root = Rank(root),
                         .bytes = collective == Collective::kBarrier ? Bytes(0) : element * count,
                         .element_bytes = element,
                         .commutative = commutative});
      }
  return calls;
}

template <class Visit>
void for_catalog(Visit visit) {
  std::uint64_t seed = base_seed();
  for (const Algorithm& algorithm : catalog())
    for (const int radix : {2, 3, 4})
      for (const int ranks : kRankCounts) {
        if (radix != 2 && !algorithm.has_radix) continue;
        for (const Call& call : calls_by_rounds(algorithm.collective, ranks))
          if (algorithm.eligible(call))
            visit(Case(algorithm, call, {.radix = radix, .window = 3, .fragment = Bytes(256)}, InPlace::kSome,
                       ++seed));
      }
}

std::vector<Schedule> all_by_rounds(const std::vector<Schedule>& schedules) {
  std::vector<Schedule> all;
  all.reserve(schedules.size());
  for (const Schedule& schedule : schedules) all.push_back(by_rounds(schedule));
  return all;
}

TEST(ByRounds, the_whole_catalog_is_proved_with_the_same_messages_and_brackets) {
  for_catalog([](const Case& c) {
    const Report before = verify(c.schedules), after = verify(all_by_rounds(c.schedules));
    ASSERT_TRUE(after.proved()) << c.name() << ": " << after.findings.front().message;
    EXPECT_EQ(after.bracket, before.bracket) << c.name();
    EXPECT_EQ(after.messages, before.messages) << c.name();
    EXPECT_EQ(after.bytes_sent, before.bytes_sent) << c.name();
  });
}

TEST(ByRounds, the_whole_catalog_gives_the_plain_result) {
  std::uint64_t seed = base_seed();
  for_catalog([&](Case c) {
    c.schedules = all_by_rounds(c.schedules);
    Network network(static_cast<int>(c.schedules.size()),
                    {.seed = ++seed, .rendezvous_percent = 50, .longest_delay = 3});
    ASSERT_EQ(Runner(network, c.jobs(1)).take_turns(seed), "") << c.name();
    ASSERT_EQ(c.check(), "") << c.name();
  });
}

// What makes it rounds, whatever else there is.
TEST(ByRounds, no_task_starts_before_the_round_before_has_ended) {
  for_catalog([](const Case& c) {
    for (const Schedule& schedule : all_by_rounds(c.schedules)) {
      const auto waits_for = predecessors(schedule);
      std::uint32_t round_begin = 0, rounds = 0;
      for (std::uint32_t task = 0; task < schedule.tasks.size(); ++task) {
        if (schedule.tasks[task].kind == TaskKind::kJoin) {
          ASSERT_EQ(waits_for[task].size(), task - round_begin) << c.name() << ": join " << task;
          round_begin = task;
          ++rounds;
        } else if (rounds > 0) {
          ASSERT_EQ(waits_for[task].front(), TaskId(round_begin)) << c.name() << ": task " << task;
        }
      }
    }
  });
}

TEST(ByRounds, tasks_and_their_order_stay) {
  for_catalog([](const Case& c) {
    const auto without_joins = [](const Schedule& schedule) {
      std::string text;
      for (const Task& task : schedule.tasks)
        if (task.kind != TaskKind::kJoin) text += describe(schedule, task) + "\n";
      return text;
    };
    for (const Schedule& schedule : c.schedules)
      EXPECT_EQ(without_joins(by_rounds(schedule)), without_joins(schedule)) << c.name();
  });
}

TEST(ByRounds, the_binomial_tree_of_libnbcs_figure_has_two_rounds_on_rank_1) {
  const Call call{.collective = Collective::kBcast, .rank_count = 7, .bytes = Bytes(8)};
  const Algorithm& algorithm = **find_algorithm(Collective::kBcast, "k_nomial");
  const Schedule schedule = by_rounds(build(algorithm, call, {}, Rank(1), false));
  std::string text;
  for (const Task& task : schedule.tasks) text += std::string(name_of(task.kind)) + " ";
  EXPECT_EQ(text, "recv join send send ");
  EXPECT_EQ(schedule.algorithm, "k_nomial radix=2 by rounds");
}

}  // namespace
}  // namespace weft::tests
