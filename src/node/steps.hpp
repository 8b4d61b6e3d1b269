// SPDX-License-Identifier: BSD-3-Clause
// Steps: the node-level part of one rank's schedule, prepared for execution: whose arrival each step waits
// for, and where in the area its shared buffers lie.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "node/area.hpp"
#include "schedule/schedule.hpp"

namespace weft::node {

// How much one rank has for another, in 8 bits: nearly always different for different sizes.
constexpr std::uint8_t mark_of(Bytes size) {
  return static_cast<std::uint8_t>(static_cast<std::uint64_t>(size.value + 1) * 0x9E3779B97F4A7C15u >> 56);
}
// Where among a member's marks at a deliver step the one for another member stands: 8 in a word.
inline constexpr int kMarks = kMostDelivered - 1;
using Marks = std::array<std::uint64_t, kMarks / 8>;
constexpr int mark_place(int from, int to) { return to < from ? to : to - 1; }

struct Step {
  int lines = 0;                // which of the slot's lines
  std::uint64_t number = 1;     // among the steps on these lines, from 1
  int self = 0;                 // its place in the lines, or that of the rank that it acts for
  bool arrives = true;          // it writes its arrival
  bool counts = false;          // it counts itself in at the first of `waited_for`, instead of waiting
  std::vector<int> waited_for;  // places
  // A deliver step writes marks of what this rank has for the others, and expects marks from those waited
  // for.
  bool delivers = false;
  Marks marks{};
  int mark_words = 0;  // of these: as many as the members need
  std::vector<std::uint8_t> expected;
};

// Where the address of an exposed buffer is told.
struct Exposure {
  int lines = 0;  // which of the slot's lines
  int owner = 0;  // its place in the lines
  int which = 0;  // which of the owner's exposed buffers
};

// The cache lines that a rank will want in operations to come, asked for in time.
//
// Where data goes one way only, as in a loop over gather or bcast, nobody waits for an answer, and such a
// loop is as fast as cache lines change hands: the writer takes each back from the core that has read it
// before, the reader fetches it from the core that has written it. Both are asked for while an earlier
// operation runs (decision 17). Where each waits for the other, this would only be in the way.
class Ahead {
 public:
  enum class Use : std::uint8_t { kRead, kWrite };
  // A place among an operation's first lines, or so many bytes in one of its rooms.
  void add_line(Use use, Bytes at) { add(lines_for(use).first, at, kCacheLine); }
  void add_in_room(Use use, Room room, Bytes at, Bytes size) {
    Lines& lines = lines_for(use);
    add(room == Room::kSmall ? lines.in_small : lines.in_middle, at, size);
  }
  void forget_rooms() {
    for (Lines* lines : {&read_, &written_}) {
      lines->in_small.clear();
      lines->in_middle.clear();
    }
  }

  // Inlined always: GCC drops calls of functions that do nothing but prefetch.
  [[gnu::always_inline]] void fetch(const Area& area, std::uint64_t operation) const {
    if (writes_) {
      const std::uint64_t next = operation + kWrittenAhead;
      fetch_from<kForWriting>(area.lines(next, 0), written_.first);
      fetch_from<kForWriting>(area.room(Room::kSmall, next), written_.in_small);
      fetch_from<kForWriting>(area.room(Room::kMiddle, next), written_.in_middle);
    }
    if (reads_) {  // not in middle rooms: the next ones are being written
      const std::uint64_t later = operation + kReadAhead;
      fetch_from<kForReading>(area.lines(later, 0), read_.first);
      fetch_from<kForReading>(area.room(Room::kSmall, later), read_.in_small);
    }
  }

 private:
  // A line that is to be written is asked for when the others have long read it, and kept until then; one
  // that is to be read, as long before as it may take to come.
  static constexpr std::uint64_t kWrittenAhead = 1, kReadAhead = 8;
  static constexpr int kForReading = 0, kForWriting = 1;
  static constexpr std::size_t kMost = 16;  // as many as a core can wait for; the others come when needed

  using Offsets = std::vector<std::int64_t>;  // of cache lines
  struct Lines {
    Offsets first, in_small, in_middle;
  };
  Lines& lines_for(Use use) {
    (use == Use::kRead ? reads_ : writes_) = true;
    return use == Use::kRead ? read_ : written_;
  }
  static void add(Offsets& offsets, Bytes at, Bytes size) {
    for (Bytes line = kCacheLine * (at / kCacheLine); line < at + size && offsets.size() < kMost;
         line += kCacheLine)
      offsets.push_back(line.value);
  }
  template <int use>
  [[gnu::always_inline]] static void fetch_from(const std::byte* begin, const Offsets& offsets) {
    for (const std::int64_t at : offsets) __builtin_prefetch(begin + at, use);
  }

  bool reads_ = false, writes_ = false;  // whether there are any
  Lines read_, written_;
};

// 7 bits of what all ranks of a call agree on.
std::uint64_t signature_of(const Call& call);

class Steps {
 public:
  explicit Steps(const Schedule& schedule);
  // The next operation has other parcels, in the same tasks or other places: one at most for each peer, and
  // some may be empty.
  void take_parcels(const Schedule& schedule);

  bool none() const { return buffers_.empty(); }
  const Usage& usage() const { return usage_; }
  const Rooms& rooms() const { return rooms_; }
  const Step& of(TaskId task) const { return steps_[index_[task.value]]; }

  const Exposure& exposure(BufferId buffer) const { return exposures_[buffer.value]; }

  // Where the schedule's shared buffers lie for one operation, in their order.
  std::size_t buffer_count() const { return buffers_.size(); }
  void bind(const Area& area, std::uint64_t operation, std::span<std::byte* const> lines,
            std::span<std::byte*> addresses) const {
    assert(rooms_.taken(Room::kLarge) <= area.shape().bytes_of(Room::kLarge));
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
      const Place& place = buffers_[b];
      addresses[b] = place.is_lines ? lines[static_cast<std::size_t>(place.which)]
                                    : area.room(place.room, operation) + place.offset.value;
    }
    ahead_.fetch(area, operation);
  }

  // Where this rank writes in each kind of room, with the parcels that it has: from the first byte to behind
  // the last.
  struct Extent {
    Bytes begin, end;
  };
  std::array<Extent, kRooms.size()> written_in_rooms(const Schedule& schedule) const;

 private:
  struct Place {
    bool is_lines;
    int which = 0;  // lines
    Room room = Room::kSmall;
    Bytes offset{0};  // in the room
  };
  Place take_place(const Schedule& schedule, const Buffer& buffer);
  // Notes which parcels the marks of this deliver step stand for, and who sends; call it before the step
  // joins steps_.
  void find_marks(const Schedule& schedule, const Group& sharers, const Step& step);
  void find_ends(const Schedule& schedule);
  void take_ends(const Schedule& schedule);
  // Calls visit(use, room, offset, size) for the ends of tasks that lie in rooms. A copy of nothing has none.
  template <class Visit>
  void for_ends(const Schedule& schedule, Visit visit) const {
    for (const auto& [t, use] : ends_) {
      const Task& task = schedule.tasks[t];
      if (task.size == Bytes(0)) continue;
      const bool writes = use == Ahead::Use::kWrite;
      const BufferId buffer = writes ? task.target : task.source;
      const Place& place = buffers_[static_cast<std::size_t>(place_of_buffer_[buffer.value])];
      if (!place.is_lines)
        visit(use, place.room, place.offset + (writes ? task.target_offset : task.source_offset), task.size);
    }
  }
  void look_ahead(const Schedule& schedule, bool is_awaited);
  void find_exposures(const Schedule& schedule, const std::vector<int>& which_lines);

  // A deliver step says 8 bits for each parcel that this rank sends (mark_of): where in its `marks`.
  struct Mark {
    std::uint32_t step, parcel;
    int at;
  };
  // It waits for who sends this rank a parcel that is not empty: the sender's place in the lines.
  struct Sender {
    std::uint32_t step, parcel;
    int place;
  };
  // An end of a task that lies in shared memory.
  struct End {
    std::uint32_t task;
    Ahead::Use use;
  };

  // What each operation looks at comes first.
  std::vector<std::uint32_t> index_;  // per task: into steps_, if it is a node-level task
  std::vector<Step> steps_;
  std::vector<Place> buffers_;  // per shared buffer
  Usage usage_;
  Ahead ahead_;
  std::vector<Exposure> exposures_;  // per buffer
  std::vector<Mark> marks_;
  std::vector<Sender> senders_;
  std::vector<int> place_of_buffer_;  // in buffers_; -1: it is not shared
  std::vector<End> ends_;
  bool writes_ahead_ = false, reads_ahead_ = false;  // in rooms
  Rooms rooms_;
};

}  // namespace weft::node
