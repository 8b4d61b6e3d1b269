// SPDX-License-Identifier: BSD-3-Clause
// Programs whose operations are moved by different ones, in the simulator.
#include "support/case.hpp"
#include "support/simulated.hpp"

namespace weft::tests {
namespace {

std::vector<Schedule> barrier() {
  return schedules_of(Collective::kBarrier, "dissemination",
                      {.collective = Collective::kBarrier, .rank_count = 4}, {});
}

Time finish_of(const Setting& setting, const Program& program, int operations) {
  std::vector<Scripts> all;
  for (int i = 0; i < operations; ++i) all.push_back(scripts_of(barrier(), setting.machine));
  const Outcome outcome = simulate(setting, program, all);
  EXPECT_EQ(outcome.problem, "");
  return outcome.finish;
}

Program hidden_behind(Time computation) {
  return {.steps = {start(), compute(computation), wait_for()}, .repetitions = 1};
}

// What the adapter moves is over behind the computation; then the host moves another one.
TEST(Movers, may_differ_from_operation_to_operation) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 50; ++seed) {
    Random random(seed);
    Setting setting{.machine = random_machine(random)};
    const Time by_host = finish_of(setting, {.steps = {start(), wait_for()}, .repetitions = 1}, 1);
    Setting lists = setting;
    lists.moved_by = MovedBy::kAdapter;
    const Time x(50'000'000);
    const Time hidden = finish_of(lists, hidden_behind(x), 1);
    setting.movers = {MovedBy::kAdapter, MovedBy::kHost};
    Program both = hidden_behind(x);
    both.steps.push_back(start(1));
    both.steps.push_back(wait_for(1));
    EXPECT_EQ(finish_of(setting, both, 2), hidden + by_host) << "seed " << seed;
  }
  Setting mixed{.machine = Machine()};
  mixed.movers = {MovedBy::kAgent, MovedBy::kHost};
  std::vector<Scripts> all;
  for (int i = 0; i < 2; ++i) all.push_back(scripts_of(barrier(), mixed.machine));
  const Program program{.steps = {start(), wait_for(), start(1), wait_for(1)}, .repetitions = 1};
  EXPECT_NE(simulate(mixed, program, all).problem.find("choose one of them"), std::string::npos);
}

// As on a machine whose calls cost as much without asking how many there are.
TEST(Movers, need_time_to_make_operations_and_to_look_after_them) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 100; ++seed) {
    Random random(seed);
    Setting setting{.machine = random_machine(random)};
    setting.test_every = Time(700'000);
    const Time per_rank = some_ns(random, 50), per_operation = some_ns(random, 60);
    for (const int operations : {1, 2, 3}) {
      Program program;
      for (int i = 0; i < operations; ++i) program.steps.push_back(start(i));
      program.steps.push_back(compute(Time(40'000'000)));
      for (int i = 0; i < operations; ++i) program.steps.push_back(wait_for(i));
      Setting by_number = setting, by_hand = setting;
      by_number.machine.start_per_rank = per_rank;
      by_number.machine.test_per_operation = per_operation;
      by_hand.machine.start += 4 * per_rank;
      by_hand.machine.test += operations * per_operation;
      const Time wanted = finish_of(by_hand, program, operations);
      EXPECT_EQ(finish_of(by_number, program, operations), wanted) << "seed " << seed;
      // What others move nobody looks after.
      by_number.moved_by = by_hand.moved_by = MovedBy::kAgent;
      EXPECT_EQ(finish_of(by_number, program, operations), finish_of(by_hand, program, operations));
      // Two ranks of the four make an operation of two.
      std::vector<Scripts> all;
      for (int i = 0; i < operations; ++i) {
        all.push_back(scripts_of(barrier(), setting.machine));
        all.back().set_member_count(2);
      }
      by_hand.machine.start = setting.machine.start + 2 * per_rank;
      EXPECT_EQ(simulate(by_number, program, all).finish, finish_of(by_hand, program, operations));
    }
  }
}

TEST(Movers, see_computations_that_are_spread_anew_each_time) {
  Setting setting{.machine = Machine()};
  setting.spread = 2.0;
  const Program program{.steps = {start(), compute(Time(1'000'000)), wait_for()}, .repetitions = 200};
  std::vector<Scripts> all;
  all.push_back(scripts_of(barrier(), setting.machine));
  const Outcome outcome = simulate(setting, program, all);
  const double mean = static_cast<double>(outcome.computed[0].value) / 200 / 1'000'000;
  EXPECT_NEAR(mean, 1.5, 0.1);
  EXPECT_NE(outcome.computed[0], outcome.computed[1]);
  EXPECT_GT(outcome.finish, std::max(outcome.computed[0], outcome.computed[1]));
}

// To a rank of the same node, too, and all of a node's ranks have the one adapter there.
TEST(Movers, an_adapter_loops_back_and_is_shared_by_its_node) {
  const auto machine = Machine::parse("loggops:L=5000,o=900,g=10,G=0,task=100,nic=node;node:L=1,o=1");
  ASSERT_TRUE(machine) << machine.error();
  const auto near = Topology::parse("node:2 core:2"), far = Topology::parse("node:4 core:1");
  ASSERT_TRUE(near && far);
  Setting setting{.machine = *machine, .topology = &*far, .moved_by = MovedBy::kAdapter};
  const Program program{.steps = {start(), wait_for()}, .repetitions = 1};
  const Time apart = finish_of(setting, program, 1);
  EXPECT_GE(apart, simulator::from_ns(2 * 5000));
  setting.topology = &*near;
  EXPECT_GT(finish_of(setting, program, 1), apart) << "two ranks' tasks wait for one another";
  setting.machine.adapter_per_node = false;
  EXPECT_EQ(finish_of(setting, program, 1), apart);
}

TEST(Movers, who_is_in_no_group_of_an_operation_does_not_call_it) {
  const auto machine = Machine::parse("loggops:L=100,o=10,start=7,post=20,poll=30");
  ASSERT_TRUE(machine) << machine.error();
  const Setting setting{.machine = *machine, .moved_by = MovedBy::kAdapter};
  const std::vector<Schedule> schedules = barrier();
  std::vector<Scripts> all;
  all.emplace_back(5, [&](int rank) {
    return rank < 4 ? simulator::part_of(schedules[static_cast<std::size_t>(rank)], machine->eager())
                    : simulator::Part();
  });
  const Outcome outcome = simulate(setting, {.steps = {start(), wait_for()}, .repetitions = 1}, all);
  EXPECT_EQ(outcome.problem, "");
  EXPECT_EQ(outcome.finished[4], Time(0));
  EXPECT_GT(outcome.finished[3], simulator::from_ns(57));
}

}  // namespace
}  // namespace weft::tests
