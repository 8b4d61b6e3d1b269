// SPDX-License-Identifier: BSD-3-Clause
// What lies where in the memory that ranks of a node share for one communicator.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "node/area.hpp"
#include "node/port.hpp"
#include "node/segment.hpp"

namespace weft::node {
namespace {

using Extent = std::pair<Bytes, Bytes>;  // where it begins and ends

std::vector<AreaShape> some_shapes() {
  std::vector<AreaShape> shapes;
  for (const int members : {2, 3, 8, 33})
    for (const int slots : {1, 2, 4, 8, 16, 64, 256})
      for (const Bytes room : {Bytes(0), Bytes(4 << 10), Bytes(528 << 10)})
        shapes.push_back({members, slots, room});
  return shapes;
}

TEST(NodeArea, has_rooms_that_do_not_overlap) {
  for (const AreaShape& shape : some_shapes()) {
    std::vector<std::byte> memory(64);
    const Area area(memory.data(), shape);  // only its addresses are asked for
    Bytes end = shape.rooms_begin();
    for (const Room room : kRooms)
      for (int n = 0; n < shape.count_of(room); ++n) {
        const std::uint64_t operation = kYoung + static_cast<std::uint64_t>(n);
        const Bytes begin(area.room(room, operation) - memory.data());
        EXPECT_EQ(begin, end);
        end += shape.bytes_of(room);
        EXPECT_EQ(area.room(room, operation + static_cast<std::uint64_t>(shape.count_of(room))),
                  area.room(room, operation))
            << "in turn";
      }
    EXPECT_EQ(end, shape.size());
  }
}

TEST(NodeArea, has_no_more_rooms_of_a_larger_kind) {
  for (const AreaShape& shape : some_shapes()) {
    int most = shape.slots;
    for (const Room room : kRooms) {
      EXPECT_LE(std::min(shape.slots, shape.count_of(room)), most) << shape.slots;
      most = std::min(shape.slots, shape.count_of(room));
    }
  }
}

// How many operations before its own a member has to see consumed.
TEST(NodePort, is_ahead_by_as_many_operations_as_there_are_rooms) {
  struct Case {
    int slots, small, middle, large, several_lines;
  };
  for (const Case& c : {Case{256, 256, 32, 2, 64}, Case{64, 64, 8, 2, 16}, Case{16, 16, 2, 2, 4},
                        Case{8, 8, 2, 2, 2}, Case{4, 4, 2, 2, 1}, Case{2, 2, 2, 2, 1}, Case{1, 1, 1, 1, 1}}) {
    const auto ahead = [&](const Usage& usage) {
      const AreaShape shape{2, c.slots, Bytes(4 << 10)};
      std::vector<std::byte> memory(static_cast<std::size_t>(shape.size().value));
      Port port(Area(memory.data(), shape), 0);
      for (int n = 0; n < 4999; ++n) port.next_turn({});
      return static_cast<int>(5000 - port.next_turn(usage).after);
    };
    EXPECT_EQ(ahead({.room = Room::kSmall}), c.small) << c.slots;
    EXPECT_EQ(ahead({.room = Room::kMiddle}), c.middle) << c.slots;
    EXPECT_EQ(ahead({.room = Room::kLarge}), c.large) << c.slots;
    EXPECT_EQ(ahead({.lines = 2}), c.several_lines) << c.slots;
  }
}

// Young or not, and from one to the other: no two operations have the same memory unless the later one waits
// for the earlier one. But for those that follow the young ones it waits for no other. The first has the
// first memory, whatever its number.
TEST(NodePort, waits_for_who_had_the_memory_before) {
  for (const AreaShape& shape : some_shapes())
    for (const Usage& usage : {Usage{.room = Room::kSmall}, Usage{.room = Room::kMiddle},
                               Usage{.room = Room::kLarge}, Usage{.lines = 2}}) {
      static std::uint64_t behind = 0;
      behind = (behind + 997) % 10'000;
      std::vector<std::byte> memory(64);
      const Area area(memory.data(), shape, behind);  // only its addresses are asked for
      Port port(area, 0);
      EXPECT_EQ(area.lines(behind + 1, 0), Area(memory.data(), shape).lines(1, 0));
      std::map<const std::byte*, std::uint64_t> last;
      for (std::uint64_t n = 1; n < 5000; ++n) {
        const Turn turn = port.next_turn(usage);
        ASSERT_EQ(turn.operation, behind + n);
        std::set<const std::byte*> used;
        for (int lines = 0; lines < std::max(usage.lines, 1); ++lines)
          used.insert(area.lines(turn.operation, lines));
        if (shape.rank_bytes > Bytes(0))
          for (const Room room : kRooms)
            if (room <= usage.room) used.insert(area.room(room, turn.operation));
        std::uint64_t before = behind;
        for (const std::byte* const at : used)
          before = std::max(before, std::exchange(last[at], turn.operation));
        ASSERT_GE(turn.after, before) << n << " of " << shape.slots;
        const bool follows_young = n >= kYoung && n < kYoung + kMostSlots;
        if (follows_young || shape.rank_bytes == Bytes(0)) continue;
        ASSERT_EQ(turn.after, before) << n << " of " << shape.slots;
      }
    }
}

// However many operations are under way, and whichever ends first.
TEST(NodePort, has_consumed_an_operation_when_all_before_it_are_over) {
  const AreaShape shape{2, kMostSlots, Bytes(0)};
  std::vector<std::byte> memory(static_cast<std::size_t>(shape.size().value));
  const Area area(memory.data(), shape);
  Port port(area, 0);
  Random random(1);
  std::set<std::uint64_t> under_way;
  std::uint64_t last = 0;
  for (int n = 0; n < 20'000; ++n) {
    const std::uint64_t oldest = under_way.empty() ? last + 1 : *under_way.begin();
    ASSERT_EQ(area.consumed(0).load(), oldest - 1);
    if (last < oldest + kMostSlots - 1 && random.chance(n % 4000 < 2000 ? 70 : 30)) {
      under_way.insert(++last);
      continue;
    }
    if (under_way.empty()) continue;
    const auto which =
        std::next(under_way.begin(), static_cast<std::ptrdiff_t>(random.below(under_way.size())));
    port.consume(*which);
    under_way.erase(which);
  }
  EXPECT_GT(last, 5000u);
}

TEST(NodePort, knows_who_takes_no_part_in_an_operation) {
  const AreaShape shape{3, 4, Bytes(0)};
  std::vector<std::byte> memory(static_cast<std::size_t>(shape.size().value));
  const Area area(memory.data(), shape);
  Port first(area, 0), last(area, 2);
  for (int n = 0; n < 10; ++n) first.next_turn({});
  for (int n = 0; n < 7; ++n) last.next_turn({});
  EXPECT_EQ(first.find_who_ended_before(10), -1) << "it may still begin it";
  last.tell_end();
  EXPECT_EQ(first.find_who_ended_before(7), -1) << "it has begun it";
  EXPECT_EQ(first.find_who_ended_before(8), 2);
  EXPECT_EQ(first.find_who_ended_before(10), 2);
  const Port of_next(Area(memory.data(), shape, std::max(first.next_number(), last.next_number())), 0);
  EXPECT_EQ(of_next.find_who_ended_before(of_next.next_number()), -1) << "it was another communicator's";
}

// What members of a communicator have said means nothing to those of the next one, who have the memory as it
// is.
TEST(NodePort, goes_on_behind_all_numbers_of_the_communicator_before) {
  const AreaShape shape{2, 4, Bytes(0)};
  std::vector<std::byte> memory(static_cast<std::size_t>(shape.size().value));
  std::uint64_t behind = 0;
  for (int communicator = 0; communicator < 3; ++communicator) {
    const Area area(memory.data(), shape, behind);
    Port fast(area, 0), slow(area, 1);
    // The one has called often; the other had blocks of arrivals with many steps.
    for (int n = 0; n < 20; ++n) EXPECT_EQ(slow.find_other_call(fast.tell_call(n % 128), n % 128), -1);
    const Turn first = fast.next_turn({});
    EXPECT_EQ(slow.next_turn({}).operation, first.operation);
    EXPECT_GT(first.operation, behind);
    EXPECT_GT(first.block, behind);
    for (int n = 0; n < 3; ++n)
      EXPECT_TRUE(fast.may_start(fast.next_turn({}))) << "who came before has ended";
    const Turn fifth = fast.next_turn({});
    EXPECT_EQ(fifth.after, first.operation);
    EXPECT_FALSE(fast.may_start(fifth)) << "the other is in the first";
    for (int n = 0; n < 4; ++n) fast.consume(first.operation + static_cast<std::uint64_t>(n));
    slow.consume(first.operation);
    EXPECT_TRUE(fast.may_start(fifth));
    slow.next_turn({.steps = std::uint64_t{5} << Turn::kArrivalBits});
    EXPECT_EQ(slow.find_who_ended_before(fifth.operation), -1);
    fast.tell_end();
    EXPECT_EQ(slow.find_who_ended_before(fifth.operation + 1), 0);
    behind = std::max(fast.next_number(), slow.next_number());
  }
}

TEST(NodeArea, is_written_first_by_one_member_each) {
  for (const AreaShape& shape : some_shapes()) {
    std::vector<Extent> parts;
    Bytes all;
    for (int member = 0; member < shape.members; ++member)
      shape.for_parts_of(member, [&](Bytes offset, Bytes size) {
        parts.emplace_back(offset, offset + size);
        all += size;
      });
    std::sort(parts.begin(), parts.end());
    for (std::size_t i = 1; i < parts.size(); ++i) EXPECT_LE(parts[i - 1].second, parts[i].first);
    EXPECT_LE(parts.back().second, shape.size());
    EXPECT_GT(all, shape.size() - Bytes(shape.members)) << "but for a rest of the division";
  }
}

TEST(NodeArea, can_have_its_pages_taken_before_anybody_writes) {
  const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  if (page != 4096) GTEST_SKIP() << "memory begins within a page";
  std::string huge;
  std::ifstream setting("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  std::getline(setting, huge);
  if (!huge.empty() && huge.find("[never]") == std::string::npos &&
      huge.find("[advise]") == std::string::npos)
    GTEST_SKIP() << "all may be one page";
  const auto segment = Segment::make(Bytes(page * 16), SegmentKind::kUnnamed);
  ASSERT_TRUE(segment) << segment.error();
  const auto taken = [&] {
    std::vector<unsigned char> pages(16);
    EXPECT_EQ(::mincore(segment->memory(), static_cast<std::size_t>(page * 16), pages.data()), 0);
    return std::count_if(pages.begin(), pages.end(), [](unsigned char it) { return (it & 1) != 0; });
  };
  EXPECT_EQ(taken(), 0);
  if (::madvise(segment->memory(), static_cast<std::size_t>(page), 23) != 0)
    GTEST_SKIP() << "before Linux 5.14";
  segment->take_pages(Bytes(page * 4 + 100), Bytes(page));
  EXPECT_EQ(taken(), 3) << "the first, and the two that these bytes lie in";
  EXPECT_EQ(std::to_integer<int>(segment->memory()[page * 5]), 0);
}

}  // namespace
}  // namespace weft::node
