// SPDX-License-Identifier: BSD-3-Clause
// GOAL programs whose ranks have several processors and adapters.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "executor/simulator/goal.hpp"
#include "executor/simulator/simulation.hpp"

namespace weft::tests {
namespace {

using simulator::Step;

struct Conditions {
  std::string_view machine = "loggops:L=100,o=10,g=1000,G=0";
  const Topology* topology = nullptr;
  simulator::MovedBy moved_by = simulator::MovedBy::kHost;
  std::int64_t repetitions = 1;
  simulator::Noise noise{};
};

simulator::Outcome simulated(const std::string& text, const Conditions& conditions) {
  auto program = simulator::parse_goal(text);
  if (!program) {
    ADD_FAILURE() << program.error();
    return {};
  }
  simulator::Setting setting;
  setting.machine = *simulator::Machine::parse(conditions.machine);
  setting.topology = conditions.topology;
  setting.moved_by = conditions.moved_by;
  setting.noise = conditions.noise;
  std::vector<simulator::Scripts> operations;
  operations.push_back(simulator::scripts_of(std::move(*program), text, "a.goal"));
  const simulator::Program steps{.steps = {{Step::Kind::kStart, 0, {}}, {Step::Kind::kWait, 0, {}}},
                                 .repetitions = conditions.repetitions};
  return simulate(setting, steps, operations);
}

double finish_ns(const std::string& text, const Conditions& conditions = {}) {
  const auto outcome = simulated(text, conditions);
  EXPECT_EQ(outcome.problem, "");
  return simulator::in_ns(outcome.finish);
}

double of_one_rank(const std::string& statements, const Conditions& conditions = {}) {
  return finish_ns("num_ranks 1\nrank 0 {\n" + statements + "}\n", conditions);
}

TEST(GoalUnits, processors_of_a_rank_work_beside_each_other) {
  EXPECT_EQ(of_one_rank(" calc 10000 cpu 0\n calc 10000 cpu 1\n calc 4000 cpu 255\n"), 10000);
  EXPECT_EQ(of_one_rank(" calc 10000 cpu 1\n calc 10000 cpu 1\n"), 20000);
  EXPECT_EQ(of_one_rank(" calc 100\n calc 70 cpu 1\n", {.repetitions = 3}), 300);
}

TEST(GoalUnits, every_processor_begins_when_the_call_has_and_has_the_noise_of_its_rank) {
  const simulator::Noise noise =
      simulator::Noise::traced({{simulator::from_ns(0), simulator::from_ns(30)}}, simulator::from_ns(200), 1);
  for (const char* const calculation : {" calc 1000\n", " calc 1000 cpu 1\n"}) {
    EXPECT_EQ(of_one_rank(calculation, {.machine = "loggops:L=1,start=50", .repetitions = 2}), 2100);
    EXPECT_EQ(of_one_rank(calculation, {.noise = noise}), of_one_rank(" calc 1000\n", {.noise = noise}));
  }
  EXPECT_GT(of_one_rank(" calc 1000 cpu 1\n", {.noise = noise}), 1100);
}

TEST(GoalUnits, who_waits_for_another_processor_begins_when_that_is_through) {
  const std::string chain = " a: calc 100\n b: calc 200 cpu 1\n c: calc 50\n b requires a\n c requires b\n";
  EXPECT_EQ(of_one_rank(chain), 350);
  EXPECT_EQ(of_one_rank(chain + " d: calc 1000 cpu 1\n"), 1250) << "the second was busy";
  EXPECT_EQ(
      of_one_rank(" a: calc 100\n b: calc 300 cpu 1\n c: calc 50 cpu 2\n c requires a\n c requires b\n"),
      350);
  // What is taken while it waits: d, after a; c has to wait for it.
  EXPECT_EQ(of_one_rank(" a: calc 100\n b: calc 300 cpu 1\n c: calc 50\n d: calc 400\n c requires b\n"), 550);
}

TEST(GoalUnits, a_beginning_on_another_processor_is_when_that_comes_to_it) {
  const auto finish = [](const std::string& kind) {
    return of_one_rank(
        " a: calc 100\n b: calc 1000\n c: calc 10 cpu 1\n d: calc 2000 cpu 2\n b requires a\n c " + kind +
        " b\n d requires c\n");
  };
  EXPECT_EQ(finish("irequires"), 100 + 10 + 2000);
  EXPECT_EQ(finish("requires"), 100 + 1000 + 10 + 2000);
}

// Two messages, which processors 0 and 1 send at the same time and take in.
// One after the other on another processor, 10 ns each. More than 16,000 are joined before.
TEST(GoalUnits, beginnings_of_any_number_are_waited_for) {
  const auto finish = [](const std::string& kind, int others) {
    std::string text = " last: calc 1000\n";
    for (int i = 0; i <= others; ++i) text += fmt::format(" t{}: calc 10 cpu 1\n last {} t{}\n", i, kind, i);
    return of_one_rank(text);
  };
  for (const int others : {15999, 16000, 16001, 40000}) {
    EXPECT_EQ(finish("irequires", others), 10 * others + 1000) << others;
    EXPECT_EQ(finish("requires", others), 10 * (others + 1) + 1000) << others;
  }
}

TEST(GoalUnits, messages_of_an_adapter_go_one_after_the_other) {
  const auto finish = [](const std::string& send, const std::string& recv, const std::string& before = "") {
    return finish_ns("num_ranks 2\nrank 0 {\n" + before + " s: send 1b to 1 tag 1 cpu 1 nic " + send +
                     "\n t: send 1b to 1\n}\nrank 1 {\n recv 1b from 0 tag 1 cpu 1 nic " + recv +
                     "\n recv 1b from 0\n}\n");
  };
  EXPECT_EQ(finish("1", "1"), 10 + 100 + 10);
  EXPECT_EQ(finish("0", "1"), 10 + 1000 + 100 + 10);
  EXPECT_EQ(finish("1", "0"), 10 + 100 + 1000 + 10);
  EXPECT_EQ(finish("0", "0"), 10 + 1000 + 100 + 10);
  // The first to come is the first to leave, whichever processor it is from.
  const std::string late = " a: calc 500\n b: calc 100 cpu 1\n t requires a\n s requires b\n";
  EXPECT_EQ(finish("0", "1", late), 110 + 1000 + 100 + 10);
}

TEST(GoalUnits, ranks_of_a_node_share_all_its_adapters) {
  const auto topology = Topology::parse("node:2 core:2");
  ASSERT_TRUE(topology.ok());
  const auto finish = [&](const std::string& first, const std::string& second) {
    return finish_ns("num_ranks 4\nrank 0 {\n send 1b to 2 nic " + first +
                         "\n}\nrank 1 {\n send 1b to 3 nic " + second +
                         "\n}\nrank 2 {\n recv 1b from 0 nic " + first +
                         "\n}\nrank 3 {\n recv 1b from 1 nic " + second + "\n}\n",
                     {.machine = "loggops:L=100,o=10,g=1000,nic=node", .topology = &*topology});
  };
  EXPECT_EQ(finish("2", "2"), 10 + 1000 + 100 + 10);
  EXPECT_EQ(finish("2", "0"), 10 + 100 + 10);
  EXPECT_EQ(finish("0", "2"), 10 + 100 + 10);
}

TEST(GoalUnits, an_adapter_with_task_lists_does_everything_itself) {
  const std::string text = " a: calc 100\n b: calc 200 cpu 1\n c: calc 50 cpu 2\n c requires b\n";
  EXPECT_EQ(of_one_rank(text, {.moved_by = simulator::MovedBy::kAdapter}), 350);
  EXPECT_EQ(of_one_rank(text, {.moved_by = simulator::MovedBy::kAgent}), 250);
}

TEST(GoalUnits, several_processors_on_fewer_cores_are_refused) {
  const auto topology = Topology::parse("node:1 core:2");
  ASSERT_TRUE(topology.ok());
  EXPECT_EQ(simulated("num_ranks 2\nrank 0 {\n calc 5 cpu 1\n}\n",
                      {.machine = "loggops:L=100,o=10;node:cores=1", .topology = &*topology})
                .problem,
            "ranks of the program have several processors, and the machine fewer cores than ranks: leave out "
            "the number of cores");
}

TEST(GoalUnits, a_number_has_a_byte) {
  const auto program = simulator::parse_goal("num_ranks 1\nrank 0 {\n calc 5 cpu 256\n}\n");
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error(),
            "line 3, column 13: expected the number of a processor from 0 to 255, found `256`");
}

}  // namespace
}  // namespace weft::tests
