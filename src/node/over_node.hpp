// SPDX-License-Identifier: BSD-3-Clause
// OverNode: a transport whose ranks share memory: node-level tasks go through an area, messages by whatever
// transport lies below. An arrival is one store; waiting is reading the lines of those waited for.
//
//   arrival = | block: 43 bits | step: 14 | signature: 7 |          43 bits: weeks of nothing else
//
// An operation takes a block, or, where it has more steps than fit into one, several (see Turn).
//
// The signature is that of the call. A rank that finds another one there has been called differently, which
// MPI forbids: its operation fails, instead of taking what was meant for something else. Where it is the last
// arriver at a step, it goes on, with a signature that fits nobody's, so that those who wait fail too. The
// same happens at a deliver step to whoever gets another size than it expects.
//
// Threads: as the transport below; an operation's number is set before it starts.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "node/port.hpp"
#include "node/reach.hpp"
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
      take_call(schedule.call);
      waits_.reserve(schedule.tasks.size());
      addresses_.resize(steps_.buffer_count());
    }
    // The next operation belongs to this call, whose schedule has the same steps.
    void take_call(const Call& call) { signature_ = signature_of(call); }
    // It has other parcels, in the same tasks.
    void take_parcels(const Schedule& schedule) { steps_.take_parcels(schedule); }
    const Steps& steps() const { return steps_; }

    // Says which operation of the area comes next. Returns the addresses of its shared buffers, for
    // Binding::shared.
    std::span<std::byte* const> attach(const Area& area, Turn turn) {
      arrival_0_ = turn.block << (Turn::kArrivalBits + kSignatureBits) | signature_;
      for (int which = 0; which < steps_.usage().lines; ++which)
        lines_[static_cast<std::size_t>(which)] = area.lines(turn.operation, which);
      steps_.bind(area, turn.operation, lines_, addresses_);
      return addresses_;
    }
    std::uint64_t signature() const { return signature_; }
    // `listener`, if not null, is called with `who` each time that this rank has arrived somewhere, before it
    // goes on.
    void tell_arrivals(void (*listener)(void*), void* who) {
      listener_ = listener;
      who_ = who;
    }
    // Whether another rank was found in a different call.
    bool mismatches() const { return mismatches_; }

    void restart() {
      Messages::Pending::restart();
      mismatches_ = false;
      waits_.clear();
    }

   private:
    friend class OverNode;
    struct Wait {
      TaskId task;
      const Step* step;
      std::size_t next;  // among `waited_for`: all before it have arrived
    };
    std::byte* lines(int which) const { return lines_[static_cast<std::size_t>(which)]; }
    std::uint64_t arrival(const Step& step) const { return arrival_0_ + (step.number << kSignatureBits); }
    void compare_signatures(std::uint64_t found) {
      if (((found ^ arrival_0_) & kSignature) == 0) return;
      if (!mismatches_) arrival_0_ ^= kSignature;
      mismatches_ = true;
    }
    // Ranks that wait for this one's later steps fail, too.
    void give_up(const Step& step) {
      if (!mismatches_) arrival_0_ ^= kSignature;
      mismatches_ = true;
      constexpr std::uint64_t kLast = (std::uint64_t{1} << Turn::kArrivalBits) - 1;
      Area::arrival(lines(step.lines), step.self)
          .store(arrival_0_ + (kLast << kSignatureBits), std::memory_order_release);
    }
    void compare_marks(const Step& step, std::size_t which) {
      const int from = step.waited_for[which], at = mark_place(from, step.self);
      if (at >= kMarks) return;
      const std::uint64_t marks =
          Area::delivered(lines(step.lines), from, at / 8).load(std::memory_order_relaxed);
      if (static_cast<std::uint8_t>(marks >> (8 * (at % 8))) != step.expected[which]) give_up(step);
    }
    void arrive(const Step& step) {
      for (int word = 0; word < step.mark_words; ++word)
        Area::delivered(lines(step.lines), step.self, word)
            .store(step.marks[static_cast<std::size_t>(word)], std::memory_order_relaxed);
      if (step.arrives)
        Area::arrival(lines(step.lines), step.self).store(arrival(step), std::memory_order_release);
      if (listener_ != nullptr) [[unlikely]]
        listener_(who_);
    }
    bool is_last(const Step& step) {
      std::byte* const lines_of_step = lines(step.lines);
      Word& counter = Area::counter(lines_of_step, step.waited_for.front());
      if (counter.fetch_add(1, std::memory_order_acq_rel) + 1 < step.waited_for.size()) return false;
      counter.store(0, std::memory_order_relaxed);
      for (const int place : step.waited_for)
        compare_signatures(Area::arrival(lines_of_step, place).load(std::memory_order_relaxed));
      return true;
    }
    bool is_over(Wait& wait) {
      std::byte* const lines_of_step = lines(wait.step->lines);
      const std::uint64_t wanted = arrival(*wait.step);
      for (; wait.next < wait.step->waited_for.size(); ++wait.next) {
        const std::uint64_t found =
            Area::arrival(lines_of_step, wait.step->waited_for[wait.next]).load(std::memory_order_acquire);
        if (found >> kSignatureBits < wanted >> kSignatureBits) return false;
        compare_signatures(found);
        if (wait.step->delivers) compare_marks(*wait.step, wait.next);
      }
      return true;
    }

    Steps steps_;
    std::vector<Wait> waits_;
    Wait only_wait_{};  // of a chain
    std::vector<std::byte*> addresses_;
    std::array<std::byte*, kMostLines> lines_{};
    std::uint64_t signature_ = 0;
    std::uint64_t arrival_0_ = 0;  // before the first step; with another signature after a mismatch
    bool mismatches_ = false;
    void (*listener_)(void*) = nullptr;  // to this rank's arrivals
    void* who_ = nullptr;
  };

  Progress node_level(Pending& pending, TaskId task, Channel, const Task&) {
    const Step& step = pending.steps_.of(task);
    pending.arrive(step);
    if (step.counts) return pending.is_last(step) ? Progress::kDone : Progress::kNotLast;
    typename Pending::Wait wait{task, &step, 0};
    if (pending.is_over(wait)) return pending.mismatches_ ? Progress::kFailed : Progress::kDone;
    pending.waits_.push_back(wait);
    return Progress::kPending;
  }

  Progress take_step(Pending& pending, TaskId task) {
    const Step& step = pending.steps_.of(task);
    pending.only_wait_ = {task, &step, 0};
    pending.arrive(step);
    return look(pending);
  }
  Progress look(Pending& pending) {
    if (!pending.is_over(pending.only_wait_)) return Progress::kPending;
    return pending.mismatches_ ? Progress::kFailed : Progress::kDone;
  }

  // Told before the owner arrives anywhere, and read by those who have seen it arrive.
  void expose(Pending& pending, Channel, BufferId buffer, std::byte* address) {
    const Exposure& at = pending.steps_.exposure(buffer);
    std::byte* const lines = pending.lines(at.lines);
    Area::told(lines, at.owner, 0)
        .store(static_cast<std::uint64_t>(this_process()), std::memory_order_relaxed);
    Area::told(lines, at.owner, 1 + at.which)
        .store(reinterpret_cast<std::uintptr_t>(address), std::memory_order_relaxed);
  }
  bool pull(Pending& pending, Channel, Range from, std::byte* into) {
    return node::pull(process_of(pending, from.buffer), address_of(pending, from), into, from.size);
  }
  bool push(Pending& pending, Channel, const std::byte* from, Range into) {
    return node::push(from, process_of(pending, into.buffer), address_of(pending, into), into.size);
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
    if (pending.mismatches_) return -1;
    const int messages = Messages::poll(pending, done.subspan(count));
    return messages < 0 ? messages : static_cast<int>(count) + messages;
  }

 private:
  static Process process_of(const Pending& pending, BufferId buffer) {
    const Exposure& at = pending.steps_.exposure(buffer);
    return static_cast<Process>(
        Area::told(pending.lines(at.lines), at.owner, 0).load(std::memory_order_relaxed));
  }
  // An address in the owner's process.
  static std::byte* address_of(const Pending& pending, Range range) {
    const Exposure& at = pending.steps_.exposure(range.buffer);
    const std::uint64_t begin =
        Area::told(pending.lines(at.lines), at.owner, 1 + at.which).load(std::memory_order_relaxed);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it came here as a number
    return reinterpret_cast<std::byte*>(begin) + range.offset.value;
  }
};

}  // namespace weft::node
