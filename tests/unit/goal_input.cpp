// SPDX-License-Identifier: BSD-3-Clause
// Reading GOAL: what is understood, and malformed programs, whose messages have line and column and say what
// was expected there.
#include <gtest/gtest.h>

#include "executor/simulator/goal.hpp"
#include "executor/simulator/simulation.hpp"

namespace weft::tests {
namespace {

using simulator::parse_goal;
using simulator::Part;

std::string error_of(std::string_view text) {
  const auto parsed = parse_goal(text);
  return parsed.ok() ? "no error" : parsed.error();
}

// Of two ranks, the first of which does this from line 3 on.
std::string error_in(std::string_view statements, std::string_view others = "") {
  return error_of("num_ranks 2\nrank 0 {\n" + std::string(statements) + "\n}\nrank 1 {\n" +
                  std::string(others) + "\n}\n");
}

simulator::Outcome simulated(const std::string& text, std::string_view machine) {
  auto program = parse_goal(text);
  if (!program) {
    ADD_FAILURE() << program.error();
    return {};
  }
  simulator::Setting setting;
  setting.machine = *simulator::Machine::parse(machine);
  std::vector<simulator::Scripts> operations;
  operations.push_back(simulator::scripts_of(std::move(*program), text, "a.goal"));
  const simulator::Program once{
      .steps = {{simulator::Step::Kind::kStart, 0, {}}, {simulator::Step::Kind::kWait, 0, {}}}};
  return simulate(setting, once, operations);
}

constexpr std::string_view kMachine = "loggops:L=100,o=10,g=0,G=1";

double finish_ns(const std::string& text, std::string_view machine = kMachine) {
  const auto outcome = simulated(text, machine);
  EXPECT_EQ(outcome.problem, "");
  return simulator::in_ns(outcome.finish);
}

TEST(GoalInput, a_program_is_read_and_simulated) {
  const std::string text =
      "/* two\n   ranks */ num_ranks 3 // and one that does nothing\n"
      "# in any order\n"
      "rank 1 {\n"
      "  recv 64b from 0 tag 7 cpu 0 nic 0\n"
      "}\n"
      "rank 0 { l2 requires l1\n"
      "  l1: calc 500 cpu 0 /* what */\n"
      "  l2: send 11b to 1 tag 7\n"
      "}\n";
  const auto program = parse_goal(text);
  ASSERT_TRUE(program.ok()) << program.error();
  const std::vector<Part>& parts = program->parts;
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].tasks.size(), 2u);
  EXPECT_EQ(parts[0].edges.size(), 1u);
  EXPECT_EQ(parts[1].tasks[0].size, Bytes(11)) << "a recv brings what was sent";
  EXPECT_EQ(parts[1].tasks[0].label, parts[0].tasks[1].label);
  EXPECT_TRUE(parts[2].tasks.empty());
  EXPECT_EQ(finish_ns(text), 500 + 10 + 100 + 10 + 10);  // calc, o, L, ten bytes behind the first, o
}

TEST(GoalInput, messages_of_a_pair_are_told_apart_by_tag_and_order) {
  const auto program = parse_goal(
      "num_ranks 2\n"
      "rank 0 {\n send 1b to 1 tag 5\n send 2b to 1\n send 3b to 1 tag 5\n recv 4b from 1 tag 5\n}\n"
      "rank 1 {\n recv 9b from 0 tag 5\n recv 9b from 0 tag 5\n recv 9b from 0 tag 0\n send 4b to 0 tag "
      "5\n}\n");
  ASSERT_TRUE(program.ok()) << program.error();
  const auto& receives = program->parts[1].tasks;
  EXPECT_EQ(receives[0].size, Bytes(1));
  EXPECT_EQ(receives[1].size, Bytes(3));
  EXPECT_EQ(receives[2].size, Bytes(2));
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(receives[a].label, receives[b].label);
}

TEST(GoalInput, a_rank_may_send_to_itself) {
  EXPECT_EQ(finish_ns("num_ranks 1\nrank 0 {\n recv 1b from 0\n send 1b to 0\n}\n"), 10 + 100 + 10);
}

// A long send asks first: o, L, o at the receiver, L, o, and 5000 bytes; from then on w may run that requires
// it. If it irequires it, it runs right behind the question, and delays what follows the answer.
TEST(GoalInput, irequires_waits_for_a_beginning_only) {
  const auto finish = [](std::string_view kind) {
    return finish_ns("num_ranks 2\nrank 0 {\n w: calc 1000\n w " + std::string(kind) +
                         " s\n s: send 5001b to 1\n}\nrank 1 {\n recv 5001b from 0\n}\n",
                     "loggops:L=100,o=10,g=0,G=1,S=1000");
  };
  // Request and answer, o at both ends of each, then the message's own o; and what follows.
  EXPECT_EQ(finish("requires"), 10 + 100 + 2 * 10 + 100 + 2 * 10 + 5000 + 1000);
  EXPECT_EQ(finish("irequires"), 10 + 1000 + 2 * 10 + 5000 + 100 + 10);
}

TEST(GoalErrors, who_waits_for_ever_is_named_by_statement) {
  EXPECT_EQ(
      simulated("num_ranks 3\nrank 0 {\n  /* its */ a: recv 8b from 1 /* own */ tag 9 // first\n"
                "  b: send 8b to 1\n  b requires a\n}\n"
                "rank 1 {\n  b requires a\n  b: send 8b to 0 tag 9\n  a: recv 8b from 0\n}\n",
                kMachine)
          .problem,
      "2 of 3 ranks never end; rank 0 waits in a.goal, line 3, column 13, `a: recv 8b from 1  tag 9`, for a "
      "message from rank 1; rank 1 waits in a.goal, line 10, column 3, `a: recv 8b from 0`, for a message "
      "from rank 0");
  EXPECT_EQ(
      simulated("num_ranks 2\nrank 0 {\n send 8b to 1\n}\nrank 1 {\n a: recv 8b from 0\n a requires b\n"
                " b: recv 8b from 1\n c: send 8b to 1\n c requires a\n}\n",
                "loggops:L=100,o=10,S=7")
          .problem,
      "2 of 2 ranks never end; rank 0 waits in a.goal, line 3, column 2, `send 8b to 1`, for rank 1 to take "
      "a "
      "message; rank 1 waits in a.goal, line 8, column 2, `b: recv 8b from 1`, for a message from rank 1");
}

TEST(GoalErrors, of_many_who_wait_the_first_are_named) {
  std::string text = "num_ranks 20\n";
  for (int rank = 0; rank < 20; ++rank)
    text += "rank " + std::to_string(rank) + " {\n a: recv 1b from " + std::to_string(rank) +
            "\n b: send 1b to " + std::to_string(rank) + "\n b requires a\n}\n";
  const std::string problem = simulated(text, kMachine).problem;
  EXPECT_NE(problem.find("20 of 20 ranks never end; rank 0 waits"), std::string::npos) << problem;
  EXPECT_NE(problem.find("rank 7 waits"), std::string::npos) << problem;
  EXPECT_EQ(problem.find("rank 8 waits"), std::string::npos) << problem;
  EXPECT_TRUE(problem.ends_with("; and 12 more")) << problem;
}

TEST(GoalErrors, the_number_of_ranks_stands_first) {
  EXPECT_EQ(error_of(""), "line 1, column 1: expected `num_ranks`, found the end of the text");
  EXPECT_EQ(error_of("rank 0 {\n}\n"), "line 1, column 1: expected `num_ranks`, found `rank`");
  EXPECT_EQ(error_of("num_ranks 0"),
            "line 1, column 11: expected a number of ranks from 1 to 16777216, found `0`");
  EXPECT_EQ(error_of("num_ranks 1\n/* no end"),
            "line 2, column 1: expected a comment that ends with `*/`, found none");
}

TEST(GoalErrors, every_rank_is_there_once_and_closed) {
  EXPECT_EQ(error_of("num_ranks 2\nrank 2 {\n}\n"),
            "line 2, column 6: expected a rank from 0 to 1, found `2`");
  EXPECT_EQ(error_of("num_ranks 2\nrank 1 {\n}\nrank 1 {\n}\n"),
            "line 4, column 6: rank 1 is there twice: put all that it does into one");
  EXPECT_EQ(error_of("num_ranks 2\nrank 0 {\nrank 1 {\n}\n"),
            "line 3, column 1: rank 0 is not closed: expected `}`");
  EXPECT_EQ(error_of("num_ranks 2\nrank 0 {\n calc 5\n"),
            "line 4, column 1: expected `send`, `recv`, `calc`, a label (`l1: send …`), `… requires …`, `… "
            "irequires …` or `}`, found the end of the text");
}

TEST(GoalErrors, statements_are_read_word_by_word) {
  EXPECT_EQ(error_in(" l1: wait"), "line 3, column 6: expected `send`, `recv` or `calc` behind the label");
  EXPECT_EQ(error_in(" l1 needs l2"),
            "line 3, column 5: expected `:`, `requires` or `irequires`, found `needs`");
  EXPECT_EQ(error_in(" l1 requires 2"), "line 3, column 14: expected a label, found `2`");
  EXPECT_EQ(error_in(" send 8 to 1"), "line 3, column 9: expected `b`, found `to`");
  EXPECT_EQ(error_in(" send 8b from 1"), "line 3, column 10: expected `to`, found `from`");
  EXPECT_EQ(
      error_in(" send 8b to 1 nic 1 tag 3"),
      "line 3, column 21: expected `tag`, `cpu`, `nic` in this order, or the end of the line, found `tag`");
  EXPECT_EQ(error_in(" calc 5 tag 3"),
            "line 3, column 9: expected `cpu`, or the end of the line, found `tag`");
  EXPECT_EQ(error_in(" calc 99999999999999999999"),
            "line 3, column 7: expected a time in nanoseconds from 0 to 100000000000000, found "
            "`99999999999999999999`");
}

TEST(GoalErrors, peers_are_ranks_of_the_program_and_never_any) {
  EXPECT_EQ(error_in(" send 8b to 2"), "line 3, column 13: expected a rank from 0 to 1, found `2`");
  EXPECT_EQ(error_in(" send 8b to -1"), "line 3, column 13: expected a rank from 0 to 1, found `-1`");
  EXPECT_EQ(error_in(" recv 8b from -1"),
            "line 3, column 15: expected a rank, found -1, which in GOAL is any: who meets whom is settled "
            "before the simulation, so name the one that it is");
  for (const std::string message : {" recv 8b from 1", " send 888b to 1"})
    EXPECT_EQ(error_in(message + " tag -1"),
              "line 3, column 21: expected a tag, found -1, which in GOAL is any: who meets whom is settled "
              "before the simulation, so name the one that it is");
  EXPECT_EQ(error_in(" recv 8b from 1 tag 4294967295"),
            "line 3, column 21: expected a tag from 0 to 4294967294, found `4294967295`");
}

TEST(GoalErrors, labels_are_there_once) {
  EXPECT_EQ(error_in(" l1: calc 5\n l1: calc 6"),
            "line 4, column 2: rank 0 has the label `l1` twice: choose another one");
  EXPECT_EQ(error_in(" l1: calc 5\n l1 requires l2"),
            "line 4, column 14: rank 0 has no label `l2`: expected one of its own");
  EXPECT_EQ(error_in(" l1: calc 5", " l1 requires l1"),
            "line 6, column 2: rank 1 has no label `l1`: expected one of its own");
}

TEST(GoalErrors, a_circle_is_named) {
  EXPECT_EQ(error_in(" a: calc 1\n b: calc 1\n b requires a\n a irequires b"),
            "line 3, column 2: in rank 0 `a` requires `b` requires `a`, so that none of them ever begins: "
            "expected no circle");
  EXPECT_EQ(
      error_in(" a: calc 1\n a requires a"),
      "line 3, column 2: in rank 0 `a` requires `a`, so that none of them ever begins: expected no circle");
}

TEST(GoalErrors, every_message_has_two_ends_that_fit) {
  EXPECT_EQ(
      error_in(" send 8b to 1 tag 3"),
      "line 3, column 2: rank 0 sends this to rank 1, which has no recv for it with tag 3: every send needs "
      "one of its own");
  EXPECT_EQ(
      error_in(" send 8b to 1 tag 3\n send 8b to 1", " recv 8b from 0 tag 4\n recv 4b from 0"),
      "line 3, column 2: rank 0 sends this to rank 1, which has no recv for it with tag 3: every send needs "
      "one of its own; so it is with 2 more");
  EXPECT_EQ(
      error_in(" send 8b to 1\n calc 1\n send 8b to 1", " recv 8b from 0"),
      "line 5, column 2: rank 0 sends this to rank 1, which has only 1 recv for it with tag 0: every send "
      "needs one of its own");
  EXPECT_EQ(
      error_in(" send 8b to 1", " recv 8b from 0\n recv 8b from 0"),
      "line 7, column 2: rank 1 receives this from rank 0, which has only 1 send for it with tag 0: every "
      "recv needs one of its own");
  EXPECT_EQ(
      error_in(" send 8b to 1", " recv 4b from 0"),
      "line 6, column 2: rank 1 receives at most 4 bytes here, but rank 0 sends 8: the recv needs as many "
      "or more");
}

}  // namespace
}  // namespace weft::tests
