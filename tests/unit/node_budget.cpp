// SPDX-License-Identifier: BSD-3-Clause
// The budget of a node's memory: what communicators get of it, by the number of ranks on the node.
#include <gtest/gtest.h>

#include "node/budget.hpp"

namespace weft::node {
namespace {

TEST(NodeBudget, gives_up_to_twelve_ranks_what_the_settings_say) {
  const NodeSettings settings;
  for (const int ranks : {2, 4, 8, 12})
    EXPECT_EQ(first_rank_bytes(settings, ranks), settings.rank_bytes) << ranks;
}

TEST(NodeBudget, gives_less_to_each_of_more_ranks_rather_than_nothing) {
  Bytes before = NodeSettings{}.rank_bytes;
  for (const int ranks : {16, 24, 32, 48, 64}) {
    const auto room = first_rank_bytes({}, ranks);
    ASSERT_TRUE(room) << ranks;
    EXPECT_GE(*room, Bytes(4 << 10)) << ranks;
    EXPECT_LE(*room, before) << ranks;
    before = *room;
  }
  EXPECT_EQ(first_rank_bytes({}, 128), Bytes(0)) << "lines";
}

TEST(NodeBudget, has_room_for_two_communicators_where_one_may_not_have_all_it_wants) {
  for (const int ranks : {16, 24, 32}) {
    const NodeSettings settings;
    const Bytes half = half_of(arena_bytes(settings, ranks));
    const AreaShape shape = wanted_shapes(settings, ranks, half).front();
    EXPECT_TRUE(may_take(shape, shape.size() * kAreas, half)) << ranks;
  }
}

TEST(NodeBudget, wants_nothing_that_an_empty_half_cannot_give) {
  for (const Bytes memory : {Bytes(1 << 20), Bytes(8 << 20), Bytes(64 << 20), Bytes(512 << 20)})
    for (int ranks = 1; ranks <= 256; ++ranks)
      for (const int slots : {1, 16, 64}) {
        const NodeSettings settings{.slots = slots, .memory = memory};
        const Bytes half = half_of(arena_bytes(settings, ranks));
        for (const AreaShape& shape : wanted_shapes(settings, ranks, half)) {
          EXPECT_LE(shape.rank_bytes, settings.rank_bytes);
          EXPECT_EQ(shape.rank_bytes.value % kLineStride.value, 0);
          EXPECT_TRUE(shape.rank_bytes == Bytes(0) || may_take(shape, Bytes(0), half)) << ranks;
        }
      }
}

}  // namespace
}  // namespace weft::node
