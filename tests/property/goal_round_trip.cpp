// SPDX-License-Identifier: BSD-3-Clause
// A call's schedules and the GOAL program that they are written as take the same time, with what copies and
// reductions cost on a machine.
#include "executor/simulator/goal.hpp"
#include "schedule/goal.hpp"
#include "support/goal_calls.hpp"

namespace weft::tests {
namespace {

// Of short messages part_of leaves out that a receive waits until its place is free, which GOAL says.
constexpr Bytes kNothingIsShort{-1};

// Whole nanoseconds, which is what GOAL has, for blocks of eight bytes.
constexpr GoalCosts kCosts{.copy_ns_per_byte = 0.125, .reduce_ns_per_byte = 2.0, .signal_bytes = Bytes(8)};

TEST(GoalRoundTrip, takes_as_long_as_the_schedules) {
  for_each_goal_call(33, [](const std::vector<Schedule>& schedules) {
    for (const GoalCosts& costs : {GoalCosts{}, kCosts}) {
      const auto text = goal(schedules, costs);
      ASSERT_TRUE(text.ok()) << text.error();
      auto program = simulator::parse_goal(*text);
      ASSERT_TRUE(program.ok()) << program.error();
      ASSERT_EQ(program->parts.size(), schedules.size());
      for (const std::string_view machine : kGoalMachines) {
        simulator::Setting setting;
        setting.machine = *simulator::Machine::parse(
            fmt::format("{};node:c={},gamma={}", machine, costs.copy_ns_per_byte, costs.reduce_ns_per_byte));
        setting.skew = simulator::from_ns(3000);
        setting.signal_bytes = costs.signal_bytes;
        const auto wanted =
            played(setting, simulator::Scripts(static_cast<int>(schedules.size()), [&](int rank) {
                     return simulator::part_of(schedules[static_cast<std::size_t>(rank)], kNothingIsShort);
                   }));
        const auto got = played(setting, simulator::scripts_of(*program, *text, "a.goal"));
        EXPECT_EQ(got.problem, "");
        EXPECT_EQ(wanted.problem, "");
        EXPECT_EQ(got.finished, wanted.finished);
        EXPECT_EQ(got.messages, wanted.messages);
        if (costs.signal_bytes == Bytes(0)) { EXPECT_EQ(got.bytes, wanted.bytes); }
      }
    }
  });
}

}  // namespace
}  // namespace weft::tests
