// SPDX-License-Identifier: BSD-3-Clause
// Simulation: all ranks' schedules executed symbolically, round by round. What a message carries is read when
// both ends are ready; nothing completes earlier than it must, so that whatever hangs in some execution hangs
// here.
//
//   Simulation run(schedules, links, findings);
//   while (!run.deliverable().empty()) run.round();
#pragma once

#include <span>
#include <vector>

#include "executor/ready_set.hpp"
#include "executor/verifier/findings.hpp"
#include "executor/verifier/links.hpp"
#include "executor/verifier/memory.hpp"

namespace weft::verifier {

// A message whose two ends are ready, or a member's release from a node-level step.
struct Delivery {
  Rank from;  // node-level: the member
  TaskId send;
  Rank to;
  TaskId recv;
  std::uint32_t step = Links::kNone;

  bool is_message() const { return step == Links::kNone; }
};

class Simulation {
 public:
  // Runs everything that waits for nobody. All arguments must outlive the simulation.
  Simulation(std::span<const Schedule> schedules, const Links& links, Findings& findings);

  const std::vector<Delivery>& deliverable() const { return deliverable_; }
  void round();  // delivers all of it, then runs what became ready

  bool finished() const;
  void report_deadlock() const;

  const Expressions& expressions() const { return expressions_; }
  const Memory& memory(Rank rank, BufferId buffer) const { return memories_[memory_of(rank, buffer)]; }

  // Barriers: the ranks of which `rank` knows that they have entered.
  const RankSet& entered(Rank rank) const { return entered_[index(rank)]; }
  const RankSet& entered_before(Rank rank, TaskId task) const { return known_[index(rank)][task.value]; }

 private:
  struct StepState {
    int arrivals = 0;
    std::vector<bool> arrived;  // per member
    std::vector<bool> waits;    // per member: arrived and not yet released
    RankSet known;
  };

  static std::size_t index(Rank rank) { return static_cast<std::size_t>(rank.value); }
  std::uint32_t memory_of(Rank rank, BufferId buffer) const {
    return links_->memory[index(rank)][buffer.value];
  }
  Bytes begin_of(Rank rank, BufferId buffer) const { return links_->begin[index(rank)][buffer.value]; }
  const Task& task_of(Rank rank, TaskId task) const { return schedules_[index(rank)].tasks[task.value]; }

  void place_contributions();
  void run_ready(Rank rank);
  void begin(Rank rank, TaskId task);
  void complete(Rank rank, TaskId task);
  void post_message(Rank rank, TaskId task);
  static bool has_all_it_gets(const StepState& state, const std::vector<bool>& gets);
  void arrive(Rank rank, TaskId task);
  void deliver(const Delivery& delivery);

  void read(Rank rank, TaskId task, Range range, std::vector<Run>& runs);
  void move(Rank from, TaskId reader, Range source, Rank to, Range target);
  void spoil(Rank rank, Range range);
  void reduce(Rank rank, TaskId task);
  Value combine(Rank rank, TaskId task, const Run& left, Value right, bool& reported);

  std::span<const Schedule> schedules_;
  const Links* links_;
  Findings* findings_;
  bool follows_entries_;  // barriers: data says nothing there

  Expressions expressions_;
  std::vector<Memory> memories_;
  std::vector<ReadySet> ready_;
  std::vector<std::vector<bool>> posted_;  // [rank][task]: begun, and waiting for the other end
  std::vector<StepState> steps_;
  std::vector<Delivery> deliverable_;
  std::vector<RankSet> entered_;
  std::vector<std::vector<RankSet>> known_;  // [rank][task]: entered before it begins
  std::vector<Run> left_, right_;            // of the task that is being executed
};

}  // namespace weft::verifier
