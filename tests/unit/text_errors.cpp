// SPDX-License-Identifier: BSD-3-Clause
// Malformed schedule texts: every message has line and column, and says what was expected there.
#include <gtest/gtest.h>

#include "schedule/text.hpp"

namespace weft::tests {
namespace {

constexpr std::string_view kHeader =
    "schedule allreduce rank 0 of 2 bytes 8 element 8\n"
    "  buffer input 8\n"
    "  buffer output 8\n";

std::string error_of(std::string_view text) {
  const auto parsed = parse_schedules(text);
  return parsed.ok() ? "no error" : parsed.error();
}

// The error of a schedule whose fourth line is this.
std::string error_in(std::string_view line) {
  return error_of(std::string(kHeader) + std::string(line) + "\nend\n");
}

TEST(TextErrors, an_empty_text_is_no_schedule) {
  EXPECT_EQ(error_of(""), "line 1, column 1: expected `schedule`, found the end of the text");
  EXPECT_EQ(error_of("\n# nothing\n"), "line 3, column 1: expected `schedule`, found the end of the text");
}

TEST(TextErrors, the_header_is_read_word_by_word) {
  EXPECT_EQ(error_of("plan"), "line 1, column 1: expected `schedule`, found `plan`");
  std::string names;
  for (const Collective collective : kCollectives)
    names += (names.empty() ? "" : ", ") + std::string(name_of(collective));
  EXPECT_EQ(error_of("schedule gossip rank 0"),
            "line 1, column 10: expected a collective (" + names + "), found `gossip`");
  EXPECT_EQ(error_of("schedule bcast rank 5 of 3 bytes 8"),
            "line 1, column 21: expected a rank from 0 to 2, found 5");
  EXPECT_EQ(error_of("schedule bcast rank 0 of 0 bytes 8"),
            "line 1, column 26: expected a number of ranks from 1 to 1073741824, found `0`");
  EXPECT_EQ(error_of("schedule bcast rank 0 of 3 bytes many"),
            "line 1, column 34: expected a size in bytes, found `many`");
  EXPECT_EQ(error_of("schedule bcast rank 0 of 3 bytes 8 in_place root 1"),
            "line 1, column 45: expected `root`, `bytes`, `element`, `non_commutative`, `user_defined`, "
            "`in_place` in this "
            "order, or the "
            "end of the line, found `root`");
}

TEST(TextErrors, a_text_that_stops_is_not_complete) {
  EXPECT_EQ(
      error_of(kHeader),
      "line 4, column 1: expected `algorithm`, `outgoing`, `incoming`, `buffer`, `group`, a task (`0: send "
      "…`) or `end`, found the end of the text");
}

TEST(TextErrors, tasks_are_numbered_in_order_and_known) {
  EXPECT_EQ(error_in("1: join"), "line 4, column 1: expected task 0: tasks are numbered in order");
  EXPECT_EQ(error_in("0: jump"),
            "line 4, column 4: expected `send`, `recv`, `copy`, `reduce`, `join`, `exchange`, "
            "`deliver`, `prefix`, `fan_in` or `fan_out`, found `jump`");
  EXPECT_EQ(error_in("0: send input[0+8] 1"), "line 4, column 20: expected `->`, found `1`");
  EXPECT_EQ(error_in("0: send input[0+8] -> x"), "line 4, column 23: expected a rank, found `x`");
  EXPECT_EQ(error_in("0: join join"),
            "line 4, column 9: expected `after` and tasks, or the end of the line, found `join`");
}

TEST(TextErrors, later_rounds_begin_at_whole_lines) {
  const std::string declared = "group 0: 0 1\nbuffer lines.0 256 group 0\n0: deliver lines.0[0+256] group 0 ";
  EXPECT_EQ(error_in(declared + "beyond 100"), "line 6, column 42: expected a multiple of 128, found 100");
  EXPECT_EQ(error_in(declared + "beyond"),
            "line 6, column 41: expected a size in bytes, found the end of the line");
}

TEST(TextErrors, ranges_name_declared_buffers_and_agree) {
  EXPECT_EQ(error_in("0: send scratch.0[0+8] -> 1"),
            "line 4, column 9: expected a buffer declared above, found `scratch`");
  EXPECT_EQ(error_in("0: copy input[0+8] -> output[0+4]"),
            "line 4, column 23: expected a range of 8 bytes as on the left, found 4");
  EXPECT_EQ(error_in("0: send input[0-8] -> 1"), "line 4, column 16: expected `+`, found `-8]`");
  EXPECT_EQ(error_in("0: send input[99999999999999999999+8] -> 1"),
            "line 4, column 15: expected an offset from -2305843009213693952 to 2305843009213693952, found "
            "`99999999999999999999`");
}

TEST(TextErrors, buffers_and_groups_are_numbered_in_order) {
  EXPECT_EQ(error_in("buffer scratch.1 8"),
            "line 4, column 8: expected `scratch.0`: buffers are numbered in order");
  EXPECT_EQ(error_in("buffer heap 8"),
            "line 4, column 8: expected `input`, `output`, `scratch.N`, `window.N`, `exposed.N`, `shared.N` "
            "or `lines.N`");
  EXPECT_EQ(error_in("group 1: 0 1"), "line 4, column 7: expected group 0: groups are numbered in order");
  EXPECT_EQ(error_in("group 0:"),
            "line 4, column 9: expected the ranks of the group, found the end of the line");
}

TEST(TextErrors, edges_start_at_tasks_of_the_schedule) {
  EXPECT_EQ(error_in("0: join after 7"), "line 4, column 15: expected a task from 0 to 0, found 7");
  EXPECT_EQ(error_in("0: join after"),
            "line 4, column 14: expected the tasks that this one waits for, found the end of "
            "the line");
}

TEST(TextErrors, strings_end_on_their_line) {
  EXPECT_EQ(error_in("algorithm \"ring"), "line 4, column 16: expected the closing `\"` on the same line");
  EXPECT_EQ(error_in("algorithm ring"),
            "line 4, column 11: expected the algorithm in double quotes, found `ring`");
}

TEST(TextErrors, columns_count_characters_and_messages_show_no_control_characters) {
  EXPECT_EQ(error_in("algorithm \"größe\" x"), "line 4, column 19: expected the end of the line, found `x`");
  EXPECT_EQ(
      error_in("\x1b[31m"),
      "line 4, column 1: expected `algorithm`, `outgoing`, `incoming`, `buffer`, `group`, a task (`0: send "
      "…`) or `end`, found `\\x1b[31m`");
}

}  // namespace
}  // namespace weft::tests
