// SPDX-License-Identifier: BSD-3-Clause
// Pool: one rank's arena, as memory for communicators. What a communicator has had, and all its members have
// left, goes to the next of the same shape as it is: all numbers there go on where they ended.
//
// Its persistent operations have a berth each, since they start in any order. Berths lie in memory of their
// own, where a berth is only booked until its operation is made: then the members reserve what it needs. So
// many can be promised to every communicator. The next communicator of the same shape gets them cleared,
// since giving their pages back to the system and taking others costs far more. Before anybody else gets the
// memory it is given back, so that who takes it finds zeros.
//
// One thread at a time per Pool; the members of what it granted leave at any time.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include "node/area.hpp"
#include "node/arena.hpp"
#include "node/budget.hpp"

namespace weft::node {

// What berths have: as much as the communicator's areas, fewer slots and shorter large rooms, or lines alone.
enum class BerthKind : std::uint8_t { kFull, kModest, kLines };
// How long a large room of a modest one is, if the areas' are no shorter.
inline constexpr Bytes kModestRoom = room_for_two(Bytes(64 << 10));
inline constexpr std::array kBerthKinds{BerthKind::kFull, BerthKind::kModest, BerthKind::kLines};

// A communicator's berths, one kind behind the other.
struct Berths {
  AreaShape areas;  // what its areas have
  std::array<int, kBerthKinds.size()> count_of{};
  Bytes offset;     // in the segment
  int touched = 0;  // of how many there may be something in memory

  int count() const { return std::accumulate(count_of.begin(), count_of.end(), 0); }
  AreaShape shape_of(BerthKind kind) const;
  Bytes bytes() const { return place_of(count()).offset - offset; }
  // The berth of this number, or where the last one ends.
  struct Place {
    BerthKind kind;
    Bytes offset;
  };
  Place place_of(int berth) const;
  Area area(const Segment& segment, int berth) const {
    const auto& [kind, begin] = place_of(berth);
    return {segment.memory() + begin.value, shape_of(kind)};
  }
};

// A communicator's memory: its members' letters; behind them, on the same page if there are few, one area for
// its blocking operations and one for the non-blocking; and the berths of its persistent ones.
struct Grant {
  AreaShape shape;
  Bytes offset;              // in the segment
  std::uint64_t behind = 0;  // no number that members have said there is greater
  Berths berths;

  Bytes bytes() const { return areas_and_letters(shape); }
  std::array<Area, kAreas> areas(const Segment& segment) const {
    std::byte* const begin = first_area(segment);
    return {Area(begin, shape, behind), Area(begin + shape.size().value, shape, behind)};
  }
  Letters letters(const Segment& segment) const { return {segment.memory() + offset.value, shape.members}; }
  // Where members say that they leave: the first area.
  std::byte* first_area(const Segment& segment) const {
    return segment.memory() + (offset + Letters::size_for(shape.members)).value;
  }
};

// A member's last word. `next_number`: greater than `behind` and all numbers that it has said, in letters as
// well; none if something went wrong, so that nobody knows what is there.
void leave(const Area& first, int member, std::optional<std::uint64_t> next_number);

class Pool {
 public:
  Pool(const Segment& segment, const ArenaPlace& place)
      : segment_(&segment),
        size_(half_of(place.size)),
        arena_(segment, place.begin, size_),
        berths_(segment, place.begin + size_, size_, Arena::Reserved::kByUsers) {}

  // The first of the shapes for which there is memory. kBest: only the first of them, and nothing that
  // others have left is given up for it.
  enum class Choice : std::uint8_t { kAny, kBest };
  std::optional<Grant> take(std::span<const AreaShape> wanted, Choice choice = Choice::kAny);
  // Gives memory back whose members are leaving. `used`: how many of the berths they may have touched.
  void give_back(Grant grant, int used);
  // Gives memory back that no member has used.
  void give_back_unused(const Grant& grant);
  // The bytes that communicators hold, as far as it is noticed that all members have left.
  Bytes taken();

 private:
  struct Left {
    Grant grant;
    int used_berths = 0;     // and not cleared since
    bool is_unused = false;  // nobody has had it since it was taken
  };

  std::optional<Grant> take_areas_of_one(std::span<const AreaShape> wanted, Choice choice);
  std::optional<Grant> take_areas(const AreaShape& shape);
  std::optional<Grant> take_areas_again(const AreaShape& shape);
  void keep(const Left& left);
  // No number that a member has said there is greater than this one. None before all have left; kUnknown, the
  // greatest of all, where one does not know.
  std::optional<std::uint64_t> behind_all(const Left& left) const;
  Berths book_berths(const AreaShape& shape);
  void clear_berths(const Left& left);
  void take_back_berths(const Berths& berths);
  void take_back_what_is_left();

  const Segment* segment_;
  Bytes size_;  // of each of the two halves
  Arena arena_, berths_;
  std::map<AreaShape, std::deque<Left>> left_;  // the oldest first
  Bytes left_bytes_;                            // of their areas, as the arena counts them
};

}  // namespace weft::node
