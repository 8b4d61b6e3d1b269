// SPDX-License-Identifier: BSD-3-Clause
// Links: how the schedules of all ranks hang together: which send meets which recv, which node-level tasks
// are one step of their group, and which shared buffers are one memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "executor/verifier/findings.hpp"

namespace weft::verifier {

// One node-level step: the i-th node-level task of a group, on every member that takes part.
struct NodeStep {
  TaskKind kind;
  std::vector<Rank> members;
  std::vector<TaskId> tasks;              // per member
  int leader = 0;                         // place among the members; fan_in, fan_out
  std::vector<std::vector<bool>> gets{};  // deliver, prefix, per member: for which of the members it waits

  // That of the member, or their number.
  int place_of(Rank member) const {
    return static_cast<int>(std::find(members.begin(), members.end(), member) - members.begin());
  }
  // The member may go on without waiting for anybody.
  bool passes(int place) const {
    switch (kind) {
      case TaskKind::kDeliver:
      case TaskKind::kPrefix: {
        const auto& own = gets[static_cast<std::size_t>(place)];
        return std::find(own.begin(), own.end(), true) == own.end();
      }
      case TaskKind::kFanIn: return place != leader;
      case TaskKind::kFanOut: return place == leader;
      default: return false;
    }
  }
  // The member's part is complete only after that of the member at `other` has begun.
  bool waits_for(int place, int other) const {
    switch (kind) {
      case TaskKind::kDeliver:
      case TaskKind::kPrefix:
        return place == other || gets[static_cast<std::size_t>(place)][static_cast<std::size_t>(other)];
      case TaskKind::kFanIn: return place == other || leader == place;
      case TaskKind::kFanOut: return place == other || leader == other;
      default: return true;
    }
  }
};

struct Links {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // [rank][task]: of a message, the task at its other end or kNone; of a node-level task, its step.
  std::vector<std::vector<std::uint32_t>> other;
  std::vector<NodeStep> steps;

  // [rank][buffer]: position in memory_bytes, and where in that memory the buffer begins. All members of a
  // group share a memory per shared buffer; an exposed buffer is a part of one of its owner's, a window the
  // owner's output.
  std::vector<std::vector<std::uint32_t>> memory;
  std::vector<std::vector<Bytes>> begin;
  std::vector<Bytes> memory_bytes;
  std::vector<std::optional<Rank>> exposed_by;  // per memory: the owner, if others may reach into it
};

// Pairs sends with recvs and finds those that do not fit. Requires schedules that check_structure() calls
// sound.
void link_messages(std::span<const Schedule> schedules, Links& links, Findings& findings);

// Finds groups, shared buffers, windows and sequences of node-level steps that differ between members.
// Returns false if there are any: the schedules cannot be executed then, not even symbolically.
bool link_groups(std::span<const Schedule> schedules, Links& links, Findings& findings);

}  // namespace weft::verifier
