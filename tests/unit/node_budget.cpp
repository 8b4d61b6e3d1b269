// SPDX-License-Identifier: BSD-3-Clause
// The budget of a node's memory: what communicators get of it, by the number of ranks on the node.
#include <algorithm>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "node/budget.hpp"

namespace weft::node {
namespace {

Bytes half_of_arena(const NodeSettings& settings, int ranks, int which = 0) {
  return half_of(arena_place(settings, ranks, which).size);
}

TEST(NodeBudget, gives_the_first_rank_as_much_as_all_others) {
  for (const int ranks : {1, 2, 3, 8, 256}) {
    Bytes end;
    for (int which = 0; which < ranks; ++which) {
      const ArenaPlace place = arena_place({}, ranks, which);
      EXPECT_EQ(place.begin, end) << "without gaps";
      EXPECT_EQ(place.size, arena_place({}, ranks, which == 0 ? 0 : 1).size);
      end = place.begin + place.size;
    }
    EXPECT_EQ(end, bytes_of_arenas({}, ranks));
    EXPECT_LE(end, NodeSettings{}.memory);
    EXPECT_GE(arena_place({}, ranks, 0).size, end / 2) << ranks;
  }
  for (const NodeSettings& none : {NodeSettings{.enabled = false}, NodeSettings{.memory = Bytes(1 << 20)}})
    EXPECT_EQ(bytes_of_arenas(none, 64), Bytes(0)) << "some would have none";
}

TEST(NodeBudget, gives_up_to_128_ranks_what_the_settings_say) {
  const NodeSettings settings;
  for (const int ranks : {4, 8, 12, 32, 128})
    EXPECT_EQ(first_rank_bytes(settings, ranks), settings.rank_bytes) << ranks;
  EXPECT_EQ(first_rank_bytes(settings, 2), cell_stride(Bytes(128 << 10)) * 2) << "two have no use for more";
}

TEST(NodeBudget, gives_less_to_each_of_more_ranks_rather_than_nothing) {
  Bytes before = NodeSettings{}.rank_bytes;
  const NodeSettings little{.memory = Bytes(1 << 30)};
  for (const int ranks : {16, 24, 32, 48, 64, 128, 256}) {
    const auto room = first_rank_bytes(little, ranks);
    ASSERT_TRUE(room) << ranks;
    EXPECT_GE(*room, Bytes(4 << 10)) << ranks;
    EXPECT_LE(*room, before) << ranks;
    before = *room;
  }
  EXPECT_LT(before, NodeSettings{}.rank_bytes);
  EXPECT_EQ(first_rank_bytes({.memory = Bytes(72 << 20)}, 512), Bytes(0)) << "lines";
}

// What each of so many communicators of all ranks gets, one after the other.
std::vector<Bytes> rooms_of_communicators(int ranks, int communicators, bool in_a_crowd = false) {
  const NodeSettings settings;
  const Bytes half = half_of_arena(settings, ranks);
  std::vector<Bytes> rooms;
  Bytes taken;
  const std::vector<AreaShape> wanted = wanted_shapes(settings, ranks, half, in_a_crowd);
  for (int i = 0; i < communicators; ++i)
    for (const AreaShape& shape : still_wanted(wanted, taken, half))
      if (may_take(shape, taken, half)) {
        rooms.push_back(shape.rank_bytes);
        taken += areas_and_letters(shape);
        break;
      }
  return rooms;
}

TEST(NodeBudget, gives_less_to_later_communicators_rather_than_nothing) {
  for (const auto& [ranks, communicators] : {std::pair(2, 640), {4, 250}, {8, 130}, {16, 65}, {32, 35}}) {
    const std::vector<Bytes> rooms = rooms_of_communicators(ranks, communicators);
    ASSERT_EQ(rooms.size(), static_cast<std::size_t>(communicators));
    EXPECT_TRUE(std::is_sorted(rooms.rbegin(), rooms.rend())) << ranks;
    EXPECT_GE(rooms.back(), Bytes(4 << 10)) << ranks;
  }
  EXPECT_GE(rooms_of_communicators(8, 120, true).back(), Bytes(4 << 10)) << "with more slots";
  EXPECT_EQ(rooms_of_communicators(2, 450).back(), first_rank_bytes({}, 2));
  EXPECT_EQ(rooms_of_communicators(8, 200).back(), Bytes(0)) << "lines";
}

TEST(NodeBudget, gives_ranks_in_a_crowd_more_slots_while_there_is_plenty) {
  const NodeSettings settings;
  const auto wanted = [&](int ranks, bool in_a_crowd, int which = 0) {
    return wanted_shapes(settings, ranks, half_of_arena(settings, ranks, which), in_a_crowd);
  };
  for (const int ranks : {2, 3, 8, 16, 64}) {
    const Bytes half = half_of_arena(settings, ranks);
    const auto in_a_crowd = wanted(ranks, true);
    const AreaShape first = in_a_crowd.front(), usual = wanted(ranks, false).front();
    EXPECT_EQ(first.slots, kMostSlots) << ranks;
    EXPECT_EQ(first.rank_bytes, usual.rank_bytes) << ranks;
    EXPECT_EQ(still_wanted(in_a_crowd, areas_and_letters(first), half).front(), first) << "so has the second";
    for (const AreaShape& later : still_wanted(in_a_crowd, half * 3 / 8, half))
      EXPECT_LE(later.slots, settings.slots) << ranks;
  }
  EXPECT_EQ(wanted(32, true, 1), wanted(32, false, 1)) << "more would not fit twice";
  const NodeSettings few{.slots = 16};
  const Bytes half = half_of_arena(few, 2);
  EXPECT_EQ(wanted_shapes(few, 2, half, true), wanted_shapes(few, 2, half, false)) << "as asked for";
}

TEST(NodeBudget, wants_nothing_that_an_empty_half_cannot_give) {
  for (const Bytes memory : {Bytes(1 << 20), Bytes(8 << 20), Bytes(64 << 20), Bytes(1 << 30)})
    for (int ranks = 1; ranks <= 256; ++ranks)
      for (const int slots : {1, 16, 64}) {
        const NodeSettings settings{.slots = slots, .memory = memory};
        const Bytes half = half_of_arena(settings, ranks);
        for (const AreaShape& shape : wanted_shapes(settings, ranks, half, ranks % 2 == 0)) {
          EXPECT_LE(shape.rank_bytes, settings.rank_bytes);
          EXPECT_EQ(shape.rank_bytes.value % kLineStride.value, 0);
          EXPECT_TRUE(shape.rank_bytes == Bytes(0) || may_take(shape, Bytes(0), half)) << ranks;
        }
      }
}

}  // namespace
}  // namespace weft::node
