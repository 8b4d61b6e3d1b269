// SPDX-License-Identifier: BSD-3-Clause
// Pool: to whom a rank's memory goes, and what it looks like then.
#include <gtest/gtest.h>
#include <optional>
#include <utility>
#include <vector>

#include "node/pool.hpp"

namespace weft::node {
namespace {

struct NodePool : testing::Test {
  static constexpr Bytes kMemory{64LL << 20};
  static constexpr AreaShape kShape{3, 4, Bytes(0)};
  Segment segment = std::move(Segment::make(kMemory, SegmentKind::kUnnamed).value());
  Pool pool{segment, {Bytes(0), kMemory}};

  Grant take() { return pool.take(std::vector{kShape}).value(); }
  Area first_area(const Grant& grant) const { return grant.areas(segment).front(); }
  void leave_with(const Grant& grant, std::vector<std::optional<std::uint64_t>> next_numbers) const {
    for (int member = 0; member < kShape.members; ++member)
      leave(first_area(grant), member, next_numbers[static_cast<std::size_t>(member)]);
  }
};

TEST_F(NodePool, gives_memory_on_when_all_members_have_left) {
  Grant grant = take();
  const Bytes where = grant.offset;
  for (int communicator = 0; communicator < 3; ++communicator) {
    const std::uint64_t before = grant.behind;
    leave(first_area(grant), 0, before + 1);
    pool.give_back(grant, 0);
    const Grant meanwhile = take();
    EXPECT_NE(meanwhile.offset, where) << "two are still there";
    leave(first_area(grant), 1, before + 20);
    leave(first_area(grant), 2, before + 3);
    const Grant next = take();
    EXPECT_EQ(next.offset, where);
    EXPECT_EQ(next.behind, before + 20) << "the greatest that they said";
    grant = next;
  }
}

TEST_F(NodePool, gives_on_at_once_what_nobody_used) {
  const Grant first = take();
  leave_with(first, {5, 5, 5});
  pool.give_back(first, 0);
  for (int time = 0; time < 3; ++time) {
    const Grant again = take();
    EXPECT_EQ(again.offset, first.offset);
    EXPECT_EQ(again.behind, 5u);
    pool.give_back_unused(again);
  }
  EXPECT_EQ(pool.taken(), Bytes(0));
}

TEST_F(NodePool, gives_up_nothing_for_the_best) {
  const std::vector wanted = {AreaShape{3, 4, Bytes(896 << 10)}, kShape};
  const Grant large = pool.take(wanted).value();
  ASSERT_EQ(large.shape, wanted.front());
  EXPECT_FALSE(pool.take(wanted, Pool::Choice::kBest)) << "there is no memory for two of them";
  const Grant small = pool.take(wanted).value();
  EXPECT_EQ(small.shape, kShape);
  leave_with(small, {5, 5, 5});
  pool.give_back(small, 0);
  EXPECT_FALSE(pool.take(wanted, Pool::Choice::kBest));
  EXPECT_EQ(take().behind, 5u) << "what was left is still there as it was";
  leave_with(large, {7, 7, 7});
  pool.give_back(large, 0);
  const std::optional<Grant> again = pool.take(wanted, Pool::Choice::kBest);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->offset, large.offset);
}

TEST_F(NodePool, clears_what_a_member_does_not_know) {
  const Grant first = take();
  const Area area = first_area(first);
  Area::arrival(area.lines(0, 0), 1).store(77);
  area.consumed(2).store(9);
  area.called(0, 3).store(3);
  first.letters(segment).stop(1, 2);
  leave_with(first, {5, std::nullopt, 5});
  pool.give_back(first, 0);
  const Grant next = take();
  ASSERT_EQ(next.offset, first.offset) << "the same memory";
  EXPECT_EQ(next.behind, 0u);
  EXPECT_EQ(Area::arrival(area.lines(0, 0), 1).load(), 0u);
  EXPECT_EQ(area.consumed(2).load(), 0u);
  EXPECT_EQ(area.called(0, 3).load(), 0u);
  EXPECT_FALSE(next.letters(segment).has_stopped(1));
}

}  // namespace
}  // namespace weft::node
