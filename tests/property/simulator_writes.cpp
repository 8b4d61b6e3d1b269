// SPDX-License-Identifier: BSD-3-Clause
// Puts in the simulator: epochs end when they should by hand, and adapters leave the processors alone.
#include "schedule/epoch.hpp"
#include "support/simulated.hpp"
#include "support/task_lists.hpp"

namespace weft::tests {
namespace {

std::vector<Schedule> epoch(int ranks, Bytes bytes, PutsTo whom = PutsTo::kNext) {
  auto schedules = example_epoch(whom, ranks, bytes);
  EXPECT_TRUE(schedules) << schedules.error();
  return *schedules;
}

Outcome simulated(const std::vector<Schedule>& schedules, const Setting& setting,
                  const Program& program = one_operation()) {
  std::vector<Scripts> operations;
  operations.push_back(scripts_of(schedules, setting.machine));
  Outcome outcome = simulate(setting, program, operations);
  EXPECT_EQ(outcome.problem, "");
  return outcome;
}

// Each rank posts for the one before, puts to the next one, and says that it has: w is what is written, s the
// two words around it. Who is written to works for it, between its own word and the other's.
Time to_the_next(const Letters& w, const Letters& s, bool is_long) {
  const Time opened = std::max(s.o, s.o + s.latency + s.bytes) + s.o, put = opened + w.o;
  const Time write_leaves = std::max(put, s.o + s.d);
  const Time closed = (is_long ? std::max(put, write_leaves + w.bytes) : put) + s.o;
  const Time close_leaves = std::max(closed, write_leaves + w.d);
  const Time write_begins = std::max(write_leaves + w.latency, s.o + s.latency + s.d);
  const Time written = std::max(closed, write_begins + w.bytes) + w.o;
  const Time close_begins = std::max(close_leaves + s.latency, write_begins + w.d);
  return std::max(written, close_begins + s.bytes) + s.o;
}

TEST(SimulatedWrites, end_when_they_do_by_hand) {
  Random random(base_seed());
  for (int turn = 0; turn < 300; ++turn) {
    Setting setting{.machine = random_machine(random),
                    .signal_bytes = Bytes(static_cast<std::int64_t>(random.below(20)))};
    setting.machine.start = Time(0);
    setting.machine.adapter_per_node = random.chance(50);
    const Bytes bytes(static_cast<std::int64_t>(1 + random.below(3000)));
    const bool is_long = random.chance(50);
    if (is_long) setting.machine.links[0].eager = Bytes(0);
    const Letters w(setting.machine, bytes), s(setting.machine, setting.signal_bytes);
    const int ranks = 2 + static_cast<int>(random.below(9));
    const Outcome outcome = simulated(epoch(ranks, bytes), setting);
    EXPECT_EQ(outcome.finish, to_the_next(w, s, is_long)) << "turn " << turn;
    EXPECT_EQ(outcome.messages, 3u * static_cast<unsigned>(ranks));
  }
}

TEST(SimulatedWrites, of_one_node_are_copies) {
  Setting setting{.machine = machine("loggops:L=5000,o=700;node:L=300,o=100,c=2")};
  const Topology topology = *Topology::parse("node:1 core:4");
  setting.topology = &topology;
  const Time words = simulated(epoch(4, Bytes(1)), setting).finish;
  EXPECT_EQ(simulated(epoch(4, Bytes(501)), setting).finish, words + simulator::from_ns(1000));
}

// While all compute, adapters do an epoch from its beginning to its end.
TEST(SimulatedWrites, by_adapters_are_hidden_whatever_their_form) {
  Random random(base_seed());
  for (int turn = 0; turn < 60; ++turn) {
    Setting setting{.machine = random_machine(random), .moved_by = MovedBy::kAdapter};
    const std::vector<Lowering> lowerings = some_lowerings(random.next());
    const auto schedules =
        raise_all(lower_all(epoch(9, Bytes(static_cast<std::int64_t>(1 + random.below(3000))),
                                  random.chance(50) ? PutsTo::kNext : PutsTo::kNeighbors),
                            lowerings[random.below(lowerings.size())]));
    const Time alone = simulated(schedules, setting).finish;
    const Time computation = 2 * alone;
    const Time beside = simulated(schedules, setting,
                                  {.steps = {start(), compute(computation), wait_for()}, .repetitions = 1})
                            .finish;
    EXPECT_EQ(beside, setting.machine.start + setting.machine.adapter.post + computation +
                          setting.machine.adapter.poll)
        << "turn " << turn;
  }
}

}  // namespace
}  // namespace weft::tests
