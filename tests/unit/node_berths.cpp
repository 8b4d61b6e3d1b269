// SPDX-License-Identifier: BSD-3-Clause
// Berths: what a rank's pool of memory books for the persistent operations of communicators.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <utility>
#include <vector>

#include "node/pool.hpp"

namespace weft::node {
namespace {

std::array<int, 3> counts_of(const Grant& grant) { return grant.berths.count_of; }

// Nothing is written, so that no memory is taken.
struct NodeBerths : testing::Test {
  static constexpr Bytes kMemory{4LL << 30};
  Segment segment = std::move(Segment::make(kMemory, SegmentKind::kUnnamed).value());
  Pool pool{segment, {Bytes(0), kMemory}};

  std::optional<Grant> take(const AreaShape& shape) { return pool.take(std::vector{shape}); }
};

TEST_F(NodeBerths, lie_one_behind_the_other) {
  for (const AreaShape& areas : {AreaShape{2, 64, Bytes(272 << 10)}, AreaShape{8, 256, Bytes(528 << 10)},
                                 AreaShape{32, 4, Bytes(4 << 10)}, AreaShape{3, 64, Bytes(0)}}) {
    const Berths berths = take(areas)->berths;
    EXPECT_GE(berths.count(), 64);
    Bytes end = berths.offset;
    int before = 0;
    for (int berth = 0; berth < berths.count(); ++berth) {
      const auto [kind, begin] = berths.place_of(berth);
      EXPECT_EQ(begin, end) << berth;
      EXPECT_GE(static_cast<int>(kind), before) << "the best first";
      const AreaShape shape = berths.area(segment, berth).shape();
      EXPECT_EQ(shape, berths.shape_of(kind));
      EXPECT_LE(shape.rank_bytes, areas.rank_bytes);
      EXPECT_LE(shape.slots, areas.slots);
      EXPECT_EQ(shape.rank_bytes == Bytes(0), kind == BerthKind::kLines || areas.rank_bytes == Bytes(0));
      end += shape.size();
      before = static_cast<int>(kind);
    }
    EXPECT_EQ(end - berths.offset, berths.bytes());
  }
}

TEST_F(NodeBerths, of_later_communicators_have_less_but_there_are_some) {
  const std::vector<AreaShape> wanted = wanted_shapes({}, 8, half_of(kMemory));
  const std::array<int, 3> first = counts_of(*pool.take(wanted));
  EXPECT_EQ(first, (std::array{4, 60, 0}));
  std::array<int, 3> before = first;
  for (int communicator = 1; communicator < 100; ++communicator) {
    const std::optional<Grant> grant = pool.take(wanted);
    ASSERT_TRUE(grant) << communicator;
    const std::array<int, 3> now = counts_of(*grant);
    EXPECT_GE(grant->berths.count(), 64) << communicator;
    EXPECT_LE(std::pair(now[0], now[1]), std::pair(before[0], before[1])) << communicator;
    before = now;
  }
  EXPECT_EQ(before, (std::array{0, 0, 64}));
}

TEST_F(NodeBerths, have_lines_alone_where_a_communicator_has_no_rooms) {
  EXPECT_EQ(counts_of(*take({8, 64, Bytes(0)})), (std::array{0, 0, 64}));
}

TEST_F(NodeBerths, are_given_back_with_the_communicator) {
  const AreaShape areas{2, 64, Bytes(272 << 10)};
  const Grant first = *take(areas);
  for (int time = 0; time < 2000; ++time) {
    const Grant next = *take(areas);
    EXPECT_EQ(counts_of(next), counts_of(first)) << time;
    pool.give_back_unused(next);
  }
}

// Operations of the first communicator have written into so many berths; one of the same shape has used none
// of them; then one of another shape gets the memory.
TEST_F(NodeBerths, are_empty_for_whoever_gets_the_memory) {
  const AreaShape areas{2, 64, Bytes(64 << 10)}, other{3, 16, Bytes(32 << 10)};
  const int used = 10;
  const auto leave_all = [&](const Grant& grant, int berths) {
    for (int member = 0; member < grant.shape.members; ++member)
      leave(grant.areas(segment).front(), member, grant.behind + 7);
    pool.give_back(grant, berths);
  };
  const auto has_arrivals = [&](const Area& area) {
    for (int member = 0; member < area.shape().members; ++member)
      for (int slot = 0; slot < area.shape().slots; ++slot)
        if (Area::arrival(area.lines(static_cast<std::uint64_t>(slot), 0), member).load() != 0) return true;
    return false;
  };

  const Grant first = *take(areas);
  std::byte* const begin = segment.memory() + first.berths.offset.value;
  const auto bytes =
      static_cast<std::size_t>((first.berths.place_of(used).offset - first.berths.offset).value);
  std::fill_n(begin, bytes, std::byte{0x5a});
  ASSERT_TRUE(has_arrivals(first.berths.area(segment, used - 1)));
  leave_all(first, used);

  const Grant again = *take(areas);
  ASSERT_EQ(again.berths.offset, first.berths.offset) << "the same memory";
  for (int berth = 0; berth < used; ++berth)
    EXPECT_FALSE(has_arrivals(again.berths.area(segment, berth))) << berth;
  leave_all(again, 0);

  EXPECT_EQ(pool.taken(), Bytes(0));
  const Grant foreign = *take(other);
  ASSERT_EQ(foreign.berths.offset, first.berths.offset) << "the same memory";
  EXPECT_TRUE(std::all_of(begin, begin + bytes, [](std::byte b) { return b == std::byte{0}; }));
}

}  // namespace
}  // namespace weft::node
