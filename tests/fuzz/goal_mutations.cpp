// SPDX-License-Identifier: BSD-3-Clause
// GOAL programs, cut and mutated at random: the parser gives a located error or parts that can be simulated,
// to the end or until nobody can go on. A failure prints the seed that replays it.
#include "executor/simulator/goal.hpp"
#include "executor/simulator/simulation.hpp"
#include "schedule/goal.hpp"
#include "support/located.hpp"
#include "support/mutate.hpp"
#include "support/whole_call.hpp"

namespace weft::tests {
namespace {

const std::vector<std::string> kGoalPieces = {"0",
                                              "-1",
                                              "9223372036854775807",
                                              "99999999999999999999",
                                              "4294967296",
                                              "-",
                                              ":",
                                              "{",
                                              "}",
                                              "\n}\n",
                                              "\n",
                                              "\r",
                                              "#",
                                              "//",
                                              "/*",
                                              "*/",
                                              "/* two\nlines */",
                                              "\nl0 requires l1\n",
                                              "\nl1 irequires l0\n",
                                              "\nl1: calc 7\n",
                                              "\nsend 8b to 0 tag 1 cpu 2 nic 3\n",
                                              "\nrecv 8b from 0 tag 1\n",
                                              "rank 1 {\n",
                                              "num_ranks ",
                                              " tag -1",
                                              " cpu 1",
                                              " cpu 255 nic 1",
                                              "i",
                                              std::string(1, '\0'),
                                              "\xff",
                                              "é"};

constexpr std::string_view kByHand =
    "num_ranks 3\n"
    "rank 2 {\n  b requires a\n  a: calc 100\n  b: send 8b to 0 tag 3 cpu 1 nic 0\n  c: calc 5 cpu 2\n"
    "  c irequires b\n  c requires a\n}\n"
    "rank 0 {\n  recv 8b from 2 tag 3\n  recv 16b from 2 /* later */ tag 3\n}\n"
    "rank 1 {\n}\n";

std::vector<std::string> goal_texts() {
  std::vector<std::string> texts;
  for (const char* const algorithm : {"recursive_k_ing", "ring", "reduce_bcast"}) {
    const auto found = find_algorithm(Collective::kAllreduce, algorithm);
    if (found) texts.push_back(*goal(build_all(allreduce_of(5), algorithm, 3)));
  }
  std::string matched(kByHand);
  matched.insert(matched.find("  c: calc"), "  d: send 4b to 0 tag 3\n");
  texts.push_back(matched);
  return texts;
}

TEST(Fuzz, goal_texts_give_a_located_error_or_parts_that_can_be_simulated) {
  const std::vector<std::string> texts = goal_texts();
  ASSERT_GE(texts.size(), 3u);
  simulator::Setting setting;
  setting.machine = *simulator::Machine::parse("loggops:L=2500,o=1500,g=1000,G=6,S=64");
  const simulator::Program once{
      .steps = {{simulator::Step::Kind::kStart, 0, {}}, {simulator::Step::Kind::kWait, 0, {}}}};
  int errors = 0;
  int values = 0;
  for (unsigned seed = 0; seed < 6000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator random(seed);
    const std::string text = mutate(texts[seed % texts.size()], kGoalPieces, random);
    auto program = simulator::parse_goal(text);
    if (!program) {
      ++errors;
      expect_located(program.error());
    } else if (program->parts.size() < 1000) {
      ++values;
      std::vector<simulator::Scripts> operations;
      operations.push_back(simulator::scripts_of(std::move(*program), text, "mutated.goal"));
      EXPECT_GE(simulate(setting, once, operations).finish, simulator::Time(0));
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(errors, 1000) << "the mutations are too tame";
  EXPECT_GT(values, 1000) << "the mutations are too wild";
}

TEST(Fuzz, every_beginning_of_a_goal_text_is_an_error_or_has_fewer_ranks) {
  const std::string text = *goal(build_all(allreduce_of(3), "recursive_k_ing"));
  for (std::size_t length = 0; length < text.size(); ++length)
    if (const auto program = simulator::parse_goal(text.substr(0, length)); !program)
      expect_located(program.error());
}

}  // namespace
}  // namespace weft::tests
