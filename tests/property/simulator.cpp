// SPDX-License-Identifier: BSD-3-Clause
// The simulator's parts and its laws: its queue and its noise do what the plainest ones do, machines survive
// being written, what is slower ends no sooner, the same seed gives the same run, and what can never end is
// named.
#include <algorithm>

#include "executor/simulator/distance.hpp"
#include "executor/simulator/event_queue.hpp"
#include "support/case.hpp"
#include "support/simulated.hpp"

namespace weft::tests {
namespace {

using simulator::Event;
using simulator::EventQueue;
using simulator::Interruption;
using simulator::Noise;
using simulator::Part;
using simulator::ScriptTask;

TEST(EventQueue, gives_events_by_time_and_of_one_time_in_the_order_in_which_they_came) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 200; ++seed) {
    Random random(seed);
    const std::uint64_t spread = std::uint64_t{1} << random.below(40);
    std::map<std::pair<Time, std::uint32_t>, bool> reference;
    EventQueue queue;
    Time now;
    std::uint32_t next = 0;
    for (int i = 0; i < 2000; ++i) {
      if (reference.empty() || random.chance(i < 1500 ? 55 : 20)) {
        const Time at = now + Time(static_cast<std::int64_t>(random.chance(30) ? 0 : random.below(spread)));
        queue.push({.at = at, .rank = next});
        reference[{at, next++}] = true;
      } else {
        const Event event = queue.pop();
        ASSERT_EQ(std::pair(event.at, event.rank), reference.begin()->first) << "seed " << seed;
        reference.erase(reference.begin());
        now = event.at;
      }
      ASSERT_EQ(queue.empty(), reference.empty());
    }
  }
}

// Step by step.
Time end_step_by_step(const std::vector<bool>& is_interrupted, std::int64_t phase, std::int64_t begin,
                      std::int64_t work) {
  const auto length = static_cast<std::int64_t>(is_interrupted.size());
  std::int64_t at = begin;
  for (; work > 0; ++at)
    if (!is_interrupted[static_cast<std::size_t>((at + phase) % length)]) --work;
  return Time(at);
}

// The phase is the noise's own affair; there is one that explains everything.
TEST(Noise, is_what_a_processor_loses_step_by_step) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 300; ++seed) {
    Random random(seed);
    const auto length = static_cast<std::int64_t>(2 + random.below(40));
    std::vector<bool> is_interrupted(static_cast<std::size_t>(length), false);
    std::vector<Interruption> trace;
    for (std::int64_t at = 0; at < length - 1;) {
      const std::int64_t duration =
          std::min<std::int64_t>(static_cast<std::int64_t>(1 + random.below(4)), length - 1 - at);
      if (random.chance(40)) {
        trace.push_back({Time(at), Time(duration)});
        std::fill_n(is_interrupted.begin() + at, duration, true);
      }
      at += duration;
    }
    if (trace.empty()) continue;
    const bool is_regular = random.chance(20);
    if (is_regular) {
      trace.resize(1);
      trace[0].begin = Time(0);
      std::fill(is_interrupted.begin(), is_interrupted.end(), false);
      std::fill_n(is_interrupted.begin(), trace[0].duration.value, true);
    }
    const Noise noise = is_regular ? Noise::regular(Time(length), trace[0].duration, seed)
                                   : Noise::traced(trace, Time(length), seed);
    for (const int rank : {0, 1, 77}) {
      const auto is_explained_by = [&](std::int64_t phase) {
        for (std::int64_t begin = 0; begin < 2 * length; ++begin)
          for (std::int64_t work = 0; work < 3 * length; work += work < 5 ? 1 : 7)
            if (noise.end_of(rank, Time(begin), Time(work)) !=
                end_step_by_step(is_interrupted, phase, begin, work))
              return false;
        return true;
      };
      std::int64_t phase = 0;
      while (phase < length && !is_explained_by(phase)) ++phase;
      ASSERT_LT(phase, length) << "seed " << seed;
    }
  }
}

TEST(Noise, comes_to_each_rank_at_times_of_its_own) {
  const Noise noise = Noise::regular(Time(1'000'000), Time(1000), 3);
  std::map<Time, int> ends;
  for (int rank = 0; rank < 100; ++rank) ++ends[noise.end_of(rank, Time(0), Time(300'000))];
  EXPECT_GT(ends[Time(301'000)], 10);
  EXPECT_GT(ends[Time(300'000)], 50);
}

TEST(Distances, are_those_of_the_topology) {
  for (const char* text : {"node:4 socket:2 core:2", "node:2 core:5,3", "network:2 node:2 core:4", "core:6",
                           "node:3 socket:1,2,1 core:3,1,2,4", "device:3 node:2,1,1 core:2"}) {
    const Topology topology = *Topology::parse(text);
    const simulator::Distance distance(&topology, true);
    for (int a = 0; a < topology.leaf_count(); ++a) {
      for (int b = 0; b < topology.leaf_count(); ++b)
        EXPECT_EQ(distance.nearest(a, b), topology.nearest(Rank(a), Rank(b))) << text;
      for (const auto& node : topology.groups(Level::kNode)) {
        const bool is_in = std::find(node.begin(), node.end(), Rank(a)) != node.end();
        const int first = topology.root() == Level::kNetwork ? node.front().value : a;
        if (is_in) {
          EXPECT_EQ(distance.adapter_of(static_cast<std::uint32_t>(a)), static_cast<std::uint32_t>(first));
        }
      }
    }
  }
}

TEST(Machines, are_the_same_once_they_are_written_and_read) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 300; ++seed) {
    Random random(seed);
    Machine one = random_machine(random);
    for (std::size_t level = 1; level < kLevels.size(); ++level)
      if (random.chance(60)) {
        one.links[level] = one.links[level - 1];
        one.memory[level] = one.memory[level - 1];
      }
    if (random.chance(50))
      one.links[random.below(8)].eager = Bytes(static_cast<std::int64_t>(random.below(1 << 20)));
    one.adapter_per_node = random.chance(50);
    const auto other = Machine::parse(one.text());
    ASSERT_TRUE(other) << other.error();
    EXPECT_EQ(*other, one) << one.text();
  }
  EXPECT_EQ(machine("loggops:L=2500,G=0.04,S=64K;node:L=300").text(),
            "loggops:L=2500,G=0.04,S=65536;node:L=300");
  EXPECT_EQ(machine("loggops:S=1M;node:S=4;socket:S=8").eager(), Bytes(4));
}

TEST(Machines, say_what_is_wrong_with_their_text) {
  const std::vector<std::pair<std::string, std::string>> all{
      {"logp:L=1", "use loggops:L=…,o=…,g=…,G=…, or the name of a machine file"},
      {"loggops:L", "use KEY=VALUE, as in L=2500"},
      {"loggops:L=1,", "use KEY=VALUE, as in L=2500"},
      {"loggops:L=x", "use a number of ns from 0 to 1e9, as in L=2500 or G=0.04"},
      {"loggops:L=-1", "use a number of ns from 0 to 1e9, as in L=2500 or G=0.04"},
      {"loggops:L=2e9", "use a number of ns from 0 to 1e9, as in L=2500 or G=0.04"},
      {"loggops:L=nan", "use a number of ns from 0 to 1e9, as in L=2500 or G=0.04"},
      {"loggops:S=1.5", "use a number of bytes up to 2^40, as in S=65535 or S=64K"},
      {"loggops:S=1G", "use a number of bytes up to 2^40, as in S=65535 or S=64K"},
      {"loggops:S=1048577M", "use a number of bytes up to 2^40, as in S=65535 or S=64K"},
      {"loggops:S=-1", "use a number of bytes up to 2^40, as in S=65535 or S=64K"},
      {"loggops:nic=board", "use nic=node or nic=rank"},
      {"loggops:L=1;node:nic=node", "this is of the whole machine: write it before the first level"},
      {"loggops:L=1;node:wake=1", "this is of the whole machine: write it before the first level"},
      {"loggops:q=1", "there is no such parameter; there are S, nic, L, o, g, G, O, l, c, gamma, wake"},
      {"loggops:L=1;board:o=1", "use a level and its parameters, as in node:L=300,o=100"},
      {"loggops:L=1;node", "use a level and its parameters, as in node:L=300,o=100"},
      {"loggops:L=1;network:o=1", "use a level and its parameters, as in node:L=300,o=100"},
      {"loggops:L=1;node:o=1;node:L=2", "this level is there twice: write its parameters into one part"}};
  for (const auto& [text, why] : all) {
    const auto parsed = Machine::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().find(" in a machine: " + why), std::string::npos)
        << text << ": " << parsed.error();
  }
}

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
            "1 of 2 ranks never end; rank 1 waits in its task 0 for a message 7 from rank 0");
  EXPECT_EQ(
      problem_of({{.tasks = {sends(1, 3)}, .steps = {}, .edges = {}},
                  {.tasks = {receives(0, 4)}, .steps = {}, .edges = {}}}),
      "rank 0 sends message 3 to rank 1, which expects none; 1 of 2 ranks never end; rank 1 waits in its "
      "task 0 for a message 4 from rank 0");
  const auto after = [](std::uint32_t a, std::uint32_t b) { return std::pair(a, b); };
  // Each receives first,
  EXPECT_EQ(
      problem_of({{.tasks = {receives(1, 0), sends(1, 0)}, .steps = {}, .edges = {after(0, 1)}},
                  {.tasks = {receives(0, 0), sends(0, 0)}, .steps = {}, .edges = {after(0, 1)}}}),
      "2 of 2 ranks never end; rank 0 waits in its task 0 for a message 0 from rank 1; rank 1 waits in its "
      "task 0 for a message 0 from rank 0");
  // or sends what is too long to go before the other receives.
  EXPECT_EQ(
      problem_of({{.tasks = {sends(1, 0, 101), receives(1, 0, 101)}, .steps = {}, .edges = {after(0, 1)}},
                  {.tasks = {sends(0, 0, 101), receives(0, 0, 101)}, .steps = {}, .edges = {after(0, 1)}}}),
      "2 of 2 ranks never end; rank 0 waits in its task 0 for rank 1 to take message 0; rank 1 waits in its "
      "task 0 for rank 0 to take message 0");
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
