// SPDX-License-Identifier: BSD-3-Clause
#include "transform/list_steps.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "schedule/describe.hpp"
#include "schedule/usual_ordinals.hpp"
#include "transform/touches.hpp"

namespace weft {
namespace {

constexpr std::size_t kMostWaits = std::size_t{1} << 22;  // of all steps for others
constexpr std::size_t kFew = 64;
constexpr Bytes kMailboxAlignment{16};  // of any operand

bool overlap(Range a, Range b) {
  return a.buffer == b.buffer && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}
bool covers(Range a, Range b) {
  return a.buffer == b.buffer && a.offset <= b.offset && b.offset + b.size <= a.offset + a.size;
}
bool reads(const Task& task, Range range) {
  return (reads_source(task.kind) && overlap(task.source_range(), range)) ||
         (task.kind == TaskKind::kReduce && overlap(task.target_range(), range));
}
bool writes(const Task& task, Range range) {
  return writes_target(task.kind) && overlap(task.target_range(), range);
}

class Steps {
 public:
  Steps(const Schedule& schedule, Bytes longest_mailbox)
      : schedule_(schedule),
        longest_mailbox_(longest_mailbox),
        earlier_(predecessors(schedule)),
        tasks_(schedule.tasks),
        ended_by_(schedule.tasks.size()),
        reduced_by_(schedule.tasks.size()),
        has_to_move_on_(schedule.tasks.size()),
        touches_(schedule),
        mailboxes_(static_cast<std::uint8_t>(schedule.buffers.size())) {}

  // Nothing where the steps wait for too many others.
  std::optional<ListSteps> take() {
    for (std::uint32_t id = 0; id < tasks_.size(); ++id) {
      for (const TaskId before : earlier_[id]) move_on(before.value);
      take(id);
      if (waits_ > kMostWaits) return std::nullopt;
    }
    for (std::uint32_t id = 0; id < tasks_.size(); ++id) move_on(id);
    result_.buffers = schedule_.buffers;
    if (result_.mailbox_count > 0)
      result_.buffers.push_back({.role = BufferRole::kScratch, .size = result_.mailbox_bytes});
    return std::move(result_);
  }

 private:
  using StepIds = std::vector<std::uint32_t>;
  static constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

  void take(std::uint32_t id) {
    StepIds after = followed_by(id);
    switch (tasks_[id].kind) {
      case TaskKind::kRecv: take_recv(id, std::move(after)); return;
      case TaskKind::kSend: take_send(id, std::move(after)); return;
      case TaskKind::kReduce:
        if (const auto send = only_send_of(id)) {
          reduced_by_[*send] = id;
          ended_by_[id] = std::move(after);  // for the send, which does both
          return;
        }
        [[fallthrough]];
      case TaskKind::kCopy: ended_by_[id] = {add({.task = tasks_[id], .after = std::move(after)})}; return;
      default: ended_by_[id] = std::move(after);
    }
  }

  // The steps that whoever follows this task's predecessors has to wait for, without those that others of
  // them have waited for, where that is quickly seen.
  StepIds followed_by(std::uint32_t id) {
    StepIds all;
    for (const TaskId before : earlier_[id])
      all.insert(all.end(), ended_by_[before.value].begin(), ended_by_[before.value].end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const std::uint32_t step : all)
      if (const StepIds& before = result_.steps[step].after; before.size() <= kFew + 2 * all.size())
        for (const std::uint32_t earlier : before) followed_in_[earlier] = id;
    std::erase_if(all, [&](std::uint32_t step) { return followed_in_[step] == id; });
    waits_ += all.size();
    return all;
  }

  std::uint32_t add(ListStep step) {
    result_.steps.push_back(std::move(step));
    followed_in_.push_back(kNobody);
    return static_cast<std::uint32_t>(result_.steps.size() - 1);
  }

  void take_send(std::uint32_t id, StepIds after) {
    const Task& send = tasks_[id];
    if (const auto reduce = reduced_by_[id]) {
      Task both = tasks_[*reduce];
      both.peer = send.peer;
      both.ordinal = send.ordinal;
      ended_by_[id] = {add({.task = both, .sends_result = true, .after = std::move(after)})};
      ended_by_[*reduce] = ended_by_[id];
      return;
    }
    const std::uint32_t step = add({.task = send, .after = after});
    // Without bytes there is no buffer that has to be free again: it is enough that it has been sent.
    ended_by_[id] = send.size > Bytes(0) ? StepIds{step} : std::move(after);
  }

  // What came before a receive that is posted ahead still comes before what follows it.
  void take_recv(std::uint32_t id, StepIds after) {
    if (const auto copy = copy_at_the_end(id)) {
      move_to(id, tasks_[*copy].target_range());
      tasks_[*copy] = {};
    }
    const Range target = tasks_[id].target_range();
    const bool is_free = after.empty() || is_untouched_before(id, target);
    const bool is_short = target.size <= longest_mailbox_;
    if (!is_free && !is_short) {
      ended_by_[id] = {add({.task = tasks_[id], .is_late = true, .after = std::move(after)})};
      return;
    }
    Range mailbox = target;
    if (!is_free || (is_short && makes_way(id, target))) {
      mailbox = new_mailbox(target.size);
      if (!move_to(id, mailbox)) has_to_move_on_[id] = target;
    }
    tasks_[id].target = mailbox.buffer;
    tasks_[id].target_offset = mailbox.offset;
    after.push_back(add({.task = tasks_[id]}));
    ended_by_[id] = std::move(after);
  }

  // The copy from a mailbox comes when somebody needs it: earlier it would hold up what could go on.
  void move_on(std::uint32_t recv) {
    const auto target = std::exchange(has_to_move_on_[recv], std::nullopt);
    if (!target) return;
    Task copy = tasks_[recv];
    copy = {.kind = TaskKind::kCopy,
            .source = copy.target,
            .target = target->buffer,
            .source_offset = copy.target_offset,
            .target_offset = target->offset,
            .size = copy.size};
    ended_by_[recv] = {add({.task = copy, .after = ended_by_[recv]})};
  }

  bool is_scratch(BufferId buffer) const {
    return buffer == mailboxes_ || schedule_.buffers[buffer.value].role == BufferRole::kScratch;
  }
  // What lies in the output for a while, until something else comes there: with that elsewhere, the other may
  // come at once.
  bool makes_way(std::uint32_t id, Range target) const {
    if (is_scratch(target.buffer)) return false;
    const auto end = end_of_life(id, target);
    return end && *end < tasks_.size();
  }
  // The copy of what becomes of the recv's data to their place, if they could have been there all the time.
  std::optional<std::uint32_t> copy_at_the_end(std::uint32_t recv) const {
    const Range target = tasks_[recv].target_range();
    if (!is_scratch(target.buffer)) return std::nullopt;
    const auto end = end_of_life(recv, target);
    if (!end) return std::nullopt;
    std::optional<std::uint32_t> last;
    for (const std::uint32_t id : touching(target, recv + 1, *end))
      if (reads(tasks_[id], target)) last = id;
    if (!last || tasks_[*last].kind != TaskKind::kCopy || writes_window(schedule_, tasks_[*last]))
      return std::nullopt;
    return is_untouched_before(*last, tasks_[*last].target_range()) ? last : std::nullopt;
  }
  bool is_untouched_before(std::uint32_t id, Range range) const {
    const auto before = touching(range, 0, id);
    return std::none_of(before.begin(), before.end(), [&](std::uint32_t other) {
      return reads(tasks_[other], range) || writes(tasks_[other], range);
    });
  }
  // The numbers of those tasks from `first` to before `end` that may read or write the range. The span is
  // valid until the next call of this function.
  std::span<const std::uint32_t> touching(Range range, std::size_t first, std::size_t end) const {
    const auto all = touches_.of(range, room_);
    return {std::lower_bound(all.begin(), all.end(), first), std::lower_bound(all.begin(), all.end(), end)};
  }

  Range new_mailbox(Bytes size) {
    const Range mailbox{mailboxes_, result_.mailbox_bytes, size};
    ++result_.mailbox_count;
    result_.mailbox_bytes += (size + kMailboxAlignment - Bytes(1)) / kMailboxAlignment * kMailboxAlignment;
    return mailbox;
  }

  // One behind the last task that may touch what task `id` writes to `range`, if all that do mean exactly the
  // range. Nothing if some don't, or if it is to be there at the end.
  std::optional<std::uint32_t> end_of_life(std::uint32_t id, Range range) const {
    for (const std::uint32_t next : touching(range, id + 1, tasks_.size())) {
      const Task& task = tasks_[next];
      if (!reads(task, range)) {
        if (!writes(task, range)) continue;
        if (covers(task.target_range(), range)) return next;
        return std::nullopt;
      }
      const auto is_apart = [&](Range other) { return other == range || !overlap(other, range); };
      if (!is_apart(task.source_range()) || (writes_target(task.kind) && !is_apart(task.target_range())))
        return std::nullopt;
    }
    if (!is_scratch(range.buffer)) return std::nullopt;
    return static_cast<std::uint32_t>(tasks_.size());
  }

  // Lets all that deal with what the recv brings deal with the mailbox instead. False if that cannot be.
  bool move_to(std::uint32_t recv, Range mailbox) {
    const Range target = tasks_[recv].target_range();
    const auto end = end_of_life(recv, target);
    if (!end) return false;
    const auto found = touching(target, recv, *end);
    for (const std::uint32_t id : StepIds(found.begin(), found.end())) {
      Task& task = tasks_[id];
      const bool from = reads_source(task.kind) && task.source_range() == target;
      const bool into = writes_target(task.kind) && task.target_range() == target;
      if (from) {
        task.source = mailbox.buffer;
        task.source_offset = mailbox.offset;
      }
      if (into) {
        task.target = mailbox.buffer;
        task.target_offset = mailbox.offset;
      }
      if (from || into) touches_.add(id, mailbox);
    }
    return true;
  }

  // The first task behind this one that reads the range.
  std::optional<std::uint32_t> first_reader(std::uint32_t id, Range range) const {
    for (const std::uint32_t next : touching(range, id + 1, tasks_.size()))
      if (reads(tasks_[next], range)) return next;
    return std::nullopt;
  }
  // The send that is all that becomes of what the task reduces.
  std::optional<std::uint32_t> only_send_of(std::uint32_t reduce) const {
    const Range result = tasks_[reduce].target_range();
    const auto send = first_reader(reduce, result);
    if (!send || tasks_[*send].kind != TaskKind::kSend) return std::nullopt;
    const auto end = end_of_life(reduce, result);
    if (!end || *end <= *send) return std::nullopt;
    for (const std::uint32_t id : touching(result, *send + 1, *end))
      if (reads(tasks_[id], result)) return std::nullopt;
    const auto followers = schedule_.successors_of(TaskId(reduce));
    const auto is_too_early = [&](TaskId follower) { return follower.value < *send; };
    return std::any_of(followers.begin(), followers.end(), is_too_early) ? std::nullopt : send;
  }

  const Schedule& schedule_;
  const Bytes longest_mailbox_;
  const std::vector<std::vector<TaskId>> earlier_;
  std::vector<Task> tasks_;        // with mailboxes instead of some targets
  std::vector<StepIds> ended_by_;  // per task: the steps that whoever follows it waits for
  std::vector<std::optional<std::uint32_t>> reduced_by_;  // per send: the reduce that is done with it
  std::vector<std::optional<Range>> has_to_move_on_;      // per recv into a mailbox: to where
  Touches touches_;
  mutable std::vector<std::uint32_t> room_;  // for what touches a range
  const BufferId mailboxes_;
  ListSteps result_;
  std::vector<std::uint32_t> followed_in_;  // per step: the last task that follows one that follows it
  std::size_t waits_ = 0;
};

std::string name_of(const Schedule& schedule) {
  return fmt::format("rank {} of {}", schedule.self.value, describe(schedule.call));
}

std::string why_not(const Schedule& schedule) {
  const std::string whose = name_of(schedule);
  if (!schedule.groups.empty())
    return whose +
           " takes part in a node's group, which an adapter does not know: lists are for ranks that "
           "share no memory (--topology node:N), or name a flat algorithm";
  if (schedule.buffers.size() > std::numeric_limits<std::uint8_t>::max())
    return fmt::format("{} has {} buffers: there is no place for one with mailboxes", whose,
                       schedule.buffers.size());
  UsualOrdinals usual;
  for (const Task& task : schedule.tasks)
    if (is_message(task.kind) && usual.next(task) != task.ordinal)
      return fmt::format("{}: {} is not in the order in which a pair of queues matches messages", whose,
                         describe(schedule, task));
  return "";
}

}  // namespace

Result<ListSteps> list_steps(const Schedule& schedule, Bytes longest_mailbox) {
  if (const std::string reason = why_not(schedule); !reason.empty()) return Error{reason};
  auto steps = Steps(schedule, longest_mailbox).take();
  if (steps) return std::move(*steps);
  return Error{fmt::format("{}: its steps have to wait for one another more than {} times", name_of(schedule),
                           kMostWaits)};
}

}  // namespace weft
