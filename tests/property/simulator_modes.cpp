// SPDX-License-Identifier: BSD-3-Clause
// Who moves an operation while its rank computes, in the simulator: formulas for two and four ranks, where
// little happens, and the same laws for all.
//
// Below, s is the time of the starting call, o of a message on a processor, D = g + b G on an adapter, x of
// what a rank computes, t that of a test, and A when the other's message is there.
#include "support/case.hpp"
#include "support/simulated.hpp"
#include "support/task_lists.hpp"

namespace weft::tests {
namespace {

using simulator::Noise;
using simulator::Part;
using simulator::ScriptTask;

constexpr Bytes kSignal{8};

struct SignalCosts {
  Time s, o, d, latency, bytes;

  explicit SignalCosts(const Machine& machine) {
    const simulator::Link& link = machine.link(Level::kNetwork);
    s = machine.start;
    o = link.overhead + link.overhead_per_byte * (kSignal.value - 1);
    bytes = link.per_byte * (kSignal.value - 1);
    d = link.gap + bytes;
    latency = link.latency;
  }
};

std::vector<Schedule> barrier(int ranks) {
  return schedules_of(Collective::kBarrier, "dissemination",
                      {.collective = Collective::kBarrier, .rank_count = ranks}, {});
}

Outcome run(const std::vector<std::vector<Schedule>>& operations, Setting setting, const Program& program,
            simulator::Observer* observer = nullptr) {
  std::vector<Scripts> all;
  for (const auto& schedules : operations) all.push_back(scripts_of(schedules, setting.machine));
  setting.signal_bytes = kSignal;
  Outcome outcome = simulate(setting, program, all, observer);
  EXPECT_EQ(outcome.problem, "");
  return outcome;
}

Program overlapped(Time computation) {
  return {.steps = {start(), compute(computation), wait_for()}, .repetitions = 1};
}

TEST(Modes, a_host_that_does_not_test_moves_nothing_while_it_computes) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 100; ++seed) {
    Random random(seed);
    const Setting setting{.machine = random_machine(random)};
    const SignalCosts l(setting.machine);
    const Time x = some_ns(random, 8000);
    const Time arrival = l.s + l.o + l.latency + l.bytes;
    const Time wanted = std::max(arrival, l.s + l.o + x) + l.o;
    EXPECT_EQ(run({barrier(2)}, setting, overlapped(x)).finish, wanted);
    // Four ranks: nobody sends for the second round before it has computed.
    const Time second = wanted + l.o;
    const Time leaves = std::max(second, l.s + l.o + l.d);
    EXPECT_EQ(run({barrier(4)}, setting, overlapped(x)).finish, leaves + l.latency + l.bytes + l.o);
  }
}

TEST(Modes, a_host_that_tests_takes_in_what_has_come_at_the_next_test) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 300; ++seed) {
    Random random(seed);
    Setting setting{.machine = random_machine(random)};
    setting.test_every = Time(1000) + some_ns(random, 2000);
    const SignalCosts l(setting.machine);
    const Time x = some_ns(random, 20000), from = l.s + l.o, arrival = from + l.latency + l.bytes;
    const Time period = setting.test_every + setting.machine.test;
    const std::int64_t tests = x / setting.test_every;
    const Time end = from + x + setting.machine.test * tests;
    const std::int64_t test = std::max<std::int64_t>((arrival - from + period - Time(1)) / period, 1);
    const Time wanted = test <= tests ? end + l.o : std::max(end, arrival) + l.o;
    const Outcome outcome = run({barrier(2)}, setting, overlapped(x));
    EXPECT_EQ(outcome.finish, wanted) << "seed " << seed;
    EXPECT_EQ(outcome.computed[0], test <= tests ? end + l.o - from : end - from);
    // With noise all of that is work of the processor.
    if (test > tests) continue;
    setting.noise = Noise::regular(Time(3'000'000), Time(200'000), seed);
    const Outcome noisy = run({barrier(2)}, setting, overlapped(Time(60'000'000)));
    const std::int64_t all = Time(60'000'000) / setting.test_every;
    const Time work = l.s + l.o + Time(60'000'000) + setting.machine.test * all + l.o;
    for (int rank = 0; rank < 2; ++rank)
      EXPECT_EQ(noisy.finished[static_cast<std::size_t>(rank)], setting.noise.end_of(rank, Time(0), work));
  }
}

TEST(Modes, an_agent_hides_the_operation_once_it_is_awake) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 200; ++seed) {
    Random random(seed);
    Setting setting{.machine = random_machine(random), .moved_by = MovedBy::kAgent};
    const SignalCosts l(setting.machine);
    const Time x = some_ns(random, 20000), from = l.s + l.o, end = from + x, wake = setting.machine.wake;
    const Time arrival = from + l.latency + l.bytes;
    // The rank itself looks if it is through before the agent is awake.
    const Time begins = arrival < end ? std::min(arrival + wake, end) : arrival;
    EXPECT_EQ(run({barrier(2)}, setting, overlapped(x)).finish, std::max(end, begins + l.o))
        << "seed " << seed;
    // On the same core it takes its time from the computation.
    setting.agent_shares_core = true;
    const Outcome shared = run({barrier(2)}, setting, overlapped(x));
    EXPECT_EQ(shared.finish, arrival < end ? end + wake + l.o : arrival + l.o) << "seed " << seed;
    EXPECT_EQ(shared.computed[0], arrival < end ? x + wake + l.o : x);
  }
}

// What comes before a rank begins is taken in when it has sent; what comes while it does, at the first test,
// or by the agent.
TEST(Modes, what_comes_before_the_computation_waits_for_the_first_look) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 300; ++seed) {
    Random random(seed);
    Setting setting{.machine = random_machine(random), .skew = Time(6'000'000), .seed = seed};
    const bool is_agent = seed % 2 == 0;
    if (is_agent) setting.moved_by = MovedBy::kAgent;
    setting.test_every = Time(1'000'000);
    const SignalCosts l(setting.machine);
    const Time x(30'500'000), tests = is_agent ? Time(0) : setting.machine.test * 30;
    Journal journal;
    const Outcome outcome = run({barrier(2)}, setting, overlapped(x), &journal);
    for (std::size_t rank = 0; rank < 2; ++rank) {
      const Time begun = outcome.begun[rank], sent = begun + l.s + l.o;
      const Time arrival = outcome.begun[1 - rank] + l.s + l.o + l.latency + l.bytes;
      const Time period = setting.test_every + setting.machine.test;
      Time taken_in = sent;
      const bool is_early = arrival < begun;
      if (!is_early) {
        const std::int64_t test = std::max<std::int64_t>((arrival - sent + period - Time(1)) / period, 1);
        taken_in = is_agent ? std::max(arrival + setting.machine.wake, sent) : sent + period * test;
      }
      for (const auto& entry : journal.entries)
        if (entry.rank == static_cast<int>(rank) && entry.begin >= sent) {
          EXPECT_EQ(entry.begin, taken_in) << "seed " << seed;
        }
      EXPECT_EQ(outcome.finished[rank], sent + x + tests + (is_agent && !is_early ? Time(0) : l.o))
          << "seed " << seed;
    }
  }
}

TEST(Modes, tests_come_after_so_much_work_whatever_they_find) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 200; ++seed) {
    Random random(seed);
    Setting setting{.machine = random_machine(random)};
    setting.test_every = Time(700'000);
    const SignalCosts l(setting.machine);
    const Time from = 2 * (l.s + l.o), period = setting.test_every + setting.machine.test;
    const Time leaves = std::max(from, l.s + l.o + l.d);
    const Time first = l.s + l.o + l.latency + l.bytes, second = leaves + l.latency + l.bytes;
    const auto test_at = [&](Time time) {
      return period * std::max<std::int64_t>((time - from + period - Time(1)) / period, 1);
    };
    const Time one = from + test_at(first);
    const Time other = second <= one + l.o ? one + l.o : from + l.o + test_at(second - l.o);
    Journal journal;
    run({barrier(2), barrier(2)}, setting,
        {.steps = {start(0), start(1), compute(Time(40'000'000)), wait_for(0), wait_for(1)},
         .repetitions = 1},
        &journal);
    std::vector<Time> begins;
    for (const auto& entry : journal.entries)
      if (entry.rank == 0 && entry.begin >= from) begins.push_back(entry.begin);
    EXPECT_EQ(begins, (std::vector<Time>{one, other})) << "seed " << seed;
  }
}

std::vector<Schedule> by_list(const std::vector<Schedule>& schedules, QueueForm form) {
  return raise_all(lower_all(schedules, {.form = form}));
}

constexpr std::array kForms = {QueueForm::kWaitsInSendQueues, QueueForm::kManagementQueue};

// The processor posts and polls; the adapter spends `task` on each send and each arrival.
TEST(Modes, an_adapter_executes_a_barrier_beside_the_computation) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 100; ++seed) {
    Random random(seed);
    const Setting setting{.machine = random_machine(random), .moved_by = MovedBy::kAdapter};
    const SignalCosts l(setting.machine);
    const simulator::Adapter& a = setting.machine.adapter;
    const Time x = some_ns(random, 20000), posted = l.s + a.post;
    const Time round = 2 * a.task + l.latency + l.bytes;
    for (const QueueForm form : kForms)
      for (const int rounds : {1, 2}) {
        const Time over = posted + round + std::max(round, l.d) * (rounds - 1);
        EXPECT_EQ(run({by_list(barrier(2 * rounds), form)}, setting, overlapped(x)).finish,
                  std::max(posted + x, over) + a.poll);
      }
  }
}

// Odd ranks first send themselves their values over the loop-back. Partners of the second round are alike.
TEST(Modes, an_adapter_executes_an_allreduce_beside_the_computation) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 100; ++seed) {
    Random random(seed);
    const Setting setting{.machine = random_machine(random), .moved_by = MovedBy::kAdapter};
    const SignalCosts l(setting.machine);
    const simulator::Adapter& a = setting.machine.adapter;
    const Time x = some_ns(random, 20000), posted = l.s + a.post;
    const Time calculation = a.calc + a.calc_per_byte * kSignal.value;
    for (const QueueForm form : kForms)
      for (const int rounds : {1, 2}) {
        Time over;
        for (const bool is_odd : {false, true}) {
          Time adapter = posted + a.task;
          const Time left = adapter;
          if (is_odd) adapter += a.task + a.loop_back;
          adapter = std::max(adapter, left + l.latency + l.bytes) + a.task + calculation;
          if (rounds == 2) {
            adapter += a.task;
            const Time leaves = std::max(adapter, left + l.d);
            adapter = leaves + l.latency + l.bytes + a.task + calculation;
          }
          over = std::max(over, adapter);
        }
        const Call call{.collective = Collective::kAllreduce,
                        .rank_count = 2 * rounds,
                        .bytes = kSignal,
                        .element_bytes = kSignal,
                        .commutative = true};
        const auto schedules = schedules_of(Collective::kAllreduce, "recursive_k_ing", call, {});
        EXPECT_EQ(run({by_list(schedules, form)}, setting, overlapped(x)).finish,
                  std::max(posted + x, over) + a.poll)
            << rounds << " rounds, seed " << seed;
      }
  }
}

// The rank starts all of them before it looks for what has come.
TEST(Modes, several_operations_are_in_flight_at_a_time) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 100; ++seed) {
    Random random(seed);
    const Setting setting{.machine = random_machine(random)};
    const SignalCosts l(setting.machine);
    const Program program{.steps = {start(0), start(1), start(2), wait_for(2), wait_for(0), wait_for(1)},
                          .repetitions = 1};
    Time processor, sends;
    std::vector<Time> arrivals;
    for (int i = 0; i < 3; ++i) {
      processor += l.s + l.o;
      const Time leaves = std::max(processor, sends);
      sends = leaves + l.d;
      arrivals.push_back(leaves + l.latency + l.bytes);
      // What has come in the meantime is taken in before the next one is started, if nothing is to be done
      // first.
    }
    for (const Time arrival : arrivals) processor = std::max(processor, arrival) + l.o;
    EXPECT_EQ(run({barrier(2), barrier(2), barrier(2)}, setting, program).finish, processor)
        << "seed " << seed;
  }
}

// The root is often ahead by several operations.
TEST(Modes, messages_wait_for_receivers_that_have_not_come_to_their_operation) {
  int ahead = 0;
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 60; ++seed) {
    Random random(seed);
    Setting setting{.machine = random_machine(random), .slowest = 3.0, .seed = seed};
    const SignalCosts l(setting.machine);
    const auto bcast = schedules_of(
        Collective::kBcast, "k_nomial",
        {.collective = Collective::kBcast, .rank_count = 2, .bytes = kSignal, .element_bytes = Bytes(1)}, {});
    constexpr std::int64_t kTimes = 12;
    const Outcome outcome = run(
        {bcast}, setting, {.steps = {compute(Time(5'000'000)), start(), wait_for()}, .repetitions = kTimes});
    const Time root = outcome.computed[0] / kTimes, other = outcome.computed[1] / kTimes;
    Time sender, sends, receives, receiver;
    for (int i = 0; i < kTimes; ++i) {
      sender += root + l.s + l.o;
      const Time leaves = std::max(sender, sends);
      sends = leaves + l.d;
      const Time begins = std::max(leaves + l.latency, receives);
      receives = begins + l.d;
      receiver += other + l.s;
      ahead += begins + l.bytes < receiver - other;
      receiver = std::max(receiver, begins + l.bytes) + l.o;
    }
    EXPECT_EQ(outcome.finished[0], sender);
    EXPECT_EQ(outcome.finished[1], receiver) << "seed " << seed;
    EXPECT_NE(root, other);
    for (const Time computed : {root, other}) {
      EXPECT_GE(computed, Time(5'000'000));
      EXPECT_LT(computed, Time(15'000'000));
    }
  }
  EXPECT_GT(ahead, 100);
}

TEST(Modes, ranks_begin_at_times_of_their_own) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 60; ++seed) {
    Random random(seed);
    const Setting setting{.machine = random_machine(random), .skew = Time(9'000'000), .seed = seed};
    const SignalCosts l(setting.machine);
    const Outcome outcome = run({barrier(2)}, setting, one_operation());
    for (std::size_t rank = 0; rank < 2; ++rank) {
      EXPECT_LT(outcome.begun[rank], Time(9'000'000));
      const Time arrival = outcome.begun[1 - rank] + l.s + l.o + l.latency + l.bytes;
      EXPECT_EQ(outcome.finished[rank], std::max(outcome.begun[rank] + l.s + l.o, arrival) + l.o);
    }
  }
}

// Two ranks of one node send to two of another: what they share makes the second wait, and nothing else does.
TEST(Modes, ranks_of_a_node_share_its_adapter_in_the_order_of_time) {
  const Topology topology = *Topology::parse("node:2 core:2");
  const auto message = [](TaskKind kind, int peer, std::uint32_t label) {
    ScriptTask task;
    task.kind = kind;
    task.peer = peer;
    task.label = label;
    task.size = kSignal;
    return task;
  };
  const auto finish = [&](bool per_node, Time gap, int messages, Time before) {
    ScriptTask work;
    work.kind = TaskKind::kCopy;
    work.work = before;
    std::vector<Part> parts(4);
    for (int m = 0; m < messages; ++m) {
      parts[0].tasks.push_back(message(TaskKind::kSend, 2, static_cast<std::uint32_t>(m)));
      parts[2].tasks.push_back(message(TaskKind::kRecv, 0, static_cast<std::uint32_t>(m)));
    }
    parts[1].tasks = {work, message(TaskKind::kSend, 3, 0)};
    parts[1].edges = {{0, 1}};
    parts[3].tasks = {message(TaskKind::kRecv, 1, 0)};
    Setting setting{.machine = machine("loggops:L=1000,o=100"), .topology = &topology};
    setting.machine.links[0].gap = gap;
    setting.machine.adapter_per_node = per_node;
    std::vector<Scripts> operations;
    operations.emplace_back(4, [&](int rank) { return parts[static_cast<std::size_t>(rank)]; });
    return simulate(setting, one_operation(), operations).finished[3];
  };
  const auto ns = [](double time) { return simulator::from_ns(time); };
  EXPECT_EQ(finish(false, ns(300), 1, ns(1)), ns(1 + 100 + 1000 + 100));
  EXPECT_EQ(finish(true, ns(300), 1, ns(1)), ns(100 + 300 + 1000 + 100));
  // Between the second message of the other rank and its third.
  EXPECT_EQ(finish(true, ns(10), 3, ns(150)), ns(150 + 100 + 1000 + 100));
  EXPECT_EQ(finish(true, ns(70), 3, ns(150)), ns(200 + 70 + 1000 + 100));
}

// What a rank does adds up, whatever it does and whoever moves its operations.
TEST(Modes, the_parts_of_a_ranks_time_add_up) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 120; ++seed) {
    Random random(seed);
    const auto ranks = static_cast<int>(1 + random.below(20));
    Setting setting{.machine = random_machine(random), .seed = seed};
    setting.moved_by = std::array{MovedBy::kHost, MovedBy::kAgent, MovedBy::kAdapter}[seed % 3];
    setting.agent_shares_core = random.chance(50);
    if (random.chance(50)) setting.test_every = Time(100) + some_ns(random, 3000);
    if (random.chance(50)) setting.noise = Noise::regular(Time(2'000'000), Time(500'000), seed);
    setting.skew = some_ns(random, 9000);
    setting.slowest = random.chance(50) ? 1.3 : 1.0;
    const Call call{.collective = Collective::kAllreduce,
                    .rank_count = ranks,
                    .bytes = Bytes(80),
                    .element_bytes = Bytes(8),
                    .commutative = true};
    auto allreduce = schedules_of(Collective::kAllreduce, "recursive_k_ing", call, {.radix = 3});
    if (setting.moved_by == MovedBy::kAdapter) allreduce = by_list(allreduce, QueueForm::kWaitsInSendQueues);
    if (random.chance(50)) setting.machine.links[0].eager = Bytes(40);
    const Program program{.steps = {compute(some_ns(random, 5000)), start(0), compute(some_ns(random, 9000)),
                                    start(1), compute(some_ns(random, 5000)), wait_for(1), wait_for(0)},
                          .repetitions = 4};
    Journal journal;
    const Outcome outcome = run({allreduce, allreduce}, setting, program, &journal);
    std::stable_sort(journal.entries.begin(), journal.entries.end(),
                     [](const auto& a, const auto& b) { return a.begin < b.begin; });
    std::map<int, Time> until;  // nobody does two things at a time
    for (const auto& entry : journal.entries)
      EXPECT_LE(std::exchange(until[entry.rank], entry.end), entry.begin);
    Time last;
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
      EXPECT_EQ(outcome.begun[r] + outcome.started[r] + outcome.computed[r] + outcome.waited[r],
                outcome.finished[r])
          << "seed " << seed;
      last = std::max(last, outcome.finished[r]);
    }
    EXPECT_EQ(outcome.finish, last);
  }
}

}  // namespace
}  // namespace weft::tests
