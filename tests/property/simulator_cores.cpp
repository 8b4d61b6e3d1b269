// SPDX-License-Identifier: BSD-3-Clause
// Ranks that share the cores of their node, in the simulator: as a plain simulation of the same says, never
// faster than with a core each, nor different where there are cores enough, and never more of them at work
// than there are.
#include <algorithm>
#include <fmt/format.h>

#include "support/case.hpp"
#include "support/reference_simulator.hpp"
#include "support/task_lists.hpp"

namespace weft::tests {
namespace {

using simulator::Noise;

constexpr Bytes kSignalBytes{5};

Topology nodes_of(int nodes, int ranks_per_node) {
  return *Topology::parse(fmt::format("node:{} core:{}", nodes, ranks_per_node));
}

Outcome run(const std::vector<std::vector<Schedule>>& operations, const Topology& topology, Setting setting,
            const Program& program, simulator::Observer* observer = nullptr) {
  std::vector<Scripts> all;
  for (const auto& schedules : operations) all.push_back(scripts_of(schedules, setting.machine));
  setting.topology = &topology;
  setting.signal_bytes = kSignalBytes;
  Outcome outcome = simulate(setting, program, all, observer);
  EXPECT_EQ(outcome.problem, "");
  return outcome;
}

std::vector<Schedule> barrier_of(int ranks) {
  return schedules_of(Collective::kBarrier, "dissemination",
                      {.collective = Collective::kBarrier, .rank_count = ranks}, {});
}

std::vector<Schedule> allreduce_of(int ranks) {
  return schedules_of(Collective::kAllreduce, "recursive_k_ing",
                      {.collective = Collective::kAllreduce,
                       .rank_count = ranks,
                       .bytes = Bytes(80),
                       .element_bytes = Bytes(8),
                       .commutative = true},
                      {.radix = 3});
}

// Computations alone: as many times as long as ranks come upon one core.
TEST(Cores, are_shared_by_ranks_that_compute) {
  for (int ranks = 1; ranks <= 9; ++ranks)
    for (int cores = 1; cores <= 9; ++cores) {
      const Topology topology = nodes_of(3, ranks);
      const Time x(7'000'001), switching(11'003);
      Setting setting{.machine = Machine()};
      setting.machine.cores = cores;
      setting.machine.switching = switching;
      const std::vector<Schedule> nothing(static_cast<std::size_t>(3 * ranks));
      const Program program{.steps = {compute(x)}, .repetitions = 4};
      const std::int64_t turns = (ranks + cores - 1) / cores;
      EXPECT_EQ(run({nothing}, topology, setting, program).finish, x * (4 * turns) + switching * (turns - 1))
          << ranks << " ranks on " << cores << " cores";
    }
}

TEST(Cores, are_of_the_parts_of_a_level) {
  const Topology topology = *Topology::parse("node:3 socket:2 core:4");
  const std::vector<Schedule> nothing(24);
  const auto turns = [&](Level level, const Topology* places) {
    Setting setting{.machine = Machine(), .topology = places};
    setting.machine.cores = 2;
    setting.machine.cores_of = level;
    std::vector<Scripts> all;
    all.push_back(scripts_of(nothing, setting.machine));
    return simulate(setting, {.steps = {compute(Time(1000))}, .repetitions = 1}, all).finish / Time(1000);
  };
  EXPECT_EQ(turns(Level::kNetwork, &topology), 12);
  EXPECT_EQ(turns(Level::kNode, &topology), 4);
  EXPECT_EQ(turns(Level::kSocket, &topology), 2);
  EXPECT_EQ(turns(Level::kL3, &topology), 1);
  EXPECT_EQ(turns(Level::kNetwork, nullptr), 12);
  EXPECT_EQ(turns(Level::kNode, nullptr), 1);
}

// By all algorithms that send messages but Bruck's alltoall, of which the simulator leaves out edges, so that
// what becomes ready does so in another order.
std::vector<Schedule> some_schedules_on(Random& random, int ranks) {
  for (;;) {
    const Algorithm& algorithm = catalog()[random.below(catalog().size())].get();
    if (algorithm.within_node || algorithm.follows_hierarchy) continue;
    if (algorithm.collective == Collective::kAlltoall && algorithm.name == "bruck") continue;
    const Call call{.collective = algorithm.collective,
                    .rank_count = ranks,
                    .bytes = algorithm.collective == Collective::kBarrier
                                 ? Bytes(0)
                                 : Bytes(8 * static_cast<std::int64_t>(1 + random.below(200))),
                    .element_bytes = Bytes(is_reduction(algorithm.collective) ? 8 : 1),
                    .commutative = true};
    if (!algorithm.eligible(call)) continue;
    return schedules_of(
        algorithm.collective, algorithm.name, call,
        {.radix = 2 + static_cast<int>(random.below(4)), .window = 3, .fragment = Bytes(512)});
  }
}

TEST(Cores, are_taken_in_turn_as_in_a_plain_simulation) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 500; ++seed) {
    Random random(seed);
    const int nodes = static_cast<int>(1 + random.below(4));
    const int ranks_per_node = static_cast<int>(2 + random.below(6));
    const auto schedules = some_schedules_on(random, nodes * ranks_per_node);
    Machine machine = random_machine(random);
    machine.start = Time(0);
    if (random.chance(40)) machine.links[0].eager = Bytes(static_cast<std::int64_t>(random.below(2000)));
    for (auto& link : machine.links) link = machine.links[0];
    machine.cores = static_cast<int>(1 + random.below(static_cast<std::uint64_t>(ranks_per_node)));
    if (random.chance(30)) machine.switching = Time(0);
    const Setting setting{.machine = machine, .skew = Time(5'000'000), .seed = seed};
    const Outcome outcome = run({schedules}, nodes_of(nodes, ranks_per_node), setting, one_operation());
    const std::vector<Time> wanted =
        ReferenceSimulator(schedules, machine, kSignalBytes, ranks_per_node).finish(outcome.begun);
    EXPECT_EQ(outcome.finished, wanted) << nodes << " nodes of " << ranks_per_node << " ranks on "
                                        << machine.cores << " cores, seed " << seed;
  }
}

// Whoever moves operations.
struct Case {
  Setting setting;
  std::vector<std::vector<Schedule>> operations;
  Program program;
};

Case some_case(std::uint64_t seed, Random& random, int ranks) {
  Case one{.setting = {.machine = random_machine(random), .seed = seed}, .operations = {}, .program = {}};
  one.setting.moved_by = std::array{MovedBy::kHost, MovedBy::kAgent, MovedBy::kAdapter}[seed % 3];
  if (random.chance(50)) one.setting.test_every = Time(100) + some_ns(random, 3000);
  if (random.chance(50)) one.setting.noise = Noise::regular(Time(2'000'000), Time(500'000), seed);
  if (random.chance(50)) one.setting.machine.links[0].eager = Bytes(40);
  if (random.chance(50)) one.setting.machine.adapter_per_node = true;
  one.setting.skew = some_ns(random, 9000);
  one.setting.slowest = random.chance(50) ? 1.3 : 1.0;
  auto allreduce = allreduce_of(ranks);
  if (one.setting.moved_by == MovedBy::kAdapter)
    allreduce = raise_all(lower_all(allreduce, {.form = QueueForm::kWaitsInSendQueues}));
  one.operations = {allreduce, allreduce};
  one.program = {.steps = {compute(some_ns(random, 5000)), start(0), compute(some_ns(random, 9000)), start(1),
                           compute(some_ns(random, 5000)), wait_for(1), wait_for(0)},
                 .repetitions = 4};
  return one;
}

// In the larger node one more rank does nothing: so there is somebody to share with, and nothing to wait for.
TEST(Cores, change_nothing_where_there_are_enough) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 150; ++seed) {
    Random random(seed);
    const int ranks = static_cast<int>(2 + random.below(12));
    Case one = some_case(seed, random, ranks);
    const int users = one.setting.moved_by == MovedBy::kAgent ? 2 * ranks : ranks;
    const Topology topology = nodes_of(1, ranks), larger = nodes_of(1, ranks + 1);
    const std::vector<Time> alone = run(one.operations, topology, one.setting, one.program).finished;
    one.setting.machine.cores = users;
    EXPECT_EQ(run(one.operations, topology, one.setting, one.program).finished, alone) << "seed " << seed;
    // Without cores that are shared the adapter is given its next list as soon as it is known when.
    if (one.setting.moved_by == MovedBy::kAdapter) continue;
    one.setting.machine.switching = Time(0);
    one.setting.skew = Time(0);
    one.setting.machine.cores = 0;
    for (Schedule& schedule : one.operations[1]) schedule = Schedule();
    for (auto& schedules : one.operations) schedules.emplace_back();
    for (auto& step : one.program.steps)
      if (step.kind == Kind::kCompute) step.time = Time(0);
    std::vector<Time> each = run(one.operations, larger, one.setting, one.program).finished;
    one.setting.machine.cores = users;
    std::vector<Time> shared = run(one.operations, larger, one.setting, one.program).finished;
    each.pop_back();
    shared.pop_back();
    EXPECT_EQ(shared, each) << "seed " << seed;
  }
}

// Where there is nothing to choose: what comes to a rank comes from one other, in one order.
TEST(Cores, of_which_there_are_fewer_make_nothing_faster) {
  const std::vector<std::pair<Collective, const char*>> all{
      {Collective::kBcast, "k_nomial"}, {Collective::kBcast, "chain"}, {Collective::kAllgather, "ring"},
      {Collective::kScatter, "linear"}, {Collective::kScan, "chain"},  {Collective::kBcast, "pipeline"}};
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 300; ++seed) {
    Random random(seed);
    const auto& [collective, name] = all[random.below(all.size())];
    const int ranks_per_node = static_cast<int>(2 + random.below(7));
    const Topology topology = nodes_of(2, ranks_per_node);
    const Call call{.collective = collective,
                    .rank_count = 2 * ranks_per_node,
                    .bytes = Bytes(8 * static_cast<std::int64_t>(1 + random.below(100))),
                    .element_bytes = Bytes(8),
                    .commutative = true};
    const auto schedules = schedules_of(collective, name, call, {.fragment = Bytes(256)});
    Setting setting{.machine = random_machine(random)};
    const Program program{.steps = {compute(some_ns(random, 4000)), start(), wait_for()}, .repetitions = 1};
    const Time alone = run({schedules}, topology, setting, program).finish;
    for (int cores = 1; cores <= ranks_per_node; ++cores) {
      setting.machine.cores = cores;
      EXPECT_GE(run({schedules}, topology, setting, program).finish, alone)
          << name << " on " << cores << " cores, seed " << seed;
    }
  }
}

// What takes a core, by what they do from when to when, is never more than there is; and a rank's times add
// up.
TEST(Cores, never_do_more_than_one_thing_each) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 200; ++seed) {
    Random random(seed);
    const int ranks_per_node = static_cast<int>(2 + random.below(7)), ranks = 2 * ranks_per_node;
    Case one = some_case(seed, random, ranks);
    const int cores = static_cast<int>(1 + random.below(static_cast<std::uint64_t>(ranks_per_node)));
    one.setting.machine.cores = cores;
    Journal journal;
    const Outcome outcome =
        run(one.operations, nodes_of(2, ranks_per_node), one.setting, one.program, &journal);
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r)
      EXPECT_EQ(outcome.begun[r] + outcome.started[r] + outcome.computed[r] + outcome.waited[r],
                outcome.finished[r])
          << "seed " << seed;
    // Tasks within a computation are part of it, but an agent's, which may have another core.
    std::map<std::pair<int, Time>, int> changes;  // by node
    const auto is_within = [&](const Journal::Entry& task) {
      return std::any_of(journal.computations.begin(), journal.computations.end(), [&](const auto& c) {
        return c.rank == task.rank && c.begin <= task.begin && task.end <= c.end;
      });
    };
    const auto takes = [&](const Journal::Entry& what) {
      const int node = what.rank / ranks_per_node;
      ++changes[{node, what.begin}];
      --changes[{node, what.end}];
    };
    for (const auto& computation : journal.computations) takes(computation);
    if (one.setting.moved_by == MovedBy::kHost)
      for (const auto& task : journal.entries)
        if (!is_within(task)) takes(task);
    int at_work = 0;
    for (const auto& [at, change] : changes) {
      at_work += change;
      EXPECT_LE(at_work, cores) << "node " << at.first << ", seed " << seed;
    }
    EXPECT_EQ(at_work, 0);
  }
}

// Both agents work while both ranks compute, on these ranks' cores if there are no others.
TEST(Cores, are_an_agents_own_only_if_they_are_idle) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 100; ++seed) {
    Random random(seed);
    Setting setting{.machine = random_machine(random), .moved_by = MovedBy::kAgent};
    setting.machine.switching = Time(0);
    const Topology topology = nodes_of(1, 2);
    const Program program{.steps = {start(), compute(Time(20'000'000)), wait_for()}, .repetitions = 3};
    const auto finish = [&](int cores, bool shares_core) {
      setting.machine.cores = cores;
      setting.agent_shares_core = shares_core;
      return run({barrier_of(2)}, topology, setting, program).finish;
    };
    EXPECT_EQ(finish(2, false), finish(0, true)) << "seed " << seed;
    EXPECT_EQ(finish(4, false), finish(0, false));
    EXPECT_GE(finish(3, false), finish(4, false));
    EXPECT_GE(finish(1, false), Time(6 * 20'000'000));
  }
}

// One core. Rank 0 sends until 100 and looks until 600, for 300 and 100 for each rank; then rank 1 begins,
// sends until 700, and has rank 0's message at 1100, since it looks until 1200; its own is there at 1700.
TEST(Cores, are_kept_for_a_while_by_ranks_that_begin_to_wait) {
  Setting setting{.machine = machine("loggops:L=1000,o=100,cores=1")};
  const Topology topology = nodes_of(2, 1);
  const Outcome at_once = run({barrier_of(2)}, topology, setting, one_operation());
  EXPECT_EQ(at_once.finished, (std::vector{simulator::from_ns(1300), simulator::from_ns(1200)}));
  setting.machine.spin = simulator::from_ns(300);
  setting.machine.spin_per_rank = simulator::from_ns(100);
  const Outcome later = run({barrier_of(2)}, topology, setting, one_operation());
  EXPECT_EQ(later.finished, (std::vector{simulator::from_ns(1800), simulator::from_ns(1200)}));
}

// An adapter needs none: while a rank waits for it the other one computes.
TEST(Cores, are_left_to_others_while_a_rank_waits_for_an_adapter) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 100; ++seed) {
    Random random(seed);
    Setting setting{.machine = random_machine(random), .moved_by = MovedBy::kAdapter};
    setting.machine.cores = 1;
    setting.machine.switching = Time(0);
    const auto lists = raise_all(lower_all(barrier_of(2), {.form = QueueForm::kWaitsInSendQueues}));
    const simulator::Link& link = setting.machine.link(Level::kNetwork);
    const simulator::Adapter& adapter = setting.machine.adapter;
    const Time x = Time(10'000'000) + some_ns(random, 20000);
    const Time posted = setting.machine.start + adapter.post;
    // The second rank posts and computes when the first has computed, whose adapter hears of it meanwhile.
    const Time message = 2 * adapter.task + link.latency + link.per_byte * (kSignalBytes.value - 1);
    const Time second = posted + x + posted, second_ends = second + x + adapter.poll;
    const Outcome outcome =
        run({lists}, nodes_of(1, 2), setting, {.steps = {start(), compute(x), wait_for()}, .repetitions = 1});
    EXPECT_EQ(outcome.finished[1], second_ends) << "seed " << seed;
    EXPECT_EQ(outcome.finished[0], std::max(second + message, second_ends) + adapter.poll) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weft::tests
