// SPDX-License-Identifier: BSD-3-Clause
// Races between the members of a group. Shared memory is ordered by node-level tasks alone (drop_in rule 9):
// what a member wrote before it arrived may be read by another after the step that both take part in, and
// whoever writes it again must have waited for the readers in the same way. Messages order nothing here.
#include <algorithm>
#include <map>
#include <set>

#include "executor/verifier/checks.hpp"
#include "schedule/describe.hpp"

namespace weft::verifier {
namespace {

struct Access {
  Bytes begin;
  Bytes end;
  Rank rank;
  TaskId task;
  bool writes;
};

class SharedRaceCheck {
 public:
  SharedRaceCheck(std::span<const Schedule> schedules, const Links& links, Findings& findings)
      : schedules_(schedules), links_(links), findings_(findings) {}

  void run() {
    collect();
    for (auto& [memory, accesses] : accesses_) sweep(accesses);
  }

 private:
  using Place = std::pair<Rank, TaskId>;

  const Schedule& schedule_of(Rank rank) const { return schedules_[static_cast<std::size_t>(rank.value)]; }

  void collect() {
    for (const Schedule& schedule : schedules_)
      for (std::uint32_t task = 0; task < schedule.tasks.size(); ++task) {
        const Task& t = schedule.tasks[task];
        if (reads_source(t.kind)) note(schedule, TaskId(task), t.source_range(), false);
        if (writes_target(t.kind)) note(schedule, TaskId(task), t.target_range(), true);
      }
  }

  void note(const Schedule& schedule, TaskId task, Range range, bool writes) {
    if (range.size == Bytes(0) || !is_shared(schedule.buffers[range.buffer.value].role)) return;
    const std::uint32_t memory =
        links_.memory[static_cast<std::size_t>(schedule.self.value)][range.buffer.value];
    accesses_[memory].push_back({range.offset, range.offset + range.size, schedule.self, task, writes});
  }

  void sweep(std::vector<Access>& accesses) {
    std::sort(accesses.begin(), accesses.end(),
              [](const Access& a, const Access& b) { return a.begin < b.begin; });
    std::vector<Access> open;
    for (const Access& access : accesses) {
      std::erase_if(open, [&](const Access& earlier) { return earlier.end <= access.begin; });
      for (const Access& other : open)
        if (other.rank != access.rank && (other.writes || access.writes)) require_order(other, access);
      open.push_back(access);
    }
  }

  void require_order(const Access& a, const Access& b) {
    const Access& writer = a.writes ? a : b;
    const Access& other = a.writes ? b : a;
    if (leads(writer, other) || leads(other, writer)) return;
    findings_.add(Rule::kNodeTask, other.rank, other.task,
                  "{} shared bytes that rank {} writes in {}, and no exchange, "
                  "fan_in or fan_out orders the two: wait for one in between",
                  other.writes ? "writes" : "reads", writer.rank.value,
                  findings_.name(writer.rank, writer.task));
  }

  bool leads(const Access& from, const Access& to) {
    const auto [at, is_new] = begins_after_.try_emplace(Place{from.rank, from.task});
    if (is_new) at->second = reach(from.rank, from.task);
    return at->second.contains({to.rank, to.task});
  }

  // All tasks of all ranks that begin only after this one is complete.
  std::set<Place> reach(Rank rank, TaskId task) const {
    std::set<Place> begun;
    std::set<Place> done{{rank, task}};
    std::vector<Place> open{{rank, task}};
    const auto complete = [&](Place place) {
      if (done.insert(place).second) open.push_back(place);
    };
    while (!open.empty()) {
      const auto [at, completed] = open.back();
      open.pop_back();
      for (const TaskId next : schedule_of(at).successors_of(completed)) {
        if (!begun.insert({at, next}).second) continue;
        complete({at, next});
        if (is_node_level(schedule_of(at).tasks[next.value].kind)) pass_on(at, next, complete);
      }
    }
    return begun;
  }

  // Whose part of the step is complete only after `rank` has begun its own?
  template <class Complete>
  void pass_on(Rank rank, TaskId task, Complete complete) const {
    const NodeStep& step = links_.steps[links_.other[static_cast<std::size_t>(rank.value)][task.value]];
    const bool from_leader = step.members[static_cast<std::size_t>(step.leader)] == rank;
    for (std::size_t m = 0; m < step.members.size(); ++m) {
      const bool waits = step.kind == TaskKind::kExchange ||
                         (step.kind == TaskKind::kFanIn && static_cast<int>(m) == step.leader) ||
                         (step.kind == TaskKind::kFanOut && from_leader);
      if (waits) complete({step.members[m], step.tasks[m]});
    }
  }

  std::span<const Schedule> schedules_;
  const Links& links_;
  Findings& findings_;
  std::map<std::uint32_t, std::vector<Access>> accesses_;  // by memory
  std::map<Place, std::set<Place>> begins_after_;
};

}  // namespace

void check_shared_races(std::span<const Schedule> schedules, const Links& links, Findings& findings) {
  SharedRaceCheck(schedules, links, findings).run();
}

}  // namespace weft::verifier
