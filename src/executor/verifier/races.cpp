// SPDX-License-Identifier: BSD-3-Clause
// Races within one schedule. Tasks are visited in their order, which edges respect.
#include <algorithm>

#include "executor/verifier/checks.hpp"
#include "executor/verifier/touches.hpp"
#include "schedule/describe.hpp"

namespace weft::verifier {
namespace {

// Is there a path? Nearly always an edge, so that the search behind it is rarely made.
class Order {
 public:
  explicit Order(const Schedule& schedule) : schedule_(schedule), visited_(schedule.tasks.size(), 0) {}

  bool leads(TaskId from, TaskId to) {
    const auto direct = schedule_.successors_of(from);
    if (std::find(direct.begin(), direct.end(), to) != direct.end()) return true;
    ++search_;
    open_.assign(1, from);
    while (!open_.empty()) {
      const TaskId task = open_.back();
      open_.pop_back();
      for (const TaskId next : schedule_.successors_of(task)) {
        if (next == to) return true;
        if (next > to || visited_[next.value] == search_) continue;  // edges point forward: no way back
        visited_[next.value] = search_;
        open_.push_back(next);
      }
    }
    return false;
  }

 private:
  const Schedule& schedule_;
  std::vector<std::uint32_t> visited_;  // by task: the search that was there last
  std::vector<TaskId> open_;
  std::uint32_t search_ = 0;
};

class RaceCheck {
 public:
  RaceCheck(const Schedule& schedule, Findings& findings)
      : schedule_(schedule), findings_(findings), order_(schedule) {
    for (const Buffer& buffer : schedule.buffers) touches_.emplace_back(buffer.size);
    is_written_.resize(schedule.buffers.size(), false);
    for (const Task& task : schedule.tasks) {
      if (writes_target(task.kind)) is_written_[task.target.value] = true;
      if (is_node_level(task.kind)) is_written_[task.source.value] = true;
    }
  }

  void run() {
    for (std::uint32_t task = 0; task < schedule_.tasks.size(); ++task) {
      const TaskId id(task);
      const Task& t = schedule_.tasks[task];
      if (reads_source(t.kind)) touch(id, t.source_range(), false);
      // A node-level task orders what lies before and after it in its range, as a write would.
      if (is_node_level(t.kind)) touch(id, t.source_range(), true);
      if (!writes_target(t.kind)) continue;
      if (reads_source(t.kind)) check_overlap(id, t);
      touch(id, t.target_range(), true);
    }
  }

 private:
  void touch(TaskId task, Range range, bool writes) {
    if (!is_written_[range.buffer.value]) return;
    const auto follows = [&](TaskId earlier, Bytes begin, Bytes end) {
      require(earlier, task, range.buffer, begin, end);
    };
    touches_[range.buffer.value].touch(range.offset, range.offset + range.size, task, writes, follows);
  }

  void require(TaskId earlier, TaskId later, BufferId buffer, Bytes begin, Bytes end) {
    if (earlier == last_earlier_ && later == last_later_) return;  // the next piece of the same two ranges
    last_earlier_ = earlier;
    last_later_ = later;
    if (order_.leads(earlier, later)) return;
    findings_.add(Rule::kRace, schedule_.self, later,
                  "touches {} together with {}, one of them writes, and no path "
                  "of edges leads from {} to {}",
                  describe(schedule_, Range{buffer, begin, end - begin}),
                  findings_.name(schedule_.self, earlier), earlier.value, later.value);
  }

  void check_overlap(TaskId id, const Task& task) {
    const bool apart = task.source != task.target || task.source_offset + task.size <= task.target_offset ||
                       task.target_offset + task.size <= task.source_offset;
    if (!apart && task.size > Bytes(0))
      findings_.add(Rule::kRace, schedule_.self, id, "reads and writes overlapping bytes in one step");
  }

  const Schedule& schedule_;
  Findings& findings_;
  Order order_;
  std::vector<Touches<TaskId>> touches_;  // per buffer
  std::vector<bool> is_written_;          // per buffer: what nobody writes has no races, as most inputs
  std::optional<TaskId> last_earlier_, last_later_;
};

}  // namespace

void check_races(const Schedule& schedule, Findings& findings) { RaceCheck(schedule, findings).run(); }

}  // namespace weft::verifier
