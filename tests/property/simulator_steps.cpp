// SPDX-License-Identifier: BSD-3-Clause
// Steps of groups that share memory, in the simulator: every algorithm comes to its end with all tasks done,
// on machines of every shape, whoever comes when; and whoever comes last does the errands.
#include "support/case.hpp"
#include "support/simulated.hpp"

namespace weft::tests {
namespace {

const Algorithm* by_place(std::size_t place) { return &catalog()[place].get(); }

std::vector<const Algorithm*> all_algorithms() {
  std::vector<const Algorithm*> all;
  for (std::size_t i = 0; i < catalog().size(); ++i) all.push_back(by_place(i));
  return all;
}

struct Shape {
  const char* topology;
  std::vector<const char*> depths;
};
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{{"node:4 socket:2 core:2", {"flat", "node", "socket+node"}},
                                      {"node:2 socket:2 numa:2 core:2", {"numa+socket+node"}},
                                      {"device:3 node:2,1,1 core:4", {"node+device"}},
                                      {"node:4 socket:1,2,1,2 core:3,1,2,4,1,6", {"socket+node"}},
                                      {"socket:2 core:8", {"socket+node"}}};
  return all;
}

Parameters some_parameters(std::uint64_t seed) {
  Parameters parameters{.radix = 2 + static_cast<int>(seed % 3),
                        .window = 3,
                        .fragment = Bytes(64),
                        .pair_fragment = kLineStride * static_cast<int>(seed % 2),
                        .single_copy_from = Bytes(seed % 3 == 0 ? 300 : 0),
                        .leaders = static_cast<int>(seed % 3),
                        .leader_fragment = Bytes(1 << seed % 7),
                        .leader = seed % 4 < 3 ? Leader::kLast : Leader::kFixed};
  for (std::size_t tier = 0; tier < parameters.tiers.size(); ++tier)
    parameters.tiers[tier].aim = std::array{Aim::kRounds, Aim::kBytes, Aim::kLatency}[(seed + tier) % 3];
  return parameters;
}

Call some_call(Collective collective, int ranks, std::uint64_t seed) {
  const Bytes element = is_reduction(collective) ? Bytes(8) : Bytes(1);
  const std::array sizes{8, 48, 64, 200};
  return {.collective = collective,
          .rank_count = ranks,
          .root = Rank(is_rooted(collective) ? static_cast<int>(seed) % ranks : 0),
          .bytes = collective == Collective::kBarrier ? Bytes(0) : Bytes(sizes[seed % sizes.size()]),
          .element_bytes = element,
          .commutative = true};
}

// A fan_in that nobody leads, as it exists once on the machine: its members, and which of their lines.
using FanIn = std::pair<std::vector<Rank>, long>;

std::map<BufferId, FanIn> fan_ins_of(const Schedule& schedule) {
  std::map<BufferId, FanIn> all;
  for (const Task& task : schedule.tasks)
    if (task.kind == TaskKind::kFanIn && task.peer == kLast)
      all[task.source] = {
          schedule.groups[task.ordinal].members,
          std::count_if(schedule.buffers.begin(), schedule.buffers.begin() + task.source.value,
                        [](const Buffer& b) { return b.role == BufferRole::kLines; })};
  return all;
}

// Whoever comes last to such a fan_in, by time, does what its group lists as errands, all of it and alone.
void expect_errands_by_the_last(const std::vector<Schedule>& schedules, const Journal& journal) {
  std::map<FanIn, std::vector<Journal::Entry>> arrivals;
  for (const auto& entry : journal.entries) {
    const Schedule& schedule = schedules[static_cast<std::size_t>(entry.rank)];
    const Task& task = schedule.tasks[entry.task];
    if (task.kind == TaskKind::kFanIn && task.peer == kLast)
      arrivals[fan_ins_of(schedule)[task.source]].push_back(entry);
  }
  for (const auto& [fan_in, entries] : arrivals) {
    ASSERT_EQ(entries.size(), fan_in.first.size());
    for (const auto& entry : entries) ASSERT_LE(entry.begin, entries.back().begin);
  }
  const TaskCounts done = counts_of(journal);
  for (const Schedule& schedule : schedules) {
    const auto own = fan_ins_of(schedule);
    for (std::uint32_t t = 0; t < schedule.tasks.size(); ++t) {
      const Task& task = schedule.tasks[t];
      if (!task.is_errand() || task.kind == TaskKind::kJoin) continue;
      const bool is_last = arrivals[own.at(task.errand)].back().rank == schedule.self.value;
      ASSERT_EQ(done.contains({schedule.self.value, 0, t}), is_last) << "task " << t;
    }
  }
}

void expect_end(const std::vector<Schedule>& schedules, const Setting& setting, const std::string& name) {
  Journal journal;
  std::vector<Scripts> operations;
  operations.push_back(scripts_of(schedules, setting.machine));
  const Outcome outcome = simulate(setting, one_operation(), operations, &journal);
  ASSERT_EQ(outcome.problem, "") << name;
  ASSERT_EQ(counts_trouble(schedules, counts_of(journal)), "") << name;
  ASSERT_EQ(outcome.tasks, journal.entries.size()) << name;
  SCOPED_TRACE(name);
  expect_errands_by_the_last(schedules, journal);
}

std::vector<Schedule> build_all(const Algorithm& algorithm, const Call& call, const Parameters& parameters) {
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < call.rank_count; ++rank)
    schedules.push_back(build_example(algorithm, call, parameters, Rank(rank), false));
  return schedules;
}

// Without costs, where all happens at once; and with any, where ranks begin when they like.
void expect_ends(const Algorithm& algorithm, const Call& call, const Parameters& parameters,
                 const Topology* topology, std::uint64_t seed) {
  const std::vector<Schedule> schedules = build_all(algorithm, call, parameters);
  const std::string name = std::string(algorithm.name) + " ranks=" + std::to_string(call.rank_count) +
                           " bytes=" + std::to_string(call.bytes.value) + " seed=" + std::to_string(seed);
  Setting setting{.machine = {}, .topology = topology, .seed = seed};
  expect_end(schedules, setting, name);
  Random random(seed);
  setting.machine = random_machine(random);
  setting.machine.adapter_per_node = random.chance(50);
  if (random.chance(30))
    for (auto& link : setting.machine.links) link.eager = Bytes(static_cast<std::int64_t>(random.below(300)));
  setting.skew = some_ns(random, 20000);
  expect_end(schedules, setting, name);
}

using simulator::Part;
using simulator::ScriptStep;
using simulator::ScriptTask;

ScriptTask work(Time time, std::uint8_t errand = 0) {
  ScriptTask task;
  task.kind = TaskKind::kCopy;
  task.work = time;
  task.errand = errand;
  return task;
}
ScriptTask step(TaskKind kind, std::uint8_t lines, std::int32_t number, std::uint8_t errand = 0) {
  ScriptTask task;
  task.kind = kind;
  task.lines = lines;
  task.peer = number;
  task.errand = errand;
  return task;
}

constexpr Time kLine{70'000};

std::vector<Time> finish_of(const std::vector<Part>& parts) {
  Setting setting;
  for (auto& memory : setting.machine.memory) memory.line = kLine;
  std::vector<Scripts> operations;
  operations.emplace_back(static_cast<int>(parts.size()),
                          [&](int rank) { return parts[static_cast<std::size_t>(rank)]; });
  const Outcome outcome = simulate(setting, one_operation(), operations);
  EXPECT_EQ(outcome.problem, "");
  return outcome.finished;
}

std::vector<Time> some_arrivals(Random& random, std::size_t members) {
  std::vector<Time> arrivals;
  for (std::size_t m = 0; m < members; ++m) arrivals.push_back(Time(1) + some_ns(random, 300));
  return arrivals;
}

TEST(SimulatedSteps, are_over_when_a_rank_sees_all_for_whom_it_waits) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 500; ++seed) {
    Random random(seed);
    const std::size_t members = 1 + random.below(9);
    const TaskKind kind = std::array{TaskKind::kExchange, TaskKind::kDeliver, TaskKind::kPrefix,
                                     TaskKind::kFanIn, TaskKind::kFanOut}[seed % 5];
    const std::vector<Time> arrivals = some_arrivals(random, members);
    const std::size_t leader = random.below(members);
    std::vector<Part> parts(members);
    std::vector<Time> wanted = arrivals;
    for (std::size_t m = 0; m < members; ++m) {
      ScriptStep own{.leader = static_cast<std::int32_t>(has_leader(kind) ? leader : 0),
                     .place = static_cast<std::int32_t>(m)};
      for (std::size_t other = 0; other < members; ++other) {
        own.members.push_back(static_cast<std::int32_t>(other));
        bool waits = kind == TaskKind::kExchange || (kind == TaskKind::kFanIn && m == leader) ||
                     (kind == TaskKind::kFanOut && other == leader);
        if (waits_for_some(kind)) {
          waits = kind == TaskKind::kPrefix ? other < m : random.chance(40);
          own.waits_for.push_back(waits);
        }
        if (waits && other != m) wanted[m] = std::max(wanted[m], arrivals[other] + kLine);
      }
      parts[m] = {.tasks = {work(arrivals[m]), step(kind, 1, 0)}, .steps = {own}, .edges = {{0, 1}}};
    }
    ASSERT_EQ(finish_of(parts), wanted) << "seed " << seed;
  }
}

// Who waits for nobody is ahead by as many operations as it likes.
TEST(SimulatedSteps, of_an_operation_are_not_those_of_the_next_one) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 100; ++seed) {
    Random random(seed);
    const std::vector<Time> works = some_arrivals(random, 2);
    std::vector<Scripts> operations;
    operations.emplace_back(2, [&](int rank) {
      return Part{.tasks = {work(works[static_cast<std::size_t>(rank)]), step(TaskKind::kFanIn, 1, 0)},
                  .steps = {{.members = {0, 1}, .leader = 0, .place = rank}},
                  .edges = {{0, 1}}};
    });
    Setting setting;
    setting.machine.memory.fill({.line = kLine, .copy_per_byte = {}, .reduce_per_byte = {}});
    constexpr int kTimes = 6;
    const Outcome outcome =
        simulate(setting, {.steps = {start(), wait_for()}, .repetitions = kTimes}, operations);
    EXPECT_EQ(outcome.problem, "");
    Time leader;
    for (int i = 1; i <= kTimes; ++i) leader = std::max(leader + works[0], works[1] * i + kLine);
    EXPECT_EQ(outcome.finished, (std::vector<Time>{leader, works[1] * kTimes})) << "seed " << seed;
  }
}

// Whoever comes last, when it has seen the others, works for all, and opens the next step.
TEST(SimulatedSteps, that_nobody_leads_are_gone_on_with_by_the_last_who_opens_for_all) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 300; ++seed) {
    Random random(seed);
    const std::size_t members = 1 + random.below(9);
    const std::vector<Time> arrivals = some_arrivals(random, members);
    const Time errand = Time(1) + some_ns(random, 100);
    std::vector<std::int32_t> all;
    for (std::size_t m = 0; m < members; ++m) all.push_back(static_cast<std::int32_t>(m));
    std::vector<Part> parts;
    for (std::size_t m = 0; m < members; ++m) {
      const ScriptStep own{.members = all, .place = static_cast<std::int32_t>(m)};
      parts.push_back({.tasks = {work(arrivals[m]), step(TaskKind::kFanIn, 1, 0), work(errand, 1),
                                 step(TaskKind::kFanOut, 2, 1, 1), step(TaskKind::kFanOut, 2, 1)},
                       .steps = {own, own},
                       .edges = {{0, 1}, {1, 2}, {2, 3}, {1, 4}}});
    }
    std::vector<Time> sorted = arrivals;
    std::sort(sorted.begin(), sorted.end());
    const Time seen = members == 1 ? sorted[0] : std::max(sorted[members - 1], sorted[members - 2] + kLine);
    std::vector<Time> wanted(members, seen + errand + kLine);
    const auto last = std::max_element(arrivals.begin(), arrivals.end()) - arrivals.begin();
    wanted[static_cast<std::size_t>(last)] -= kLine;
    ASSERT_EQ(finish_of(parts), wanted) << "seed " << seed;
  }
}

class Simulated : public testing::TestWithParam<const Algorithm*> {};

TEST_P(Simulated, every_algorithm_comes_to_its_end_with_all_tasks_done) {
  const Algorithm& algorithm = *GetParam();
  std::uint64_t seed = base_seed();
  for (int ranks = 1; ranks <= 17; ++ranks)
    for (int turn = 0; turn < 4; ++turn) {
      const Call call = some_call(algorithm.collective, ranks, ++seed);
      if (!algorithm.eligible(call)) continue;
      const Topology node = *Topology::parse("node:1 core:17");
      expect_ends(algorithm, call, some_parameters(seed), algorithm.within_node ? &node : nullptr, seed);
      ASSERT_FALSE(HasFailure());
    }
}

TEST_P(Simulated, every_hierarchy_comes_to_its_end_with_all_tasks_done) {
  const Algorithm& algorithm = *GetParam();
  if (!algorithm.follows_hierarchy) return;
  std::uint64_t seed = base_seed();
  for (const Shape& shape : shapes())
    for (const char* depth : shape.depths) {
      const Topology whole = *Topology::parse(shape.topology);
      for (int ranks = 1; ranks <= std::min(17, whole.leaf_count()); ++ranks) {
        const Topology topology = *whole.with_ranks(ranks);
        const Hierarchy hierarchy = *Hierarchy::make(topology, depth);
        const Call call = some_call(algorithm.collective, ranks, ++seed);
        if (!algorithm.eligible(call)) continue;
        Parameters parameters = some_parameters(seed);
        parameters.hierarchy = &hierarchy;
        expect_ends(algorithm, call, parameters, &topology, seed);
        ASSERT_FALSE(HasFailure()) << shape.topology << " " << depth;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Catalog, Simulated, testing::ValuesIn(all_algorithms()),
                         [](const testing::TestParamInfo<const Algorithm*>& info) {
                           return std::string(name_of(info.param->collective)) + "_" +
                                  std::string(info.param->name);
                         });

}  // namespace
}  // namespace weft::tests
