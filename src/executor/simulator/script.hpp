// SPDX-License-Identifier: BSD-3-Clause
// Script: one rank's part of an operation as the simulator plays it: a schedule without its buffers. Ranks
// whose parts differ only in whom they talk to, all by the same distance or by the same bits, share one.
//
//   dissemination, 1,048,576 ranks       one script: send +1, recv -1, send +2, recv -2, …
//   recursive doubling                   one script: send ^1, recv ^1, send ^2, …
//   binomial tree                        one for each level
//
// Scripts: those of one operation on all ranks, made rank by rank when they are needed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor/simulator/time.hpp"
#include "schedule/schedule.hpp"

namespace weft::simulator {

// More others that one task waits for are joined before, in parts.
inline constexpr std::size_t kMostAwaited = 16000;

// How a script names others: by what is added to the rank (around the end), by what is exclusive-or'ed with
// it, or by their numbers, where one rank alone has it.
enum class Naming : std::uint8_t { kShift, kXor, kAbsolute };

// kJoin, kSend, kRecv, kCopy, kReduce and steps of groups as in schedules. Work that takes a time is a kCopy
// of no bytes (GOAL's calc); a copy into another rank's window is a kSend.
struct ScriptTask {
  TaskKind kind = TaskKind::kJoin;
  std::uint8_t errand = 0;  // of the step on those lines whose last arriver does this; 0: the rank's own
  std::uint8_t lines = 0;   // of a step: which, from 1
  bool is_write = false;    // a send into the other's memory, for which no task of the other's waits
  std::uint32_t label = 0;  // of a message: sender's and receiver's are the same, between two ranks unique
  std::int32_t peer = 0;    // of a message, by the script's naming; of a step: its number
  std::uint32_t successor_begin = 0;
  Bytes size;
  Time work;
  // The message's other end, where the other rank plays that script (kNobody: not known yet).
  mutable std::uint32_t other_script = 0xffffffff, other_task = 0;
};

// A step of a group: who meets there, and who waits for whom.
struct ScriptStep {
  std::vector<std::int32_t> members{};  // by the script's naming, in the group's order
  std::int32_t leader = kLast;          // as Task::peer: of a delivery > 0 in its later rounds
  std::int32_t place = 0;               // of the rank itself, or of the one for whom it does an errand
  std::uint32_t turn = 0;               // which one on its lines
  std::vector<bool> waits_for{};        // deliver, prefix: by place
  std::uint64_t shape = 0;              // a hash of where the others are, seen from the first: set by Scripts
};

// The numbers of the processor that does a task and of the adapter that its message goes through: a rank of a
// GOAL program may have several of each.
struct Units {
  std::uint8_t cpu = 0, nic = 0;

  bool operator==(const Units&) const = default;
};
using TaskPairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Script {
  static constexpr std::uint32_t kNobody = 0xffffffff;

  Naming naming = Naming::kAbsolute;
  bool has_named = false;         // the naming is settled, since several ranks share it
  std::vector<ScriptTask> tasks;  // the part's, and behind them joins of those that others wait for
  std::vector<ScriptStep> steps;
  TaskPairs edges, begun;  // as the part's, and `begun` of the joins' as well
  std::vector<Units> units;
  std::size_t part_tasks = 0;
  std::vector<std::uint32_t> successors;
  std::vector<std::uint16_t> waits;            // per task: for so many others
  std::vector<std::uint32_t> first;            // the tasks that wait for none
  std::vector<std::uint32_t> receives, sends;  // by (peer, label), for those at the other end

  std::span<const std::uint32_t> successors_of(std::uint32_t task) const {
    const std::size_t begin = tasks[task].successor_begin;
    const std::size_t end = task + 1 < tasks.size() ? tasks[task + 1].successor_begin : successors.size();
    return {successors.data() + begin, end - begin};
  }
  bool is_begun_enough(std::uint32_t before, std::uint32_t after) const {
    return std::binary_search(begun.begin(), begun.end(), std::pair(before, after));
  }
  Units units_of(std::uint32_t task) const { return task < units.size() ? units[task] : Units{}; }
  std::size_t bytes() const;
};

// One rank's part, by the numbers of the others: what schedules and GOAL programs become first.
struct Part {
  std::vector<ScriptTask> tasks;  // peers by their numbers; of steps: the place in `steps`
  std::vector<ScriptStep> steps;  // members by their numbers
  TaskPairs edges;                // the second waits for the first
  TaskPairs begun{};              // those of them for which it is enough that the first has begun; ascending
  std::vector<Units> units{};     // by task; where there are none: the first ones
};
// `eager`: the longest message whose sender waits for nobody: Machine::eager().
Part part_of(const Schedule& schedule, Bytes eager);

class Scripts {
 public:
  // `part`: one rank's; called once for each, in no particular order.
  Scripts(int ranks, std::function<Part(int rank)> part);

  int rank_count() const { return ranks_; }
  // How many ranks carry the operation out together: all of them, unless set otherwise.
  int member_count() const { return members_; }
  void set_member_count(int members) { members_ = members; }
  // The number of a rank's script, made if it is not there yet.
  std::uint32_t number_of(int rank);
  const Script& operator[](std::uint32_t number) const { return scripts_[number]; }
  std::size_t count() const { return scripts_.size(); }

  // Whom a rank that plays the script means.
  int named(const Script& script, int rank, std::int32_t name) const {
    switch (script.naming) {
      case Naming::kShift: {
        const std::int64_t sum = std::int64_t{rank} + name;
        return static_cast<int>(sum < ranks_ ? sum : sum - ranks_);
      }
      case Naming::kXor: return rank ^ name;
      case Naming::kAbsolute: return name;
    }
    return name;
  }

  // The other end of a rank's message, as the task of the script that `other` plays; kNobody: there is none.
  // Once all ranks have their scripts, whose names do not change any more.
  std::uint32_t other_end(const Script& own, const ScriptTask& task, int rank, std::uint32_t others_script,
                          int other) const;

  // How people know a rank's task, where they have not got a schedule with its number.
  void set_task_names(std::function<std::string(int rank, std::uint32_t task)> names) {
    task_names_ = std::move(names);
  }
  bool has_task_names() const { return task_names_ != nullptr; }
  std::string task_name(int rank, std::uint32_t task) const {
    return has_task_names() ? task_names_(rank, task) : "its task " + std::to_string(task);
  }

  std::size_t bytes() const;

 private:
  std::uint32_t intern(Part part, int rank);
  std::int32_t name_of(Naming naming, int rank, int other) const;
  void rename(Script& script, int rank, Naming naming);
  bool is_same(const Script& script, const Part& part, int rank, int first_rank, Naming naming) const;
  Script script_of(Part part) const;
  std::uint64_t hash_of(const Part& part, int rank, Naming naming) const;
  static void index_messages(Script& script);

  int ranks_, members_;
  std::function<Part(int)> part_;
  std::function<std::string(int, std::uint32_t)> task_names_;
  std::vector<std::uint32_t> by_rank_;
  std::vector<Script> scripts_;
  std::vector<int> first_ranks_;  // by script: who had it first
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

}  // namespace weft::simulator
