// SPDX-License-Identifier: BSD-3-Clause
// Area: what the members of one communicator share on one node for one sequence of operations: where
// everything lies in it.
//
//   consumed    | member 0 | member 1 | …   a line each: the last operation of which, and of all before it,
//                                           the member has what it needs; with what it has left for good; how
//                                           many operations wait for others while nobody of it looks; and
//                                           from which on it begins none, once that is known
//   called      | member 0 | member 1 | …   a line each: what it called last
//   lines       slot 0: | member 0 | member 1 | …    payload and arrival, see kLineStride; behind them, in a
//                                                    cache line of its own, a counter of arrivals
//               slot 1: …
//   more lines  of those operations that need them, in fewer slots: kMostLines - 1 in each
//   rooms       what does not fit into lines: a small one per slot, fewer of middle size, two large ones
//
// The n-th operation of a communicator uses the n-th of each kind that it needs, modulo their number. So
// short operations, of which a rank may start many before others come, have much memory to be ahead in. The
// first kYoung operations go through no more than the usual slots: a page that a process sees for the first
// time costs more than most operations, and many communicators do not live long.
//
// An arrival is a number that grows for ever: the operation's, and the step's within it. So it is never
// reset, and what an earlier operation left there never looks like an arrival. So do all numbers that members
// say: those of the next communicator in this memory begin behind them (`behind`), and nobody has to write
// into others' lines. A counter is set back by whoever completes the count.
//
// Invariant: a member writes into an operation's memory only when all members have consumed the operations
// that used it before (drop_in rule 6). Port keeps it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "schedule/schedule.hpp"

namespace weft::node {

using Word = std::atomic<std::uint64_t>;
static_assert(sizeof(Word) == 8 && Word::is_always_lock_free, "members are different processes");
static_assert(kDeliveredLineBytes + Bytes(sizeof(Word)) == kLineBytes);
static_assert(kLineStride / 2 + Bytes((2 + kMostExposed) * sizeof(Word)) == kLineStride,
              "a counter, a process and addresses fill the second half of a place");

inline constexpr int kLargeRooms = 2;
inline constexpr int kUsualSlots = 64;
inline constexpr int kMostSlots = 256;  // see wanted_shapes
inline constexpr std::uint64_t kYoung = 4096;
static_assert(kYoung % kMostSlots == 0, "the first operation behind them has the first of each kind");
// What lies behind a middle room, for each member: a core that reads or writes a cell to its end fetches
// lines behind it, which nobody shall be writing then.
inline constexpr Bytes kBehindMiddleRoom{512};
inline constexpr std::uint64_t kCalls = 8;
static_assert(Bytes(kCalls * sizeof(Word)) <= kLineStride);

struct AreaShape {
  int members = 1;
  int slots = 1;        // a power of two, at most kMostSlots
  Bytes rank_bytes{0};  // of each member in the longest operation: a multiple of kLineStride; 0: lines only

  auto operator<=>(const AreaShape&) const = default;

  Bytes lines_bytes() const { return kLineStride * members; }
  Bytes consumed_bytes() const { return kLineStride * members * 2; }  // consumed, called
  int deep_slots() const { return std::max(slots / 4, 1); }
  Bytes all_lines_bytes() const { return lines_bytes() * (slots + (kMostLines - 1) * deep_slots()); }
  // How many rooms there are of a kind, a power of two, and how large each is. Of larger ones there are never
  // more, but for one slot: who touches several kinds may be ahead by the number of the largest (see Port).
  int count_of(Room room) const {
    switch (room) {
      case Room::kSmall: return slots;
      case Room::kMiddle: return std::max(slots / 8, std::min(slots, kLargeRooms));
      case Room::kLarge: return kLargeRooms;
    }
    return 0;
  }
  Bytes bytes_of(Room room) const {
    if (rank_bytes == Bytes(0)) return Bytes(0);
    switch (room) {
      case Room::kSmall: return kSmallRoom * members;
      case Room::kMiddle: return (kMiddleRoom + kBehindMiddleRoom) * members;
      case Room::kLarge: return rank_bytes * members;
    }
    return Bytes(0);
  }
  Bytes rooms_begin() const { return consumed_bytes() + all_lines_bytes(); }
  // Where those of a kind begin, and end.
  Bytes begin_of(Room room) const {
    Bytes begin = rooms_begin();
    for (const Room before : kRooms)
      if (before < room) begin += bytes_of(before) * count_of(before);
    return begin;
  }
  Bytes end_of(Room room) const { return begin_of(room) + bytes_of(room) * count_of(room); }
  // Calls visit(offset, size) for the parts of the area that this member is the first to write, more or less:
  // its share of each large room, and an equal share of what lies before them.
  template <class Visit>
  void for_parts_of(int member, Visit visit) const {
    const Bytes large = begin_of(Room::kLarge), each = large / members;
    visit(each * member, each);
    for (int room = 0; room < kLargeRooms; ++room)
      visit(large + bytes_of(Room::kLarge) * room + rank_bytes * member, rank_bytes);
  }
  Bytes size() const { return end_of(kRooms.back()); }
  // How many of each kind the operations of a sequence use in turn, if they use no more slots than this. All
  // are powers of two.
  struct Counts {
    int slots, deep_slots;
    std::array<int, kRooms.size()> rooms;
  };
  Counts counts(int most_slots) const {
    const AreaShape used{members, std::min(slots, most_slots), rank_bytes};
    Counts all{used.slots, used.deep_slots(), {}};
    for (const Room room : kRooms) all.rooms[static_cast<std::size_t>(room)] = used.count_of(room);
    return all;
  }
};

// What an operation takes of an area: the same on all members, but for the room, and for the steps of
// deliveries, which are so few that all members count the same blocks of arrivals (see Turn).
struct Usage {
  std::uint64_t steps = 0;   // on the line that has most
  int lines = 0;             // how many of each member
  Room room = Room::kSmall;  // the largest that this member's part reads or writes
};

class Area {
 public:
  // The numbers of this communicator begin behind this one; no earlier one had a greater one here.
  Area(std::byte* base, const AreaShape& shape, std::uint64_t behind = 0)
      : base_(base),
        shape_(shape),
        behind_(behind),
        lines_bytes_(shape.lines_bytes()),
        lines_(base + shape.consumed_bytes().value),
        more_lines_(lines_ + (lines_bytes_ * shape.slots).value),
        counts_(shape.counts(kMostSlots)),
        young_counts_(shape.counts(kUsualSlots)) {
    std::byte* begin = base + shape.rooms_begin().value;
    for (const Room room : kRooms) {
      const auto kind = static_cast<std::size_t>(room);
      rooms_[kind] = {begin, shape.bytes_of(room)};
      begin += (rooms_[kind].bytes_of_each * counts_.rooms[kind]).value;
    }
  }

  const AreaShape& shape() const { return shape_; }
  const std::byte* begin() const { return base_; }
  std::uint64_t behind() const { return behind_; }
  // What all operations use in turn, and what the first kYoung do.
  const AreaShape::Counts& counts() const { return counts_; }
  const AreaShape::Counts& young_counts() const { return young_counts_; }

  Word& consumed(int member) const { return word_at(kLineStride * member); }
  Word& left(int member) const { return left_in(base_, member); }
  // The same in an area that begins there.
  static Word& left_in(std::byte* begin, int member) {
    return word_in(begin, kLineStride * member + Bytes(sizeof(Word)));
  }
  Word& sleeping(int member) const { return word_at(kLineStride * member + Bytes(2 * sizeof(Word))); }
  // The first operation that the member will not begin; none of this communicator's as long as it may begin
  // others.
  Word& not_begun(int member) const { return word_at(kLineStride * member + Bytes(3 * sizeof(Word))); }
  // The member's call of this number, among its last kCalls.
  Word& called(int member, std::uint64_t number) const {
    const auto place = static_cast<std::int64_t>(number % kCalls * sizeof(Word));
    return word_at(kLineStride * (shape_.members + member) + Bytes(place));
  }
  std::byte* lines(std::uint64_t operation, int which) const {
    const std::uint64_t nth = operation - behind_;
    const AreaShape::Counts& counts = counts_for(nth);
    return lines_of_slot(in_turn(nth, which == 0 ? counts.slots : counts.deep_slots), which);
  }
  static Word& arrival(std::byte* lines, int member) {
    return *reinterpret_cast<Word*>(lines + (kLineStride * member + kLineBytes).value);
  }
  // At a deliver step: marks of how much the member has for each of the others, in so many words; the first
  // comes with the payload.
  static Word& delivered(std::byte* lines, int member, int word) {
    if (word > 0) return told(lines, member, word - 1);
    return *reinterpret_cast<Word*>(lines + (kLineStride * member + kDeliveredLineBytes).value);
  }
  static Word& counter(std::byte* lines, int member) {
    return *reinterpret_cast<Word*>(lines + (kLineStride * member + kLineStride / 2).value);
  }
  // What a member tells the others, behind its counter: its process, then where its exposed buffers lie; or
  // at a deliver step of more than nine members, none of which exposes anything, marks.
  static Word& told(std::byte* lines, int member, int which) { return (&counter(lines, member))[1 + which]; }
  std::byte* room(Room kind, std::uint64_t operation) const {
    const RoomsOfKind& all = rooms_[static_cast<std::size_t>(kind)];
    const std::uint64_t nth = operation - behind_;
    const int count = counts_for(nth).rooms[static_cast<std::size_t>(kind)];
    return all.begin + (all.bytes_of_each * in_turn(nth, count)).value;
  }

  // Memory that was used for something else: nothing that members say and no arrival is left in it.
  void clear() const {
    for (int member = 0; member < shape_.members; ++member) {
      consumed(member).store(0, std::memory_order_relaxed);
      left(member).store(0, std::memory_order_relaxed);
      sleeping(member).store(0, std::memory_order_relaxed);
      not_begun(member).store(0, std::memory_order_relaxed);
      Word* const calls = &called(member, 0);
      for (std::uint64_t call = 0; call < kCalls; ++call) calls[call].store(0, std::memory_order_relaxed);
      for (int slot = 0; slot < shape_.slots; ++slot)
        for (int which = 0; which < (slot < shape_.deep_slots() ? kMostLines : 1); ++which) {
          std::byte* const at = lines_of_slot(slot, which);
          arrival(at, member).store(0, std::memory_order_relaxed);
          counter(at, member).store(0, std::memory_order_relaxed);
        }
    }
  }

 private:
  static Word& word_in(std::byte* begin, Bytes offset) {
    return *reinterpret_cast<Word*>(begin + offset.value);
  }
  Word& word_at(Bytes offset) const { return word_in(base_, offset); }
  std::byte* lines_of_slot(std::int64_t slot, int which) const {
    if (which == 0) return lines_ + (lines_bytes_ * slot).value;
    return more_lines_ + (lines_bytes_ * (slot * (kMostLines - 1) + which - 1)).value;
  }

  const AreaShape::Counts& counts_for(std::uint64_t nth) const {
    return nth < kYoung ? young_counts_ : counts_;
  }
  static std::int64_t in_turn(std::uint64_t nth, int count) {
    return static_cast<std::int64_t>(nth) & (count - 1);
  }

  std::byte* base_;
  AreaShape shape_;
  std::uint64_t behind_;
  // What the shape says, for every operation asks:
  Bytes lines_bytes_;
  std::byte *lines_, *more_lines_;
  AreaShape::Counts counts_, young_counts_;
  struct RoomsOfKind {
    std::byte* begin;
    Bytes bytes_of_each;
  };
  std::array<RoomsOfKind, kRooms.size()> rooms_;
};

}  // namespace weft::node
