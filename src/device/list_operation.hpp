// SPDX-License-Identifier: BSD-3-Clause
// ListOperation: one execution of task lists over a transport, by an adapter's rules. What it runs is the
// list that is printed and proved. The interface is Operation's.
//
// A queue is a place in its tasks. One that waits is linked to the counter it waits for, and looked at again
// when that has come far enough; what needs nothing from outside runs at once. What is sent over the
// loop-back is copied or combined in place. Packed views are not served: a binding gives addresses.
//
// Made once and used again and again: after its first start nothing is allocated.
// One thread at a time drives an operation; whoever owns it sees to that.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "executor/processor/operation.hpp"
#include "observe/milestones.hpp"
#include "schedule/task_list.hpp"
#include "transport/transport.hpp"

namespace weft::device {

template <Transport T>
class ListOperation {
 public:
  // The list outlives the operation. `stops`: the end of a list does not begin the next; somebody has to.
  explicit ListOperation(const TaskList& list, bool stops = false)
      : list_(&list),
        stops_(stops),
        has_windows_(has_windows(list)),
        messages_(messages_of(list)),
        pending_(messages_),
        addresses_(list.buffers),
        queues_(list.queues.size()),
        counters_(2 * list.queues.size()),
        has_ended_(list.tasks.size()) {
    lay_out();
    done_.resize(std::max<std::size_t>(1, message_count(messages_)));
    runnable_.reserve(queues_.size());
  }
  ListOperation(const ListOperation&) = delete;
  ListOperation& operator=(const ListOperation&) = delete;

  const TaskList& list() const { return *list_; }
  // What the transport sees: task i is the message of the list's task i, or nothing.
  const Schedule& schedule() const { return messages_; }
  bool finished() const { return next_part_ == list_->ends.size() && not_begun_ == 0 && under_way_ == 0; }
  const typename T::Pending& pending() const { return pending_; }
  typename T::Pending& pending() { return pending_; }
  std::size_t scratch_bytes() const { return addresses_.scratch_bytes(); }

  // Whoever starts an operation fills this in before.
  Binding& binding() { return binding_; }

  // Runs all that can run without waiting. kDone if that was everything.
  Progress start(T& transport) {
    assert(binding_.input_view == nullptr && binding_.output_view == nullptr);
    addresses_.bind(binding_);
    milestones_.start();
    pending_.restart();
    restart();
    if constexpr (WindowTransport<T>)
      if (has_windows_)
        transport.open(pending_, binding_.channel, addresses_[kOutput.value], own_window(*list_));
    return run(transport);
  }
  Progress start(T& transport, const Binding& binding) {
    binding_ = binding;
    return start(transport);
  }

  // One that stops: whether a list is over and the next has to be begun, and that.
  bool is_between_lists() const {
    return stops_ && not_begun_ == 0 && next_part_ > 0 && next_part_ < list_->ends.size();
  }
  Progress begin_next(T& transport) {
    assert(is_between_lists());
    begin_next_list();
    return run(transport);
  }

  // Asks the transport once and runs what has become possible.
  Progress progress(T& transport) {
    const int count = transport.poll(pending_, done_);
    if (count < 0) return Progress::kFailed;
    if (count == 0) return finished() ? Progress::kDone : Progress::kPending;
    for (const TaskId task : std::span(done_).first(static_cast<std::size_t>(count))) end(task.value);
    return run(transport);
  }

 private:
  static constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

  // The sends or the receives of a queue: a range of order_, and how far it has come.
  struct Half {
    std::uint32_t first = 0, next = 0, end = 0;  // the end is the present list's
    std::uint32_t begun = 0, enabled = 0;
  };
  struct Queue {
    Half sends, recvs;
    bool is_runnable = false, is_waiting = false;
    std::uint32_t next_waiting = kNobody;  // for the same counter
  };
  // A completion queue: how many of its tasks, in their order, have ended.
  struct Counter {
    std::uint32_t first = 0, size = 0;  // a range of order_
    std::uint32_t count = 0;
    std::uint32_t waiting = kNobody;  // the first queue that waits for it
  };
  // A queue that has tasks of a list, and where these end in it.
  struct Ends {
    std::uint32_t queue, sends, recvs;
  };

  static bool has_windows(const TaskList& list) {
    return std::any_of(list.buffers.begin(), list.buffers.end(),
                       [&](const Buffer& buffer) { return buffer.role == BufferRole::kWindow; });
  }
  static Bytes own_window(const TaskList& list) {
    const bool is_there = std::any_of(list.buffers.begin(), list.buffers.end(), [&](const Buffer& buffer) {
      return buffer.role == BufferRole::kWindow && buffer.owner == list.self;
    });
    return is_there ? list.buffers[kOutput.value].size : Bytes(0);
  }
  static Schedule messages_of(const TaskList& list) {
    Schedule messages = identity_of(list);
    for (const ListTask& task : list.tasks) messages.tasks.push_back(message_of(list, task));
    return messages;
  }

  // order_ has of each queue its receives, the rest of its tasks, and of these once more those that are sent.
  void lay_out() {
    const auto for_each_place = [&](auto place) {
      for (std::uint32_t id = 0; id < list_->tasks.size(); ++id) {
        const ListTask& task = list_->tasks[id];
        const bool is_recv = task.kind == ListTaskKind::kPostRecv;
        place(id, is_recv ? queues_[task.queue].recvs.end : queues_[task.queue].sends.end);
        if (is_sent(task.kind)) place(id, counters_[sends_of(task.queue)].size);
      }
    };
    for_each_place([](std::uint32_t, std::uint32_t& count) { ++count; });
    std::uint32_t place = 0;
    for (std::uint32_t q = 0; q < queues_.size(); ++q) {
      Half &recvs = queues_[q].recvs, &sends = queues_[q].sends;
      counters_[arrivals_of(q)] = {.first = place, .size = recvs.end};
      recvs.first = std::exchange(place, place + std::exchange(recvs.end, place));
      sends.first = std::exchange(place, place + std::exchange(sends.end, place));
      Counter& sent = counters_[sends_of(q)];
      sent.first = std::exchange(place, place + std::exchange(sent.size, place));
    }
    order_.resize(place);
    for_each_place([&](std::uint32_t id, std::uint32_t& next) { order_[next++] = id; });
    for (std::uint32_t q = 0; q < queues_.size(); ++q)
      counters_[sends_of(q)].size -= counters_[sends_of(q)].first;
    lay_out_ends();
  }
  void lay_out_ends() {
    std::vector<Ends> ends;
    for (std::uint32_t q = 0; q < queues_.size(); ++q)
      ends.push_back({q, queues_[q].sends.first, queues_[q].recvs.first});
    std::vector<std::uint32_t> used;
    for (std::size_t part = 0; part < list_->ends.size(); ++part) {
      used.clear();
      for (std::uint32_t id = list_->begin_of(part); id < list_->ends[part]; ++id) {
        const ListTask& task = list_->tasks[id];
        ++(task.kind == ListTaskKind::kPostRecv ? ends[task.queue].recvs : ends[task.queue].sends);
        used.push_back(task.queue);
      }
      std::sort(used.begin(), used.end());
      used.erase(std::unique(used.begin(), used.end()), used.end());
      for (const std::uint32_t queue : used) ends_.push_back(ends[queue]);
      ends_of_list_.push_back(ends_.size());
    }
  }

  void restart() {
    for (Queue& queue : queues_) {
      for (Half* half : {&queue.sends, &queue.recvs})
        *half = {.first = half->first, .next = half->first, .end = half->first};
      queue.is_runnable = queue.is_waiting = false;
    }
    for (Counter& counter : counters_) {
      counter.count = 0;
      counter.waiting = kNobody;
    }
    std::fill(has_ended_.begin(), has_ended_.end(), char{0});
    runnable_.clear();
    next_part_ = not_begun_ = under_way_ = 0;
  }

  Progress run(T& transport) {
    while (true) {
      while (!runnable_.empty()) {
        const std::uint32_t queue = runnable_.back();
        runnable_.pop_back();
        queues_[queue].is_runnable = false;
        if (!run_recvs(transport, queues_[queue].recvs) || !run_sends(transport, queue))
          return Progress::kFailed;
      }
      if (not_begun_ > 0) return Progress::kPending;
      if (next_part_ == list_->ends.size()) break;
      if (is_between_lists()) return Progress::kPending;
      begin_next_list();
    }
    if (under_way_ > 0) return Progress::kPending;
    milestones_.end();
    if constexpr (WindowTransport<T>)
      if (has_windows_) transport.close(pending_);
    return Progress::kDone;
  }

  void begin_next_list() {
    not_begun_ = list_->ends[next_part_] - list_->begin_of(next_part_);
    const std::size_t first = next_part_ == 0 ? 0 : ends_of_list_[next_part_ - 1];
    for (const Ends& ends : std::span(ends_).subspan(first, ends_of_list_[next_part_] - first)) {
      queues_[ends.queue].sends.end = ends.sends;
      queues_[ends.queue].recvs.end = ends.recvs;
      make_runnable(ends.queue);
    }
    ++next_part_;
  }
  void make_runnable(std::uint32_t queue) {
    if (std::exchange(queues_[queue].is_runnable, true)) return;
    runnable_.push_back(queue);
  }

  static bool is_held(const ListTask& task, const Half& half) {
    return task.disabled && half.begun >= half.enabled;
  }

  bool run_recvs(T& transport, Half& recvs) {
    for (; recvs.next < recvs.end; ++recvs.next) {
      const std::uint32_t id = order_[recvs.next];
      const ListTask& task = list_->tasks[id];
      if (is_held(task, recvs)) break;
      ++recvs.begun;
      --not_begun_;
      ++under_way_;
      std::byte* const into = at(task.target, task.target_offset);
      if (!note(transport.recv(pending_, TaskId(id), binding_.channel, messages_.tasks[id], into), id))
        return false;
    }
    return true;
  }

  bool run_sends(T& transport, std::uint32_t queue) {
    if (queues_[queue].is_waiting) return true;
    Half& sends = queues_[queue].sends;
    for (; sends.next < sends.end; ++sends.next) {
      const std::uint32_t id = order_[sends.next];
      const ListTask& task = list_->tasks[id];
      switch (task.kind) {
        case ListTaskKind::kWait:
          if (waits(task, queue)) return true;
          break;
        case ListTaskKind::kEnableSend: enable(queues_[task.other].sends, task); break;
        case ListTaskKind::kEnableRecv: enable(queues_[task.other].recvs, task); break;
        default:
          if (is_held(task, sends)) return true;
          ++sends.begun;
          if (!send(transport, id, task)) return false;
      }
      --not_begun_;
    }
    return true;
  }

  bool waits(const ListTask& wait, std::uint32_t queue) {
    Counter& counter = counters_[wait.other];
    if (counter.count >= wait.count) return false;
    link(counter, queue);
    return true;
  }
  void link(Counter& counter, std::uint32_t queue) {
    queues_[queue].is_waiting = true;
    queues_[queue].next_waiting = std::exchange(counter.waiting, queue);
  }
  void enable(Half& half, const ListTask& task) {
    half.enabled = std::max(half.enabled, task.count);
    make_runnable(task.other);
  }

  bool send(T& transport, std::uint32_t id, const ListTask& task) {
    const std::byte* from = at(task.source, task.source_offset);
    if (task.kind == ListTaskKind::kCalc) {
      std::byte* const right = at(task.target, task.target_offset);
      if (task.size > Bytes(0)) binding_.combine(from, right, task.size);
      from = right;
    }
    if (list_->queues[task.queue].kind == QueueKind::kLoopBack) {
      if (task.kind == ListTaskKind::kSend) copy_bytes(from, at(task.target, task.target_offset), task.size);
      Counter& arrived = counters_[arrivals_of(task.queue)];
      ++arrived.count;
      wake(arrived);
      return true;
    }
    ++under_way_;
    if (task.kind == ListTaskKind::kWrite) return write(transport, id, from);
    return note(transport.send(pending_, TaskId(id), binding_.channel, messages_.tasks[id], from), id);
  }

  bool write(T& transport, std::uint32_t id, const std::byte* from) {
    if constexpr (WindowTransport<T>)
      return note(transport.write(pending_, TaskId(id), binding_.channel, messages_.tasks[id], from), id);
    else return false;
  }

  // What the transport said when a message began.
  bool note(Progress progress, std::uint32_t task) {
    if (progress == Progress::kDone) end(task);
    return progress != Progress::kFailed;
  }

  // A message has ended. It counts once those before it have.
  void end(std::uint32_t id) {
    const ListTask& task = list_->tasks[id];
    const bool is_arrival = task.kind == ListTaskKind::kPostRecv;
    if (is_arrival) milestones_.data();
    --under_way_;
    has_ended_[id] = 1;
    Counter& counter = counters_[is_arrival ? arrivals_of(task.queue) : sends_of(task.queue)];
    const std::uint32_t before = counter.count;
    while (counter.count < counter.size && has_ended_[order_[counter.first + counter.count]] != 0)
      ++counter.count;
    if (counter.count != before) wake(counter);
  }
  void wake(Counter& counter) {
    std::uint32_t queue = std::exchange(counter.waiting, kNobody);
    while (queue != kNobody) {
      const std::uint32_t next = queues_[queue].next_waiting;
      const ListTask& wait = list_->tasks[order_[queues_[queue].sends.next]];
      if (counter.count < wait.count) {
        link(counter, queue);
      } else {
        queues_[queue].is_waiting = false;
        make_runnable(queue);
      }
      queue = next;
    }
  }

  std::byte* at(BufferId buffer, Bytes offset) const { return addresses_[buffer.value] + offset.value; }

  const TaskList* const list_;
  const bool stops_;
  const bool has_windows_;
  const Schedule messages_;
  typename T::Pending pending_;
  BufferAddresses addresses_;
  std::vector<Queue> queues_;
  std::vector<Counter> counters_;     // per completion queue
  std::vector<std::uint32_t> order_;  // tasks by queue, and there in the order of the array
  std::vector<Ends> ends_;            // list by list
  std::vector<std::size_t> ends_of_list_;
  std::vector<char> has_ended_;  // per task that is a message
  std::vector<std::uint32_t> runnable_;
  std::vector<TaskId> done_;
  std::size_t next_part_ = 0;    // the list that begins next
  std::uint32_t not_begun_ = 0;  // tasks of the present list
  std::uint32_t under_way_ = 0;  // messages
  Milestones milestones_;
  Binding binding_;
};

}  // namespace weft::device
