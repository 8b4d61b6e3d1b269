// SPDX-License-Identifier: BSD-3-Clause
// Task: one step of one rank's part of a collective, as a plain record of fixed size.
//
// Invariants (each is a verifier rule)
//  1. A task names everything it touches: `source` is read, `target` is written (reduce also reads it).
//  2. Messages between a pair of ranks are told apart by `ordinal`: the n-th send from a to b in a's schedule
//     meets the n-th recv from a in b's.
//  3. reduce computes target = source (+) target: the source is the left operand. This one form is what
//     MPI_Reduce_local offers, and it is enough to keep rank order for operators that do not commute.
//  4. Node-level tasks name a lines buffer, in whose lines the members say that they have arrived. Those that
//     name the same one are steps of the same group, and each member takes them in the order of its schedule.
//  5. The errand of a fan_in that nobody leads is the tasks that name its lines as their errand: whoever
//     arrives last does them, the others do not. Every member lists the same ones, and they touch shared
//     memory only (drop_in rule 9). A node-level task among them is done for one of its group: for the one
//     that is also in the fan_in's.
//  6. To a deliver step of a later round come those members that exchange more in turns than the earlier
//     rounds have moved, in either direction, so that of two both wait for one another or neither does. The
//     others have no such task, nor any behind it on the same lines.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace weft {

enum class TaskKind : std::uint8_t {
  kSend,      // source -> peer
  kRecv,      // peer -> target
  kCopy,      // target = source
  kReduce,    // target = source (+) target
  kJoin,      // nothing; a point that later tasks wait for (a round of LibNBC)
  kExchange,  // group: done when every member has started it; then what all left may be read
  kDeliver,   // group: done when every member that has parcels for this one has started it; in a later
              // round, when every member that exchanges more with this one than the earlier rounds have moved
  kPrefix,    // group: done when every member before this one has started it
  kFanIn,     // group: done at `peer` when every member has started it, at the others at once
  kFanOut,    // group: done when `peer` has started it
};

// As `peer` of a fan_in: whoever arrives last leads, and nobody waits. As `peer` of a fan_out: it is done
// when the rank that has it among its errands has started it.
inline constexpr std::int32_t kLast = -1;

// A range of bytes in one of the schedule's buffers.
struct Range {
  BufferId buffer;
  Bytes offset;
  Bytes size{};

  constexpr Range part(Bytes at, Bytes length) const { return {buffer, offset + at, length}; }
  constexpr bool operator==(const Range&) const = default;
};

struct Task {
  TaskKind kind = TaskKind::kJoin;
  BufferId source{};  // send, copy, reduce; node-level: the lines
  BufferId target{};  // recv, copy, reduce
  BufferId errand{};  // the lines of the fan_in whose last arriver does this; 0: this rank itself does
  // send, recv: rank in the communicator; fan_in, fan_out: the leader's place in the group, or kLast;
  // deliver: how much of every pair's data has been moved before, in kLineStrides (see moved_before)
  std::int32_t peer = 0;
  std::uint32_t ordinal = 0;          // send, recv: see invariant 2; node-level: the group
  std::uint32_t successor_begin = 0;  // into Schedule::successors; ends where the next task's begins
  Bytes source_offset{};
  Bytes target_offset{};
  Bytes size{};

  constexpr bool is_errand() const { return errand != BufferId(); }
  constexpr Range source_range() const { return {source, source_offset, size}; }
  constexpr Range target_range() const { return {target, target_offset, size}; }
};
static_assert(sizeof(Task) == 40, "LibNBC's records take 32 to 48 bytes");

constexpr bool is_message(TaskKind k) { return k == TaskKind::kSend || k == TaskKind::kRecv; }
constexpr bool is_node_level(TaskKind k) { return k >= TaskKind::kExchange; }
// Every member has a list of its own of those that it waits for.
constexpr bool waits_for_some(TaskKind k) { return k == TaskKind::kDeliver || k == TaskKind::kPrefix; }
// A deliver step behind the first, to which only those members come who wait for one another.
constexpr bool is_later_round(const Task& task) { return task.kind == TaskKind::kDeliver && task.peer > 0; }
constexpr bool has_leader(TaskKind k) { return k >= TaskKind::kFanIn; }
constexpr bool reads_source(TaskKind k) {
  return k == TaskKind::kSend || k == TaskKind::kCopy || k == TaskKind::kReduce;
}
constexpr bool writes_target(TaskKind k) {
  return k == TaskKind::kRecv || k == TaskKind::kCopy || k == TaskKind::kReduce;
}

}  // namespace weft
