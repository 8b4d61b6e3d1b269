// SPDX-License-Identifier: BSD-3-Clause
// Ranks as threads: many operations at once over one network, each on its own channel, in whatever order the
// threads come. The thread sanitizer runs this.
#include <array>
#include <deque>
#include <gtest/gtest.h>

#include "support/case.hpp"

namespace weft::tests {
namespace {

Hierarchy random_hierarchy(Random& random, int ranks) {
  constexpr std::array kDepths = {"flat", "node", "socket", "socket+node"};
  constexpr std::array kMachines = {"node:3 socket:2,1,1 core:2,1,3,3", "socket:3 core:3"};
  const Topology machine = *Topology::parse(kMachines[random.below(kMachines.size())])->with_ranks(ranks);
  return *Hierarchy::make(machine, kDepths[random.below(kDepths.size())]);
}

Case random_case(Random& random, int ranks) {
  const Algorithm& algorithm = catalog()[random.below(catalog().size())];
  const bool commutative = random.chance(50);
  const bool reduction = is_reduction(algorithm.collective);
  const Bytes element = reduction ? element_of(commutative) : Bytes(1);
  Call call{.collective = algorithm.collective,
            .rank_count = ranks,
            .bytes = element * static_cast<int>(random.below(300)),
            .element_bytes = element,
            .commutative = !reduction || commutative};
  if (is_rooted(call.collective))
    call.root = Rank(static_cast<int>(random.below(static_cast<std::uint64_t>(ranks))));
  if (call.collective == Collective::kBarrier) call.bytes = Bytes(0);
  if (!algorithm.eligible(call)) return random_case(random, ranks);
  const Hierarchy hierarchy = random_hierarchy(random, ranks);
  const Parameters parameters{.radix = 2 + static_cast<int>(random.below(4)), .hierarchy = &hierarchy};
  return Case(algorithm, call, parameters, static_cast<InPlace>(random.below(3)), random.next());
}

// Runs `count` random operations at once; take_turns and run_threads alike.
void expect_all_right(int ranks, int count, Disturbance disturbance,
                      std::string (Runner::*run)(std::uint64_t)) {
  Random random(disturbance.seed);
  std::deque<Case> cases;
  std::vector<Job> jobs;
  for (int i = 0; i < count; ++i) {
    const auto more = cases.emplace_back(random_case(random, ranks)).jobs(static_cast<Channel>(i));
    jobs.insert(jobs.end(), more.begin(), more.end());
  }
  Network network(ranks, disturbance);
  ASSERT_EQ((Runner(network, jobs).*run)(disturbance.seed), "") << "run seed " << disturbance.seed;
  for (const Case& c : cases) ASSERT_EQ(c.check(), "") << c.name() << " in run seed " << disturbance.seed;
}

TEST(RanksAsThreads, run_many_operations_at_once) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 6; ++seed)
    for (const int ranks : {2, 3, 5, 8})
      expect_all_right(ranks, 8, {.seed = seed, .rendezvous_percent = 50, .longest_delay = seed % 2 ? 4 : 0},
                       &Runner::run_threads);
}

TEST(RanksInTurns, run_many_operations_at_once) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 100; ++seed)
    expect_all_right(1 + static_cast<int>(seed % 9), 8,
                     {.seed = seed, .rendezvous_percent = 50, .longest_delay = 5}, &Runner::take_turns);
}

// The same schedules, operations and channel, over and over: nothing of an earlier start may be left.
TEST(RanksInTurns, start_the_same_operation_again) {
  const Algorithm& algorithm = **find_algorithm(Collective::kAllreduce, "recursive_k_ing");
  Case c(algorithm,
         {.collective = Collective::kAllreduce,
          .rank_count = 6,
          .bytes = Bytes(32),
          .element_bytes = Bytes(16),
          .commutative = false},
         {.radix = 2}, InPlace::kNobody, base_seed());
  Network network(6, {.seed = base_seed(), .rendezvous_percent = 50, .longest_delay = 2});
  Runner runner(network, c.jobs(7));
  for (std::uint64_t again = 0; again < 20; ++again) {
    for (Data& output : c.outputs) std::fill(output.begin(), output.end(), std::byte{0xee});
    ASSERT_EQ(runner.take_turns(base_seed() + again), "");
    ASSERT_EQ(c.check(), "") << "start " << again << " of " << c.name();
  }
}

}  // namespace
}  // namespace weft::tests
