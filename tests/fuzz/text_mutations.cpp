// SPDX-License-Identifier: BSD-3-Clause
// Valid texts, cut and mutated at random: the parsers give a located error or a value, and whatever is a
// value can be printed, drawn and read again. A failure prints the seed that replays it.
#include <gtest/gtest.h>

#include "schedule/dot.hpp"
#include "schedule/json.hpp"
#include "schedule/svg.hpp"
#include "schedule/text.hpp"
#include "support/located.hpp"
#include "support/mutate.hpp"
#include "support/same_schedule.hpp"
#include "support/whole_call.hpp"
#include "topology/topology.hpp"

namespace weft::tests {
namespace {

// Pieces that parsers may stumble over.
const std::vector<std::string> kPieces = {"0",
                                          "-1",
                                          "9223372036854775807",
                                          "99999999999999999999",
                                          "4294967296",
                                          "-",
                                          ":",
                                          ".",
                                          "[",
                                          "]",
                                          "+",
                                          "->",
                                          "\"",
                                          "\\",
                                          "\n",
                                          "\r",
                                          "#",
                                          ",",
                                          " after ",
                                          " 0",
                                          "end\n",
                                          "schedule ",
                                          "send input[0+8] -> 1",
                                          "scratch.0",
                                          "buffer.7",
                                          "group 0: 0 1\n",
                                          "join",
                                          std::string(1, '\0'),
                                          "\xff",
                                          "é",
                                          "node:",
                                          "core:2",
                                          "socket",
                                          "rank",
                                          "of"};

// One text per kind of thing that can stand in one.
std::vector<std::string> schedule_texts() {
  std::vector<std::string> texts;
  const auto add = [&](const std::vector<Schedule>& schedules) {
    std::string text;
    for (const Schedule& schedule : schedules) text += print_schedule(schedule);
    texts.push_back(std::move(text));
  };
  for (const Algorithm& algorithm : catalog())
    add(build_all({.collective = algorithm.collective, .rank_count = 5, .bytes = Bytes(16)}, algorithm.name,
                  3));
  add(node_level_schedules());
  return texts;
}

TEST(Fuzz, schedule_texts_give_a_located_error_or_a_schedule) {
  const std::vector<std::string> texts = schedule_texts();
  int errors = 0;
  int values = 0;
  for (unsigned seed = 0; seed < 6000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator random(seed);
    const auto parsed = parse_schedules(mutate(texts[seed % texts.size()], kPieces, random));
    if (!parsed) {
      ++errors;
      expect_located(parsed.error());
      continue;
    }
    ++values;
    std::string printed;
    for (const Schedule& schedule : *parsed) printed += print_schedule(schedule);
    const auto again = parse_schedules(printed);
    ASSERT_TRUE(again.ok()) << again.error() << "\n" << printed;
    ASSERT_EQ(again->size(), parsed->size());
    for (std::size_t s = 0; s < parsed->size(); ++s) expect_same((*again)[s], (*parsed)[s]);
    EXPECT_FALSE(svg(*parsed).empty());
    EXPECT_FALSE(dot(*parsed).empty());
    EXPECT_FALSE(json(*parsed, -1).empty());
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(errors, 1000) << "the mutations are too tame";
  EXPECT_GT(values, 1000) << "the mutations are too wild";
}

TEST(Fuzz, every_prefix_of_a_schedule_text_is_incomplete) {
  const std::string text = print_schedule(build_all(allreduce_of(7), "recursive_k_ing").front());
  for (std::size_t length = 0; length + 1 < text.size(); ++length) {
    const auto parsed = parse_schedules(text.substr(0, length));
    ASSERT_FALSE(parsed.ok()) << length;
    expect_located(parsed.error());
  }
}

TEST(Fuzz, topology_texts_give_a_located_error_or_a_topology) {
  const std::vector<std::string> texts = {"node:2 socket:2 core:4",
                                          "network:2 node:1,3 numa:2 l3:2 l2:2 core:2",
                                          "socket:2\ncore:4,2 # a comment"};
  int values = 0;
  for (unsigned seed = 0; seed < 6000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator random(seed);
    const auto parsed = Topology::parse(mutate(texts[seed % texts.size()], kPieces, random));
    if (!parsed) {
      expect_located(parsed.error());
      continue;
    }
    ++values;
    const auto again = Topology::parse(parsed->text());
    ASSERT_TRUE(again.ok()) << again.error() << "\n" << parsed->text();
    EXPECT_EQ(*again, *parsed);
  }
  EXPECT_GT(values, 1000);
}

}  // namespace
}  // namespace weft::tests
