// SPDX-License-Identifier: BSD-3-Clause
// Rounds: the schedules of all ranks laid out in time, for pictures: a message takes one round, local work
// none.
//
//        column 0    round 0     column 1    round 1     column 2
//   0    [copy]   ───────╮   ╭─► [reduce] ───────╮   ╭─► [reduce]
//   1    [copy]   ───────╰───╯─► [reduce]           …
//
// Everything happens as early as its edges and its partners allow. Damaged schedules are laid out as far as
// they go: what can never happen is kNever. Cost: O(tasks + edges).
#pragma once

#include <span>
#include <vector>

#include "schedule/schedule.hpp"

namespace weft {

inline constexpr int kNever = -1;

// A send and the recv that it meets.
struct Message {
  Rank from;
  TaskId send;
  Rank to;
  TaskId recv;
  Bytes size;          // as the sender sees it
  int round = kNever;  // the round in which the message travels
};

// The node-level tasks of a group that belong together, one per member.
struct Meeting {
  std::vector<std::pair<Rank, TaskId>> tasks;
};

struct Rounds {
  int count = 0;
  std::vector<std::vector<int>> start;  // [rank][task]: column of a local task, round of a send or recv
  std::vector<Message> messages;        // by sender, then in the order of its schedule
  std::vector<Meeting> meetings;
};

// schedules[r] is rank r's.
Rounds rounds_of(std::span<const Schedule> schedules);

}  // namespace weft
