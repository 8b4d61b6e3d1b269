// SPDX-License-Identifier: BSD-3-Clause
// parse(print(s)) is s: for everything that the catalog builds, and for damaged schedules as well.
#include "schedule/text.hpp"
#include "support/same_schedule.hpp"
#include "support/whole_call.hpp"

namespace weft::tests {
namespace {

void expect_round_trip(const std::vector<Schedule>& schedules) {
  std::string text;
  for (const Schedule& schedule : schedules) text += print_schedule(schedule);
  const auto parsed = parse_schedules(text);
  ASSERT_TRUE(parsed.ok()) << parsed.error() << "\n" << text;
  ASSERT_EQ(parsed->size(), schedules.size());
  for (std::size_t s = 0; s < schedules.size(); ++s) expect_same((*parsed)[s], schedules[s]);
}

TEST(TextRoundTrip, holds_for_the_whole_catalog) {
  for (const Algorithm& algorithm : catalog())
    for (const int ranks : {1, 2, 5, 9})
      for (const std::int64_t bytes : {0, 8, 104})
        for (const bool in_place : {false, true}) {
          SCOPED_TRACE(std::string(name_of(algorithm.collective)) + " by " + std::string(algorithm.name));
          Call call{.collective = algorithm.collective, .rank_count = ranks, .bytes = Bytes(bytes)};
          if (is_rooted(call.collective)) call.root = Rank(ranks - 1);
          if (is_reduction(call.collective)) call.element_bytes = Bytes(8);
          expect_round_trip(build_all(call, algorithm.name, 3, in_place));
        }
}

TEST(TextRoundTrip, holds_over_hierarchies) {
  for (const Collective collective : kCollectives) {
    if (!find_algorithm(collective, "hierarchical").ok()) continue;
    for (const char* depth : {"node", "socket", "socket+node"}) {
      Call call{.collective = collective, .rank_count = 11, .bytes = Bytes(104)};
      if (is_reduction(collective)) call.element_bytes = Bytes(8);
      for (const Leader leader : {Leader::kLast, Leader::kFixed})
        expect_round_trip(build_over("node:2 socket:2 core:3", depth, call, leader));
    }
  }
}

TEST(TextRoundTrip, holds_for_operators_that_do_not_commute) {
  Call call = allreduce_of(7);
  call.commutative = false;
  expect_round_trip(build_all(call, "recursive_k_ing"));
}

TEST(TextRoundTrip, holds_for_node_level_tasks_and_joins) {
  expect_round_trip(node_level_schedules());
  Builder b(allreduce_of(3), Rank(1), true);
  b.send(0, b.output());
  b.join();
  b.recv(2, b.output());
  expect_round_trip({std::move(b).finish("rounds")});
}

TEST(TextRoundTrip, keeps_what_a_verifier_would_reject_as_it_is) {
  Schedule damaged = build_all(allreduce_of(4), "recursive_k_ing").front();
  ASSERT_GE(damaged.tasks.size(), 4u);
  damaged.tasks[0].peer = -7;
  damaged.tasks[0].ordinal = 5;
  damaged.tasks[1].source = BufferId(200);
  damaged.tasks[1].size = Bytes(-3);
  damaged.tasks[2].target_offset = Bytes(1 << 30);
  const TaskId first(0);
  const TaskId last(static_cast<std::uint32_t>(damaged.tasks.size() - 1));
  set_edges(damaged, std::vector<Edge>{{last, first}, {first, first}});
  expect_round_trip({damaged});
}

TEST(TextRoundTrip, keeps_buffers_that_share_a_name) {
  Schedule odd = build_all(allreduce_of(2), "recursive_k_ing").front();
  const auto second_input = static_cast<std::uint8_t>(odd.buffers.size());
  odd.buffers.push_back({BufferRole::kInput, Bytes(24), GroupId(3)});
  odd.tasks.back().source = BufferId(second_input);
  expect_round_trip({odd});
}

TEST(TextRoundTrip, keeps_later_rounds_of_a_delivery) {
  const Call call{.collective = Collective::kAlltoallv, .rank_count = 3, .bytes = Bytes(2000)};
  const Schedule schedule =
      build_example(**find_algorithm(call.collective, "delivery"), call,
                    {.fragment = Bytes(0), .pair_fragment = kLineStride}, Rank(1), false);
  EXPECT_NE(print_schedule(schedule).find(" beyond 1024"), std::string::npos);
  expect_round_trip({schedule});
}

TEST(TextRoundTrip, keeps_any_name_of_an_algorithm) {
  Schedule schedule = build_all(allreduce_of(2), "recursive_k_ing").front();
  for (const char* name :
       {"", " spaces ", "\"quoted\"", "back\\slash", "two\nlines", "# no comment", "Größe"}) {
    schedule.algorithm = name;
    expect_round_trip({schedule});
  }
}

TEST(TextRoundTrip, accepts_comments_blanks_and_edges_in_any_order) {
  const auto parsed = parse_schedules(
      "# a picture of nothing\n\n"
      "schedule reduce rank 0 of 2 root 1 bytes 16 element 4   # rank 1 gets it\n"
      "buffer input 16\r\n\tbuffer output 0\n"
      "0: send input [ 0 + 8 ]->1\n"
      "1: send input[8+8] -> 1 after 0\n"
      "2: send input[8+8] -> 1 ordinal 9 after 1 0 1\n"
      "end");
  ASSERT_TRUE(parsed.ok()) << parsed.error();
  const Schedule& schedule = parsed->front();
  EXPECT_EQ(schedule.call.root, Rank(1));
  EXPECT_EQ(schedule.tasks[1].ordinal, 1u);
  EXPECT_EQ(schedule.tasks[2].ordinal, 9u);
  EXPECT_EQ(schedule.predecessor_count, (std::vector<std::uint32_t>{0, 1, 2}));
}

}  // namespace
}  // namespace weft::tests
