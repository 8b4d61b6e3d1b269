// SPDX-License-Identifier: BSD-3-Clause
// Access epochs as schedules and as task lists: what they look like, in words and in text that is read again.
#include <gtest/gtest.h>

#include "schedule/epoch.hpp"
#include "schedule/task_list_svg.hpp"
#include "schedule/task_list_text.hpp"
#include "schedule/text.hpp"
#include "support/picture.hpp"
#include "support/same_schedule.hpp"
#include "support/task_lists.hpp"
#include "transform/critical_path.hpp"

namespace weft::tests {
namespace {

std::vector<Schedule> epoch(PutsTo whom, int ranks, Bytes bytes) {
  auto schedules = example_epoch(whom, ranks, bytes);
  EXPECT_TRUE(schedules) << schedules.error();
  return std::move(*schedules);
}

TEST(Epochs, are_posted_written_to_and_closed) {
  EXPECT_EQ(print_schedule(epoch(PutsTo::kNext, 4, Bytes(64))[0]),
            "schedule neighbor_alltoallv rank 0 of 4 bytes 64\n"
            "  algorithm \"put\"\n"
            "  outgoing 1 [0+64]\n"
            "  incoming 3 [0+64]\n"
            "  buffer input 64\n"
            "  buffer output 64\n"
            "  buffer window.0 64\n"
            "  buffer window.1 64\n"
            "  0: send output[0+0] -> 3\n"
            "  1: recv 1 -> output[0+0]\n"
            "  2: copy input[0+64] -> window.1[0+64]  after 1\n"
            "  3: send output[0+0] -> 1               after 1 2\n"
            "  4: recv 3 -> output[0+0]\n"
            "end\n");
}

TEST(Epochs, are_lists_of_writes) {
  const auto lists = lower_all(epoch(PutsTo::kNext, 4, Bytes(64)), {});
  EXPECT_EQ(draw(lists[0]),
            "rank 0: 7 tasks in 1 list, 2 connections, 0 calcs, 1 write, 0 over the loop-back, no mailboxes\n"
            "  QP 3       QP 1\n"
            "  post_recv  post_recv\n"
            "  ---------  -----------------------------------\n"
            "  send       wait QP 1\n"
            "  wait QP 3  write input[0+64] -> window.1[0+64]\n"
            "             send\n");
  EXPECT_NE(json(lists).find("\"target\": \"window.1[0+64]\""), std::string::npos);
  EXPECT_EQ(critical_path(raise_all(lists)), 2);
}

TEST(Epochs, are_drawn_with_their_writes) {
  const auto lists = lower_all(epoch(PutsTo::kNeighbors, 6, Bytes(8)), {});
  const std::string picture = svg(lists);
  expect_well_formed(picture);
  std::size_t writes = 0;
  for (const TaskList& list : lists) writes += counts_of(list).writes;
  EXPECT_GT(writes, 0U);
  EXPECT_EQ(occurrences(picture, "class=\"task write"), writes);
}

TEST(Epochs, are_read_as_they_are_printed) {
  for (const PutsTo whom : {PutsTo::kNext, PutsTo::kNeighbors})
    for (const Schedule& schedule : epoch(whom, 6, Bytes(64))) {
      const auto parsed = parse_schedules(print_schedule(schedule));
      ASSERT_TRUE(parsed) << parsed.error();
      expect_same(parsed->front(), schedule);
    }
}

TEST(Epochs, of_more_targets_than_there_are_buffers_are_refused) {
  const Call call{.collective = Collective::kAlltoallv, .rank_count = 300, .bytes = Bytes(8)};
  std::vector<Parcels> parcels;
  for (int rank = 0; rank < 300; ++rank) parcels.push_back(example_parcels(call, Rank(rank), false));
  const auto refused = epoch_of(call, parcels, Rank(7));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("rank 7 of alltoallv"), std::string::npos);
  EXPECT_NE(refused.error().find("puts to 299 ranks, and 250 are the most"), std::string::npos);
}

}  // namespace
}  // namespace weft::tests
