// SPDX-License-Identifier: BSD-3-Clause
// ReadySet: which tasks of one schedule may run now. What is ready is one thing, how it runs another: every
// executor, the verifier and the simulator read the same one.
//
// Each task enters the queue once, so that a plain array serves as the queue and nothing is ever allocated
// after construction. One thread at a time.
#pragma once

#include <cassert>
#include <cstring>
#include <memory>

#include "schedule/schedule.hpp"

namespace weft {

class ReadySet {
 public:
  explicit ReadySet(const Schedule& schedule)
      : schedule_(&schedule),
        waiting_for_(std::make_unique<std::uint32_t[]>(schedule.tasks.size())),
        queue_(std::make_unique<TaskId[]>(schedule.tasks.size())) {}

  // Forgets all that happened; the tasks without predecessors are ready, in the order of the schedule.
  void restart() {
    const std::size_t count = schedule_->tasks.size();
    if (count != 0)
      std::memcpy(waiting_for_.get(), schedule_->predecessor_count.data(), count * sizeof(std::uint32_t));
    head_ = tail_ = 0;
    remaining_ = static_cast<std::uint32_t>(count);
    for (std::uint32_t task = 0; task < count; ++task)
      if (waiting_for_[task] == 0) queue_[tail_++] = TaskId(task);
  }

  bool has_ready() const { return head_ != tail_; }
  TaskId take() {
    assert(has_ready());
    return queue_[head_++];
  }

  void complete(TaskId task) {
    assert(remaining_ > 0);
    --remaining_;
    for (const TaskId next : schedule_->successors_of(task))
      if (--waiting_for_[next.value] == 0) queue_[tail_++] = next;
  }

  bool finished() const { return remaining_ == 0; }
  std::uint32_t remaining() const { return remaining_; }
  const Schedule& schedule() const { return *schedule_; }

 private:
  const Schedule* schedule_;
  std::unique_ptr<std::uint32_t[]> waiting_for_;
  std::unique_ptr<TaskId[]> queue_;
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t remaining_ = 0;
};

}  // namespace weft
