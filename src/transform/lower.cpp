// SPDX-License-Identifier: BSD-3-Clause
#include "transform/lower.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "transform/known_counts.hpp"
#include "transform/list_steps.hpp"

namespace weft {
namespace {

class Lowerer {
 public:
  Lowerer(const Schedule& schedule, ListSteps steps, const Lowering& lowering)
      : steps_(std::move(steps.steps)),
        implied_(steps_.size()),
        ends_(steps_.size()),
        counts_(2 * (static_cast<std::uint64_t>(schedule.call.rank_count) + 2)),
        most_(lowering.most_tasks) {
    list_.call = schedule.call;
    list_.self = schedule.self;
    list_.in_place = schedule.in_place;
    list_.parcels = schedule.parcels;
    list_.algorithm = schedule.algorithm;
    list_.buffers = std::move(steps.buffers);
    list_.mailbox_count = steps.mailbox_count;
    list_.mailbox_bytes = steps.mailbox_bytes;
    list_.form = lowering.form;
  }

  TaskList take() {
    for (std::uint32_t step = 0; step < steps_.size(); ++step) {
      if (steps_[step].task.kind == TaskKind::kRecv) take_recv(step);
      else take_sent(step);
    }
    wait_for_the_rest();
    close();
    return std::move(list_);
  }

 private:
  static constexpr std::size_t kNoList = std::numeric_limits<std::size_t>::max();

  using Known = KnownCounts::Known;  // whose steps have ended, as completions are counted
  struct Queue {
    std::size_t list = kNoList;                     // in which it was used last; what follows is of that one:
    Known known = KnownCounts::kNothing;            // to whoever stands behind all that is in it
    bool holds_sends = false, holds_recvs = false;  // something disabled stands in it
    std::optional<std::uint32_t> arrived{};         // the last step that counts as an arrival, and as sent
    std::optional<std::uint32_t> sent{};
    std::uint32_t arrivals = 0, sends = 0, received = 0;
  };
  // Where a step's end is counted.
  struct Completion {
    std::uint32_t queue_completions = 0, count = 0;
  };

  std::uint32_t queue(ListQueue wanted) {
    const auto next = static_cast<std::uint32_t>(list_.queues.size());
    const auto [found, is_new] = places_.emplace(std::pair(wanted.kind, wanted.peer), next);
    if (is_new) {
      list_.queues.push_back(wanted);
      queues_.emplace_back();
    }
    return found->second;
  }
  // The end of a list is known to all of the next, and nothing is held there any more.
  Queue& at(std::uint32_t number) {
    Queue& queue = queues_[number];
    if (std::exchange(queue.list, list_.ends.size()) != list_.ends.size()) {
      queue.known = known_to_all_;
      queue.holds_sends = queue.holds_recvs = false;
      used_.push_back(number);
    }
    return queue;
  }
  bool has_ended(std::uint32_t step, Known known) const {
    return counts_.count(known, ends_[step].queue_completions) >= ends_[step].count;
  }
  bool is_write(const Task& task) const {
    return task.kind == TaskKind::kCopy && list_.buffers[task.target.value].role == BufferRole::kWindow;
  }
  std::uint32_t peer_queue(const Task& task) {
    return queue(
        {QueueKind::kPeer, is_write(task) ? list_.buffers[task.target.value].owner : Rank(task.peer)});
  }
  // What a message has to wait for: not for writes in front of it in its queue, which it stays behind.
  std::vector<std::uint32_t> without_writes_to(std::uint32_t on, const ListStep& step) const {
    std::vector<std::uint32_t> after = step.after;
    if (step.task.kind == TaskKind::kSend)
      std::erase_if(after, [&](std::uint32_t before) {
        return is_write(steps_[before].task) && queue_of(ends_[before].queue_completions) == on;
      });
    return after;
  }
  std::uint32_t loop_back() { return queue({QueueKind::kLoopBack}); }
  bool is_managed() const { return list_.form == QueueForm::kManagementQueue; }
  // Where the waits for a task on that queue stand.
  std::uint32_t waits_of(std::uint32_t on) { return is_managed() ? queue({QueueKind::kManagement}) : on; }

  void take_recv(std::uint32_t step) {
    const Task& recv = steps_[step].task;
    const std::uint32_t on = peer_queue(recv);
    const bool is_held = steps_[step].is_late || at(on).holds_recvs;
    const std::uint32_t gate = is_held ? waits_of(loop_back()) : on;
    if (steps_[step].is_late) wait_for(steps_[step].after, gate);
    make_room(is_held ? 2 : 1);
    ahead_.push_back({.kind = ListTaskKind::kPostRecv,
                      .target = recv.target,
                      .disabled = is_held,
                      .queue = on,
                      .count = recv.ordinal,
                      .target_offset = recv.target_offset,
                      .size = recv.size});
    at(on).holds_recvs = is_held;
    ++at(on).received;
    if (is_held)
      tasks_.push_back(
          {.kind = ListTaskKind::kEnableRecv, .queue = gate, .other = on, .count = at(on).received});
    note_end(step, on, true, is_held ? at(gate).known : known_to_all_);
  }

  void take_sent(std::uint32_t step) {
    const ListStep& what = steps_[step];
    const bool is_write = this->is_write(what.task);
    const bool is_local = what.task.kind != TaskKind::kSend && !what.sends_result && !is_write;
    const std::uint32_t on = is_local ? loop_back() : peer_queue(what.task);
    const std::uint32_t gate = waits_of(on);
    const std::vector<std::uint32_t> after = without_writes_to(on, what);
    wait_for(after, gate);
    const bool is_held = is_managed() && (!after.empty() || at(on).holds_sends);
    make_room(is_held ? 2 : 1);
    tasks_.push_back({.kind = is_write                              ? ListTaskKind::kWrite
                              : what.task.kind == TaskKind::kReduce ? ListTaskKind::kCalc
                                                                    : ListTaskKind::kSend,
                      .source = what.task.source,
                      .target = what.task.target,
                      .disabled = is_held,
                      .queue = on,
                      .count = is_local || is_write ? 0 : what.task.ordinal,
                      .source_offset = what.task.source_offset,
                      .target_offset = what.task.target_offset,
                      .size = what.task.size});
    at(on).holds_sends |= is_held;
    ++at(on).sends;
    if (is_held)
      tasks_.push_back(
          {.kind = ListTaskKind::kEnableSend, .queue = gate, .other = on, .count = at(on).sends});
    note_end(step, on, is_local, at(is_held ? gate : on).known);
  }

  // Whoever waits for the step's end knows that all this has ended.
  void note_end(std::uint32_t step, std::uint32_t on, bool is_arrival, Known begun_after) {
    Queue& queue = at(on);
    auto& last = is_arrival ? queue.arrived : queue.sent;
    const std::uint32_t count = is_arrival ? ++queue.arrivals : queue.sends;
    ends_[step] = {is_arrival ? arrivals_of(on) : sends_of(on), count};
    if (last) begun_after = counts_.both(begun_after, implied_[*last]);
    implied_[step] = counts_.with(begun_after, ends_[step].queue_completions, count);
    last = step;
  }

  // The steps that have to be waited for: the others are known to have ended, before or with one of these.
  // Later steps imply more.
  struct Needed {
    std::vector<std::uint32_t> steps;
    Known before = KnownCounts::kNothing, after = KnownCounts::kNothing;
    std::vector<std::uint32_t> needed;
  };
  Needed needed(const std::vector<std::uint32_t>& steps, Known before) {
    Needed found{.steps = steps, .before = before, .after = before, .needed = {}};
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (has_ended(*step, found.after)) continue;
      found.after = counts_.both(found.after, implied_[*step]);
      found.needed.push_back(*step);
    }
    std::reverse(found.needed.begin(), found.needed.end());
    return found;
  }

  // Often many wait for the same: all sends of a round.
  void wait_for(const std::vector<std::uint32_t>& steps, std::uint32_t gate) {
    if (const Known before = at(gate).known; before != last_.before || steps != last_.steps)
      last_ = needed(steps, before);
    const bool is_one_list = has_room(last_.needed.size());
    for (const std::uint32_t step : last_.needed) {
      make_room(1);
      const Completion end = ends_[step];
      tasks_.push_back(
          {.kind = ListTaskKind::kWait, .queue = gate, .other = end.queue_completions, .count = end.count});
      if (!is_one_list) at(gate).known = counts_.both(at(gate).known, implied_[step]);
    }
    if (is_one_list) at(gate).known = last_.after;
  }

  // The end of the last list means that everything has arrived: what nobody has waited for is waited for in
  // its own queue.
  void wait_for_the_rest() {
    const auto count = static_cast<std::uint32_t>(queues_.size());
    Known known = known_to_anybody();
    for (std::uint32_t on = 0; on < count; ++on) {
      const auto last = queues_[on].arrived;
      if (!last || has_ended(*last, known)) continue;
      wait_for({*last}, waits_of(on));
      known = counts_.both(known, implied_[*last]);
    }
  }
  Known known_to_anybody() {
    Known known = known_to_all_;
    for (const std::uint32_t queue : used_) known = counts_.both(known, queues_[queue].known);
    return known;
  }

  bool has_room(std::size_t tasks) const { return ahead_.size() + tasks_.size() + tasks <= most_; }
  void make_room(std::size_t tasks) {
    if (!has_room(tasks)) close();
  }
  void close() {
    if (ahead_.empty() && tasks_.empty() && !list_.ends.empty()) return;
    known_to_all_ = known_to_anybody();
    used_.clear();
    list_.tasks.insert(list_.tasks.end(), ahead_.begin(), ahead_.end());
    list_.tasks.insert(list_.tasks.end(), tasks_.begin(), tasks_.end());
    list_.ends.push_back(static_cast<std::uint32_t>(list_.tasks.size()));
    ahead_.clear();
    tasks_.clear();
  }

  const std::vector<ListStep> steps_;
  std::vector<Known> implied_;    // per step, once it is laid into a queue: by its end
  std::vector<Completion> ends_;  // per step
  std::vector<Queue> queues_;
  std::map<std::pair<QueueKind, Rank>, std::uint32_t> places_;  // of the queues
  std::vector<std::uint32_t> used_;                             // queues, in this list
  KnownCounts counts_;
  Known known_to_all_ = KnownCounts::kNothing;
  Needed last_;                          // what was waited for last
  std::vector<ListTask> ahead_, tasks_;  // of the list that is being made: receives, and the others
  const std::uint32_t most_;
  TaskList list_;
};

}  // namespace

Result<TaskList> lower(const Schedule& schedule, const Lowering& lowering) {
  if (lowering.most_tasks < 2)
    return Error{"a list of less than 2 tasks: there has to be room for what is held and what enables it"};
  auto steps = list_steps(schedule, lowering.longest_mailbox);
  if (!steps) return Error{steps.error()};
  return Lowerer(schedule, std::move(*steps), lowering).take();
}

}  // namespace weft
