// SPDX-License-Identifier: BSD-3-Clause
#include "transform/lower.hpp"

#include <algorithm>
#include <optional>

#include "transform/list_steps.hpp"

namespace weft {
namespace {

// Steps that are known to have ended.
class StepSet {
 public:
  bool has(std::uint32_t step) const {
    return step / 64 < words_.size() && ((words_[step / 64] >> (step % 64)) & 1) != 0;
  }
  void add(std::uint32_t step) {
    if (step / 64 >= words_.size()) words_.resize(step / 64 + 1);
    words_[step / 64] |= std::uint64_t{1} << (step % 64);
  }
  void add(const StepSet& other) {
    if (other.words_.size() > words_.size()) words_.resize(other.words_.size());
    for (std::size_t word = 0; word < other.words_.size(); ++word) words_[word] |= other.words_[word];
  }

 private:
  std::vector<std::uint64_t> words_;
};

class Lowerer {
 public:
  Lowerer(const Schedule& schedule, ListSteps steps, const Lowering& lowering)
      : steps_(std::move(steps.steps)),
        implied_(steps_.size()),
        ends_(steps_.size()),
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
  struct Queue {
    StepSet known;                           // to whoever stands behind all that is in it
    std::optional<std::uint32_t> arrived{};  // the last step that counts as an arrival, and as sent
    std::optional<std::uint32_t> sent{};
    std::uint32_t arrivals = 0, sends = 0, received = 0;
    bool holds_sends = false, holds_recvs = false;  // something disabled stands in it
  };
  // Where a step's end is counted.
  struct Completion {
    std::uint32_t queue_completions = 0, count = 0;
  };

  std::uint32_t queue(ListQueue wanted) {
    const auto found = std::find(list_.queues.begin(), list_.queues.end(), wanted);
    if (found != list_.queues.end()) return static_cast<std::uint32_t>(found - list_.queues.begin());
    list_.queues.push_back(wanted);
    queues_.push_back({.known = known_to_all_});
    return static_cast<std::uint32_t>(list_.queues.size() - 1);
  }
  std::uint32_t peer_queue(const Task& task) { return queue({QueueKind::kPeer, Rank(task.peer)}); }
  std::uint32_t loop_back() { return queue({QueueKind::kLoopBack}); }
  bool is_managed() const { return list_.form == QueueForm::kManagementQueue; }
  // Where the waits for a task on that queue stand.
  std::uint32_t waits_of(std::uint32_t on) { return is_managed() ? queue({QueueKind::kManagement}) : on; }

  void take_recv(std::uint32_t step) {
    const Task& recv = steps_[step].task;
    const std::uint32_t on = peer_queue(recv);
    const bool is_held = steps_[step].is_late || queues_[on].holds_recvs;
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
    queues_[on].holds_recvs = is_held;
    ++queues_[on].received;
    if (is_held)
      tasks_.push_back(
          {.kind = ListTaskKind::kEnableRecv, .queue = gate, .other = on, .count = queues_[on].received});
    note_end(step, on, true, is_held ? queues_[gate].known : known_to_all_);
  }

  void take_sent(std::uint32_t step) {
    const ListStep& what = steps_[step];
    const bool is_local = what.task.kind != TaskKind::kSend && !what.sends_result;
    const std::uint32_t on = is_local ? loop_back() : peer_queue(what.task);
    const std::uint32_t gate = waits_of(on);
    wait_for(what.after, gate);
    const bool is_held = is_managed() && (!what.after.empty() || queues_[on].holds_sends);
    make_room(is_held ? 2 : 1);
    tasks_.push_back({.kind = what.task.kind == TaskKind::kReduce ? ListTaskKind::kCalc : ListTaskKind::kSend,
                      .source = what.task.source,
                      .target = what.task.target,
                      .disabled = is_held,
                      .queue = on,
                      .count = is_local ? 0 : what.task.ordinal,
                      .source_offset = what.task.source_offset,
                      .target_offset = what.task.target_offset,
                      .size = what.task.size});
    queues_[on].holds_sends |= is_held;
    ++queues_[on].sends;
    if (is_held)
      tasks_.push_back(
          {.kind = ListTaskKind::kEnableSend, .queue = gate, .other = on, .count = queues_[on].sends});
    note_end(step, on, is_local, is_held ? queues_[gate].known : queues_[on].known);
  }

  // Whoever waits for the step's end knows that all this has ended.
  void note_end(std::uint32_t step, std::uint32_t on, bool is_arrival, const StepSet& begun_after) {
    Queue& queue = queues_[on];
    auto& last = is_arrival ? queue.arrived : queue.sent;
    StepSet& implied = implied_[step];
    implied = begun_after;
    implied.add(step);
    if (last) implied.add(implied_[*last]);
    last = step;
    const std::uint32_t count = is_arrival ? ++queue.arrivals : queue.sends;
    ends_[step] = {is_arrival ? arrivals_of(on) : sends_of(on), count};
  }

  // Of the steps, those that don't follow from what is known and the others. Later ones imply more.
  std::vector<std::uint32_t> needed(const std::vector<std::uint32_t>& steps, StepSet known) const {
    std::vector<std::uint32_t> needed;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (known.has(*step)) continue;
      known.add(implied_[*step]);
      needed.push_back(*step);
    }
    std::reverse(needed.begin(), needed.end());
    return needed;
  }

  void wait_for(const std::vector<std::uint32_t>& steps, std::uint32_t gate) {
    for (const std::uint32_t step : needed(steps, queues_[gate].known)) {
      make_room(1);
      const Completion end = ends_[step];
      tasks_.push_back(
          {.kind = ListTaskKind::kWait, .queue = gate, .other = end.queue_completions, .count = end.count});
      queues_[gate].known.add(implied_[step]);
    }
  }

  // The end of the last list means that everything has arrived: what nobody has waited for is waited for in
  // its own queue.
  void wait_for_the_rest() {
    const auto count = static_cast<std::uint32_t>(queues_.size());
    StepSet known = known_to_anybody();
    for (std::uint32_t on = 0; on < count; ++on) {
      if (!queues_[on].arrived || known.has(*queues_[on].arrived)) continue;
      wait_for({*queues_[on].arrived}, waits_of(on));
      known.add(implied_[*queues_[on].arrived]);
    }
  }
  StepSet known_to_anybody() const {
    StepSet known = known_to_all_;
    for (const Queue& queue : queues_) known.add(queue.known);
    return known;
  }

  void make_room(std::uint32_t tasks) {
    if (ahead_.size() + tasks_.size() + tasks > most_) close();
  }
  // The end of a list is known to all of the next, and nothing is held there any more.
  void close() {
    if (ahead_.empty() && tasks_.empty() && !list_.ends.empty()) return;
    list_.tasks.insert(list_.tasks.end(), ahead_.begin(), ahead_.end());
    list_.tasks.insert(list_.tasks.end(), tasks_.begin(), tasks_.end());
    list_.ends.push_back(static_cast<std::uint32_t>(list_.tasks.size()));
    ahead_.clear();
    tasks_.clear();
    known_to_all_ = known_to_anybody();
    for (Queue& queue : queues_) {
      queue.known = known_to_all_;
      queue.holds_sends = queue.holds_recvs = false;
    }
  }

  const std::vector<ListStep> steps_;
  std::vector<StepSet> implied_;  // per step, once it is laid into a queue: by its end
  std::vector<Completion> ends_;  // per step
  std::vector<Queue> queues_;
  StepSet known_to_all_;
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
