// SPDX-License-Identifier: BSD-3-Clause
// The simulator's parts and its laws: its queue and its noise do what the plainest ones do, machines survive
// being written, what is slower ends no sooner, the same seed gives the same run, and what can never end is
// named.
#include <algorithm>

#include "support/case.hpp"
#include "support/simulated.hpp"

namespace weft::tests {
namespace {

using simulator::Noise;
using simulator::Part;
using simulator::ScriptTask;

std::vector<const Algorithm*> some_algorithms() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : catalog())
    if (!algorithm.within_node && !algorithm.follows_hierarchy) all.push_back(&algorithm);
  return all;
}

// Schedules of a random call by a random algorithm that sends messages.
std::vector<Schedule> some_schedules(Random& random, int most_ranks) {
  for (;;) {
    const auto algorithms = some_algorithms();
    const Algorithm& algorithm = *algorithms[random.below(algorithms.size())];
    const int ranks = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(most_ranks)));
    const Call call{.collective = algorithm.collective,
                    .rank_count = ranks,
                    .bytes = algorithm.collective == Collective::kBarrier
                                 ? Bytes(0)
                                 : Bytes(8 * static_cast<std::int64_t>(1 + random.below(100))),
                    .element_bytes = Bytes(is_reduction(algorithm.collective) ? 8 : 1),
                    .commutative = true};
    if (!algorithm.eligible(call)) continue;
    return schedules_of(algorithm.collective, algorithm.name, call,
                        {.radix = 2 + static_cast<int>(random.below(3)), .fragment = Bytes(256)});
  }
}

Outcome run(const std::vector<Schedule>& schedules, const Setting& setting,
            simulator::Observer* observer = nullptr, const Program& program = one_operation()) {
  std::vector<Scripts> operations;
  operations.push_back(scripts_of(schedules, setting.machine));
  return simulate(setting, program, operations, observer);
}

TEST(Simulator, every_message_that_is_sent_is_received_once) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 300; ++seed) {
    Random random(seed);
    const auto schedules = some_schedules(random, 20);
    Setting setting{.machine = random_machine(random), .seed = seed};
    if (random.chance(50))
      setting.machine.links[0].eager = Bytes(static_cast<std::int64_t>(random.below(500)));
    setting.skew = some_ns(random, 10000);
    const auto repetitions = static_cast<std::int64_t>(1 + random.below(3));
    Journal journal;
    const Outcome outcome =
        run(schedules, setting, &journal, {.steps = {start(), wait_for()}, .repetitions = repetitions});
    ASSERT_EQ(outcome.problem, "") << "seed " << seed;
    ASSERT_EQ(counts_trouble(schedules, counts_of(journal), static_cast<int>(repetitions)), "")
        << "seed " << seed;
    std::uint64_t messages = 0, bytes = 0;
    for (const Schedule& schedule : schedules) {
      messages += sent_messages(schedule);
      bytes += static_cast<std::uint64_t>(sent_bytes(schedule).value);
    }
    EXPECT_EQ(outcome.messages, messages * static_cast<std::uint64_t>(repetitions));
    EXPECT_EQ(outcome.bytes, bytes * static_cast<std::uint64_t>(repetitions));
    EXPECT_EQ(outcome.tasks, journal.entries.size());
    // A processor does one thing at a time.
    std::map<int, Time> until;
    std::stable_sort(journal.entries.begin(), journal.entries.end(),
                     [](const auto& a, const auto& b) { return a.begin < b.begin; });
    for (const auto& entry : journal.entries) {
      EXPECT_LE(until[entry.rank], entry.begin) << "seed " << seed;
      until[entry.rank] = std::max(until[entry.rank], entry.end);
    }
  }
}

// What costs more.
struct Worse {
  const char* name;
  void (*make)(Setting&, Time);
};
constexpr std::array kWorse = {
    Worse{"L", [](Setting& s, Time more) { s.machine.links[0].latency += more; }},
    Worse{"o", [](Setting& s, Time more) { s.machine.links[0].overhead += more; }},
    Worse{"g", [](Setting& s, Time more) { s.machine.links[0].gap += more; }},
    Worse{"G", [](Setting& s, Time more) { s.machine.links[0].per_byte += Time(more.value / 100); }},
    Worse{"O", [](Setting& s, Time more) { s.machine.links[0].overhead_per_byte += Time(more.value / 100); }},
    Worse{"forward", [](Setting& s, Time more) { s.machine.forward += more; }},
    Worse{"forward_wake", [](Setting& s, Time more) { s.machine.forward_wake += more; }},
    Worse{"forward_byte",
          [](Setting& s, Time more) { s.machine.forward_per_byte += Time(more.value / 100); }},
    Worse{"noise", [](Setting& s, Time more) {
            s.noise = Noise::regular(Time(5'000'000), Time(100'000) + Time(more.value / 10), s.seed);
          }}};

// Whether the run ends sooner on a machine that is worse in something.
bool is_anomaly(const std::vector<Schedule>& schedules, Random& random, std::uint64_t seed) {
  Setting setting{.machine = random_machine(random), .seed = seed};
  const Worse& worse = kWorse[seed % kWorse.size()];
  worse.make(setting, Time(0));
  const Time before = run(schedules, setting).finish;
  worse.make(setting, some_ns(random, 3000));
  return run(schedules, setting).finish < before;
}

// Where all that comes to a rank comes from one other, in one order, so that there is nothing to choose.
TEST(Simulator, what_is_slower_ends_no_sooner) {
  const std::vector<std::pair<Collective, const char*>> all{
      {Collective::kBcast, "k_nomial"}, {Collective::kBcast, "n_ary_tree"},
      {Collective::kBcast, "chain"},    {Collective::kAllgather, "ring"},
      {Collective::kScatter, "linear"}, {Collective::kScatter, "k_nomial"},
      {Collective::kBcast, "pipeline"}, {Collective::kScan, "chain"}};
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 400; ++seed) {
    Random random(seed);
    const auto& [collective, name] = all[random.below(all.size())];
    const Call call{.collective = collective,
                    .rank_count = 1 + static_cast<int>(random.below(24)),
                    .bytes = Bytes(8 * static_cast<std::int64_t>(1 + random.below(100))),
                    .element_bytes = Bytes(8),
                    .commutative = true};
    const auto schedules = schedules_of(
        collective, name, call, {.radix = 2 + static_cast<int>(random.below(3)), .fragment = Bytes(256)});
    EXPECT_FALSE(is_anomaly(schedules, random, seed)) << name << " seed " << seed;
  }
}

// Else somebody may take in first what others do not wait for, or no longer do so: R. L. Graham's anomalies
// (1969), which every machine has that takes things in the order in which they come.
TEST(Simulator, what_is_slower_seldom_ends_sooner) {
  int anomalies = 0;
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 400; ++seed) {
    Random random(seed);
    const auto schedules = some_schedules(random, 24);
    anomalies += is_anomaly(schedules, random, seed);
  }
  EXPECT_LE(anomalies, 8);
}

TEST(Simulator, the_same_seed_gives_the_same_run_and_another_seed_another) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 30; ++seed) {
    Random random(seed);
    const auto schedules = some_schedules(random, 20);
    if (schedules.size() < 3) continue;
    Setting setting{.machine = random_machine(random), .seed = seed};
    for (const int what : {0, 1, 2}) {
      setting.noise = what == 0 ? Noise::regular(Time(700'000), Time(200'000), setting.seed) : Noise();
      setting.skew = what == 1 ? Time(5'000'000) : Time(0);
      setting.slowest = what == 2 ? 1.5 : 1.0;
      const Program program{.steps = {compute(Time(900'000)), start(), wait_for()}, .repetitions = 3};
      const Outcome one = run(schedules, setting, nullptr, program);
      EXPECT_EQ(run(schedules, setting, nullptr, program).finished, one.finished);
      setting.seed += 100;
      if (what == 0) setting.noise = Noise::regular(Time(700'000), Time(200'000), setting.seed);
      EXPECT_NE(run(schedules, setting, nullptr, program).finished, one.finished) << what << " seed " << seed;
      setting.seed -= 100;
    }
  }
}

TEST(Simulator, ranks_begin_and_compute_as_each_is_told) {
  const Call call{.collective = Collective::kBarrier, .rank_count = 5};
  const auto schedules = schedules_of(call.collective, "dissemination", call, {});
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 30; ++seed) {
    Random random(seed);
    Setting setting{.machine = random_machine(random), .seed = seed};
    for (int rank = 0; rank < call.rank_count; ++rank) {
      setting.begins.push_back(some_ns(random, 9000));
      setting.slow_down.push_back(static_cast<double>(random.below(5)));
    }
    const Program program{.steps = {compute(Time(900'000)), start(), wait_for()}, .repetitions = 2};
    const Outcome outcome = run(schedules, setting, nullptr, program);
    EXPECT_EQ(outcome.begun, setting.begins);
    for (std::size_t rank = 0; rank < 5; ++rank)
      EXPECT_EQ(outcome.computed[rank].value, 2 * 900'000 * std::llround(setting.slow_down[rank]));
  }
}

TEST(Simulator, tells_how_many_tasks_are_done_meanwhile) {
  const Call call{.collective = Collective::kAlltoall, .rank_count = 300, .bytes = Bytes(8)};
  std::vector<std::uint64_t> told;
  Setting setting{.machine = machine("loggops:L=1000,o=100,g=50")};
  setting.progress = [&](std::uint64_t tasks) { told.push_back(tasks); };
  const Outcome outcome = run(schedules_of(call.collective, "pairwise", call, {}), setting);
  EXPECT_GE(told.size(), 2u);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_LE(told.back(), outcome.tasks);
}

TEST(Simulator, ranks_whose_parts_are_alike_share_a_script_that_serves_again_and_again) {
  const auto scripts_and_finish = [](Collective collective, const char* name, int ranks) {
    const Call call{.collective = collective,
                    .rank_count = ranks,
                    .bytes = Bytes(collective == Collective::kBarrier ? 0 : 8),
                    .element_bytes = Bytes(8)};
    const Setting setting{.machine = machine("loggops:L=1000,o=100,g=50")};
    std::vector<Scripts> operations;
    operations.push_back(scripts_of(schedules_of(collective, name, call, {}), setting.machine));
    const Outcome one = simulate(setting, one_operation(), operations);
    EXPECT_EQ(simulate(setting, one_operation(), operations).finished, one.finished);
    return std::pair(one.scripts, one.finish);
  };
  using Pair = std::pair<std::size_t, Time>;
  EXPECT_EQ(scripts_and_finish(Collective::kBarrier, "dissemination", 1000),
            Pair(1, simulator::from_ns(12'000)));
  EXPECT_EQ(scripts_and_finish(Collective::kBarrier, "recursive_k_ing", 1024),
            Pair(1, simulator::from_ns(12'000)));
  EXPECT_EQ(scripts_and_finish(Collective::kAllgather, "ring", 100).first, 1u);
  EXPECT_EQ(scripts_and_finish(Collective::kAlltoall, "pairwise", 100).first, 1u);
  EXPECT_LE(scripts_and_finish(Collective::kBcast, "k_nomial", 1024).first, 20u);
}

ScriptTask message(TaskKind kind, int peer, std::uint32_t label, std::int64_t bytes = 8) {
  ScriptTask task;
  task.kind = kind;
  task.peer = peer;
  task.label = label;
  task.size = Bytes(bytes);
  return task;
}

std::string problem_of(std::vector<Part> parts, const Program& program = one_operation()) {
  const int ranks = static_cast<int>(parts.size());
  std::vector<Scripts> operations;
  operations.emplace_back(ranks, [parts](int rank) { return parts[static_cast<std::size_t>(rank)]; });
  return simulate({.machine = machine("loggops:L=10,o=1,S=100")}, program, operations).problem;
}

TEST(Simulator, what_can_never_end_is_named) {
  const auto sends = [](int peer, std::uint32_t label, std::int64_t bytes = 8) {
    return message(TaskKind::kSend, peer, label, bytes);
  };
  const auto receives = [](int peer, std::uint32_t label, std::int64_t bytes = 8) {
    return message(TaskKind::kRecv, peer, label, bytes);
  };
  EXPECT_EQ(problem_of({{.tasks = {sends(1, 3)}, .steps = {}, .edges = {}},
                        {.tasks = {receives(0, 3)}, .steps = {}, .edges = {}}}),
            "");
  EXPECT_EQ(problem_of({{.tasks = {sends(1, 3)}, .steps = {}, .edges = {}}, {}}),
            "rank 0 sends message 3 to rank 1, which expects none");
  EXPECT_EQ(problem_of({{}, {.tasks = {receives(0, 7)}, .steps = {}, .edges = {}}}),
            "1 of 2 ranks never end; rank 1 waits in its task 0 for message 7 from rank 0");
  EXPECT_EQ(
      problem_of({{.tasks = {sends(1, 3)}, .steps = {}, .edges = {}},
                  {.tasks = {receives(0, 4)}, .steps = {}, .edges = {}}}),
      "rank 0 sends message 3 to rank 1, which expects none; 1 of 2 ranks never end; rank 1 waits in its "
      "task 0 for message 4 from rank 0");
  const auto after = [](std::uint32_t a, std::uint32_t b) { return std::pair(a, b); };
  // Each receives first,
  EXPECT_EQ(
      problem_of({{.tasks = {receives(1, 0), sends(1, 0)}, .steps = {}, .edges = {after(0, 1)}},
                  {.tasks = {receives(0, 0), sends(0, 0)}, .steps = {}, .edges = {after(0, 1)}}}),
      "2 of 2 ranks never end; rank 0 waits in its task 0 for message 0 from rank 1; rank 1 waits in its "
      "task 0 for message 0 from rank 0");
  // or sends what is too long to go before the other receives.
  EXPECT_EQ(
      problem_of({{.tasks = {sends(1, 0, 101), receives(1, 0, 101)}, .steps = {}, .edges = {after(0, 1)}},
                  {.tasks = {sends(0, 0, 101), receives(0, 0, 101)}, .steps = {}, .edges = {after(0, 1)}}}),
      "2 of 2 ranks never end; rank 0 waits in its task 0 for rank 1 to take message 0; rank 1 waits in its "
      "task 0 for rank 0 to take message 0");
}

// The second has no place until the first is there.
TEST(Simulator, a_long_message_that_is_early_is_answered_once) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 30; ++seed) {
    const std::vector<Part> parts{
        {.tasks = {message(TaskKind::kSend, 1, 0), message(TaskKind::kSend, 1, 1, 200)},
         .steps = {},
         .edges = {}},
        {.tasks = {message(TaskKind::kRecv, 0, 0), message(TaskKind::kRecv, 0, 1, 200)},
         .steps = {},
         .edges = {{0, 1}}}};
    std::vector<Scripts> operations;
    operations.emplace_back(2, [&](int rank) { return parts[static_cast<std::size_t>(rank)]; });
    const Setting setting{
        .machine = machine("loggops:L=10,o=1,S=100"), .skew = Time(1'000'000), .seed = seed};
    const Outcome outcome = simulate(setting, one_operation(), operations);
    EXPECT_EQ(outcome.problem, "");
    EXPECT_EQ(outcome.tasks, 4u);
    EXPECT_EQ(outcome.messages, 2u);
  }
}

TEST(Simulator, a_step_to_which_somebody_never_comes_is_named) {
  ScriptTask step;
  step.kind = TaskKind::kExchange;
  step.lines = 1;
  const auto member = [&](int place) {
    return Part{.tasks = {step}, .steps = {{.members = {0, 1, 2}, .place = place}}, .edges = {}};
  };
  EXPECT_EQ(problem_of({member(0), member(1), member(2)}), "");
  EXPECT_EQ(problem_of({member(0), {}, member(2)}),
            "2 of 3 ranks never end; rank 0 waits in its task 0 for ranks 1; rank 2 waits in its task 0 for "
            "ranks 1");
}

TEST(Simulator, a_program_that_makes_no_sense_is_refused) {
  const auto problem = [](std::vector<simulator::Step> steps, std::int64_t repetitions = 1) {
    return problem_of({{}, {}}, {.steps = std::move(steps), .repetitions = repetitions});
  };
  EXPECT_EQ(problem({}), "the program has no steps");
  EXPECT_EQ(problem({start(), wait_for()}, 0), "0 repetitions: use 1 to 8388607");
  EXPECT_EQ(problem({start(), wait_for(), start(), wait_for()}, 8388607),
            "8388607 repetitions: use 1 to 4194303");
  EXPECT_EQ(problem({start(1), wait_for(1)}), "step 0 names operation 1, and there are 1");
  EXPECT_EQ(problem({start(), start()}), "step 1 starts operation 0, which is under way");
  EXPECT_EQ(problem({wait_for()}), "step 0 waits for operation 0, which is not under way");
  EXPECT_EQ(problem({start()}), "operation 0 is started and not waited for");
  EXPECT_EQ(problem({start(), compute(Time(5)), wait_for()}, 1000), "");
}

// More than a task may wait for at a time, which are joined in parts.
TEST(Simulator, a_task_may_wait_for_any_number_of_others) {
  constexpr std::uint32_t kMany = 40'000;
  Part root, other;
  for (std::uint32_t label = 0; label < kMany; ++label) {
    root.tasks.push_back(message(TaskKind::kRecv, 1, label));
    root.edges.emplace_back(label, kMany);
    other.tasks.push_back(message(TaskKind::kSend, 0, label));
  }
  root.tasks.push_back(message(TaskKind::kSend, 1, 0));
  other.tasks.push_back(message(TaskKind::kRecv, 0, 0));
  std::vector<Scripts> operations;
  operations.emplace_back(2, [&](int rank) { return rank == 0 ? root : other; });
  const Outcome outcome = simulate({.machine = machine("loggops:L=10,o=1")}, one_operation(), operations);
  EXPECT_EQ(outcome.problem, "");
  EXPECT_EQ(outcome.finish, simulator::from_ns(kMany + 10 + 1 + 1 + 10 + 1));
}

}  // namespace
}  // namespace weft::tests
