// SPDX-License-Identifier: BSD-3-Clause
// Schedule: one rank's part of one collective call, as data. The waist of Weft: whoever makes work produces
// one, whoever does or judges work reads one.
//
//   tasks        0: recv 3 -> scratch.0      1: send input -> 3      2: reduce scratch.0 -> output
//   successors   0 -> 2                      (1 has none)
//
// A schedule holds no addresses and no communicator, so that it can be cached, reused, printed and shipped.
// It is immutable once built; any number of operations may execute it at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "collective/participant.hpp"
#include "schedule/task.hpp"

namespace weft {

enum class BufferRole : std::uint8_t {
  kInput,
  kOutput,
  kScratch,
  kWindow,   // a rank's output, as far as it lets others write into it; of others: only copied to
  kExposed,  // of one member of a group: memory of its own that the others may read and write
  kShared,   // one memory for all members of a group
  kLines,    // shared memory that is cut into one line per member: see kLineStride
};

constexpr bool is_shared(BufferRole role) { return role >= BufferRole::kShared; }
constexpr bool has_group(BufferRole role) { return role >= BufferRole::kExposed; }

// What goes from core to core at once.
inline constexpr Bytes kCacheLine{64};

// A line of a kLines buffer: kLineBytes of payload, and right behind it, in the same cache line, room for the
// number by which its owner says that it has arrived. So one transfer brings both. Lines lie two cache lines
// apart, because processors fetch them in pairs.
inline constexpr Bytes kLineStride{128};
inline constexpr Bytes kLineBytes{56};
// A line in which a deliver step arrives has so much payload; behind it, and in the second half of its place,
// the owner says how much it has for whom: for the others of so many members.
inline constexpr Bytes kDeliveredLineBytes{48};
inline constexpr int kMostDelivered = 33;
// Rounds up to whole lines, so that nobody else's memory begins in the last one.
constexpr Bytes whole_lines(Bytes size) {
  return (size + kLineStride - Bytes(1)) / kLineStride * kLineStride;
}
// How far the cells that different ranks write lie apart, from beginning to beginning. C libraries copy more
// than some 2 KiB by one instruction, which fetches up to 8 KiB behind the end of the block: from whoever is
// writing there. So that much, or as much as the cell is long, lies between longer cells (decision 16).
inline constexpr Bytes kLongestBesideOthers{2 << 10}, kFetchedAhead{8 << 10};
constexpr Bytes stride_apart(Bytes size) {
  return whole_lines(size) + std::min(whole_lines(size), kFetchedAhead);
}
constexpr Bytes cell_stride(Bytes size) {
  return size <= kLongestBesideOthers ? whole_lines(size) : stride_apart(size);
}
// The largest cell whose stride is no longer than this.
constexpr Bytes largest_cell(Bytes stride) {
  const Bytes lines = stride / kLineStride * kLineStride;
  const Bytes half = lines / 2 / kLineStride * kLineStride;
  return std::max(
      {std::min(lines, kLongestBesideOthers), std::min(half, kFetchedAhead), lines - kFetchedAhead});
}

// The rooms that a node has for shared buffers, each for no fewer operations at a time than the next larger
// one. A buffer lies in the first that has room for it beside those before it.
enum class Room : std::uint8_t { kSmall, kMiddle, kLarge };
inline constexpr std::array kRooms{Room::kSmall, Room::kMiddle, Room::kLarge};
// How large they are for each member of a group. The middle one is too small for two cells of 2 KiB, which
// two ranks exchange a little faster in two rooms than in more. The large one is as large as the node can
// afford.
inline constexpr Bytes kSmallRoom{512}, kMiddleRoom{1920};

// Lines buffers that one schedule may have: a node keeps room for so many per operation.
inline constexpr int kMostLines = 5;

// Exposed buffers that one member may have in a group: it tells the others their addresses in the second half
// of its place in the group's first lines.
inline constexpr int kMostExposed = 6;

inline constexpr BufferId kInput{0};
inline constexpr BufferId kOutput{1};

struct Buffer {
  BufferRole role = BufferRole::kScratch;
  Bytes size;
  GroupId group;  // exposed, shared and lines: whose

  // Window: whose. Exposed: its owner, and, in the owner's own schedule, what it is. The owner's tasks name
  // that instead, and of a window the output.
  Rank owner{};
  BufferId of{};
  Bytes offset{};

  bool operator==(const Buffer&) const = default;
};

// A subgroup whose members share memory. The same list, in the same order, on every member.
struct Group {
  std::vector<Rank> members;

  bool operator==(const Group&) const = default;
};

struct Schedule {
  Call call;
  Rank self;
  bool in_place = false;  // the rank's contribution lies in `output` (MPI_IN_PLACE)
  Parcels parcels;        // of v-, w- and neighbour forms: this rank's; else none
  std::string algorithm;  // as in the catalog, with its parameters: "recursive_k_ing radix=3"

  std::vector<Buffer> buffers;  // [0] input, [1] output, then scratch and shared ones
  std::vector<Group> groups;
  std::vector<Task> tasks;  // in the order in which the builder issued them; edges point forward
  std::vector<TaskId> successors;
  std::vector<std::uint32_t> predecessor_count;  // per task

  std::span<const TaskId> successors_of(TaskId task) const {
    const std::size_t next = task.value + 1u;
    const std::size_t begin = tasks[task.value].successor_begin;
    const std::size_t end = next < tasks.size() ? tasks[next].successor_begin : successors.size();
    return {successors.data() + begin, end - begin};
  }
};

inline Participant participant_of(const Schedule& schedule) {
  return {schedule.call, schedule.self, schedule.in_place, schedule.parcels};
}

using Edge = std::pair<TaskId, TaskId>;  // the second waits for the first

// Puts edges into the schedule's compact form. Duplicates are dropped.
void set_edges(Schedule& schedule, std::span<const Edge> edges);

// The lines and shared buffers: those that all members of a group have at one place.
std::vector<BufferId> shared_buffers(const Schedule& schedule);
// What the shared buffers without the lines take of a node's rooms, each beginning on a line of its own.
class Rooms {
 public:
  struct Place {
    Room room;
    Bytes offset;
  };
  Place place(const Schedule& schedule, const Buffer& buffer);  // the next one
  Bytes taken(Room room) const { return taken_[static_cast<std::size_t>(room)]; }
  bool none() const { return taken_ == decltype(taken_){}; }

 private:
  std::array<Bytes, kRooms.size()> taken_{};
};
Rooms rooms_of(const Schedule& schedule);
// The exposed buffers that are this rank's own, and whether it reaches into those of others.
std::vector<BufferId> own_exposed(const Schedule& schedule);
bool reaches_others(const Schedule& schedule);
// Whether nobody does more with the buffer than to copy from and to it, on this rank, so that its bytes may
// lie anywhere.
bool only_copies(const Schedule& schedule, BufferId buffer);

// How many bytes this rank's parcels say that it has for that one, or gets from it: all together, or, where a
// rank has one block for all, that block's.
Bytes sent_to(const Schedule& schedule, Rank rank);
Bytes got_from(const Schedule& schedule, Rank rank);
// How much of what a rank has for another has been moved when a deliver step begins: 0 in the first round.
constexpr Bytes moved_before(const Task& deliver) { return kLineStride * deliver.peer; }
// Whether a step of this rank's group waits for that other member. Not for steps that the last arriver leads.
bool waits_for(const Schedule& schedule, const Task& step, Rank member);
// Whether a member waits for this rank there, or reads what it leaves; in a later round nobody else knows.
bool is_awaited(const Schedule& schedule, const Task& step);

// Whether a copy goes to another rank's memory.
inline bool writes_window(const Schedule& schedule, const Task& task) {
  return task.kind == TaskKind::kCopy && schedule.buffers[task.target.value].role == BufferRole::kWindow;
}

// How much this rank copies and combines.
Bytes copied_bytes(const Schedule& schedule);
// All that the rank sends.
Bytes sent_bytes(const Schedule& schedule);
std::size_t sent_messages(const Schedule& schedule);
// How many messages this rank sends and receives.
std::size_t message_count(const Schedule& schedule);

// The most messages that any ordered pair of ranks exchanges, as this rank sees it.
std::uint32_t messages_per_pair(const Schedule& schedule);

}  // namespace weft
