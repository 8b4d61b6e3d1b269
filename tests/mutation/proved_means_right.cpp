// SPDX-License-Identifier: BSD-3-Clause
// The verifier survives any damage, and what it still proves afterwards gives the right answer when it is
// run: random mutants of the whole catalog, verified, and executed over the in-process transport if they
// pass.
#include <gtest/gtest.h>

#include "executor/verifier/trace.hpp"
#include "executor/verifier/verify.hpp"
#include "mutation/hand_built.hpp"
#include "support/case.hpp"

namespace weft::tests {
namespace {

Bytes moved(Random& random, Bytes from, Bytes element) {
  constexpr std::int64_t kSteps[] = {-1, 1, 2};
  return from + element * kSteps[random.below(3)];
}

void damage_task(Random& random, const Call& call, Schedule& schedule, Task& task) {
  switch (random.below(9)) {
    case 0: task.source_offset = moved(random, task.source_offset, call.element_bytes); break;
    case 1: task.target_offset = moved(random, task.target_offset, call.element_bytes); break;
    case 2: task.size = moved(random, task.size, call.element_bytes); break;
    case 3:
      task.peer = static_cast<int>(random.below(static_cast<std::uint64_t>(call.rank_count) + 1));
      break;
    case 4: task.ordinal = static_cast<std::uint32_t>(random.below(3)); break;
    case 5: task.kind = static_cast<TaskKind>(random.below(9)); break;  // one more than there are
    case 6:
      task.source = BufferId(static_cast<std::uint8_t>(random.below(schedule.buffers.size() + 1)));
      break;
    case 7:
      task.target = BufferId(static_cast<std::uint8_t>(random.below(schedule.buffers.size() + 1)));
      break;
    case 8:
      std::swap(task.source, task.target);
      std::swap(task.source_offset, task.target_offset);
      break;
  }
}

void damage(Random& random, const Call& call, Schedule& schedule) {
  if (schedule.tasks.empty()) return;
  const auto some_task = [&] { return static_cast<std::uint32_t>(random.below(schedule.tasks.size())); };
  auto edges = edges_of(schedule);
  switch (random.below(6)) {
    case 0:
      if (!edges.empty())
        edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(random.below(edges.size())));
      set_edges(schedule, edges);
      break;
    case 1:
      edges.emplace_back(TaskId(some_task()), TaskId(some_task()));  // perhaps backwards
      set_edges(schedule, edges);
      break;
    case 2: drop_task(schedule, TaskId(some_task())); break;
    default: damage_task(random, call, schedule, schedule.tasks[some_task()]); break;
  }
}

struct Tally {
  int refused = 0;
  int proved = 0;
};

Tally try_mutants(const Algorithm& algorithm, const Call& call, int count) {
  const Hierarchy hierarchy =
      *Hierarchy::make(*Topology::parse("node:2 socket:2,1 core:2,1,2"), "socket+node");
  Tally tally;
  for (int seed = 0; seed < count; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    Case mutant(algorithm, call, {.radix = 2 + seed % 2, .hierarchy = &hierarchy}, InPlace::kNobody,
                static_cast<std::uint64_t>(seed));
    Schedule& victim = mutant.schedules[random.below(mutant.schedules.size())];
    for (std::uint64_t times = 1 + random.below(2); times > 0; --times) damage(random, call, victim);
    const bool proved = verify(mutant.schedules).proved();
    const Trace told = trace(mutant.schedules);
    ++(proved ? tally.proved : tally.refused);
    if (!proved) continue;
    EXPECT_TRUE(told.complete) << mutant.name();
    Network network(call.rank_count);
    const std::string trouble = Runner(network, mutant.jobs(1)).take_turns(static_cast<std::uint64_t>(seed));
    EXPECT_EQ(trouble, "") << mutant.name();
    EXPECT_EQ(mutant.check(), "") << mutant.name();
  }
  return tally;
}

TEST(ProvedMeansRight, for_random_mutants_of_the_catalog) {
  Tally all;
  for (const Algorithm& algorithm : catalog())
    for (const bool commutative : {true, false}) {
      const bool reduces = is_reduction(algorithm.collective);
      const Bytes element = reduces ? element_of(commutative) : Bytes(1);
      const bool moves = algorithm.collective != Collective::kBarrier;
      const Call call{.collective = algorithm.collective,
                      .rank_count = 5,
                      .bytes = element * (moves ? 7 : 0),
                      .element_bytes = element,
                      .commutative = commutative || !reduces};
      if (!algorithm.eligible(call) || (!commutative && !reduces)) continue;
      const Tally tally = try_mutants(algorithm, call, 300);
      all.refused += tally.refused;
      all.proved += tally.proved;
    }
  EXPECT_GT(all.refused, all.proved) << "most damage does harm";
  EXPECT_GT(all.proved, 0) << "some is harmless, and shows that what is proved does run";
}

}  // namespace
}  // namespace weft::tests
