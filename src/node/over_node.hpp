// SPDX-License-Identifier: BSD-3-Clause
// OverNode: a transport whose ranks share memory: node-level tasks go through an area, messages by whatever
// transport lies below. An arrival is one store; waiting is reading the lines of those waited for.
//
// Threads: as the transport below; an operation's number is set before it starts.
#pragma once

#include <vector>

#include "node/steps.hpp"
#include "observe/times.hpp"
#include "transport/transport.hpp"

namespace weft::node {

template <Transport Messages>
class OverNode : public Messages {
 public:
  using Messages::Messages;

  class Pending : public Messages::Pending {
   public:
    explicit Pending(const Schedule& schedule) : Messages::Pending(schedule), steps_(schedule) {
      waits_.reserve(schedule.tasks.size());
      addresses_.resize(steps_.buffer_count());
    }
    const Steps& steps() const { return steps_; }

    // Which operation of the area comes next; the addresses of its shared buffers, for Binding::shared.
    std::span<std::byte* const> attach(const Area& area, std::uint64_t operation) {
      operation_ = operation;
      area_lines_ = area.lines(operation, 0);
      lines_bytes_ = area.shape().lines_bytes();
      steps_.bind(area, operation, addresses_);
      return addresses_;
    }
    void restart() {
      Messages::Pending::restart();
      waits_.clear();
    }

   private:
    friend class OverNode;
    struct Wait {
      TaskId task;
      const Step* step;
      std::size_t next;  // of those waited for: all before it have arrived
    };
    static constexpr int kStepBits = 16;

    std::byte* lines(int which) const { return area_lines_ + (lines_bytes_ * which).value; }
    std::uint64_t arrival(const Step& step) const { return operation_ << kStepBits | step.number; }
    bool is_over(Wait& wait) const {
      std::byte* const lines_of_step = lines(wait.step->lines);
      for (; wait.next < wait.step->waited_for.size(); ++wait.next) {
        const Word& word = Area::arrival(lines_of_step, wait.step->waited_for[wait.next]);
        if (word.load(std::memory_order_acquire) < arrival(*wait.step)) return false;
      }
      return true;
    }

    Steps steps_;
    std::vector<Wait> waits_;
    std::vector<std::byte*> addresses_;
    std::byte* area_lines_ = nullptr;
    Bytes lines_bytes_;
    std::uint64_t operation_ = 0;
  };

  Progress node_level(Pending& pending, TaskId task, Channel, const Task&) {
    const Step& step = pending.steps_.of(task);
    if (step.arrives)
      Area::arrival(pending.lines(step.lines), step.self)
          .store(pending.arrival(step), std::memory_order_release);
    typename Pending::Wait wait{task, &step, 0};
    if (pending.is_over(wait)) return Progress::kDone;
    pending.waits_.push_back(wait);
    return Progress::kPending;
  }

  int poll(Pending& pending, std::span<TaskId> done) {
    std::size_t count = 0;
    auto& waits = pending.waits_;
    for (std::size_t i = 0; i < waits.size();) {
      if (!pending.is_over(waits[i])) {
        ++i;
        continue;
      }
      done[count++] = waits[i].task;
      waits[i] = waits.back();
      waits.pop_back();
    }
    const int messages = Messages::poll(pending, done.subspan(count));
    return messages < 0 ? messages : static_cast<int>(count) + messages;
  }
};

}  // namespace weft::node
