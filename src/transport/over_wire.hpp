// SPDX-License-Identifier: BSD-3-Clause
// OverWire: one communicator's messages over a wire. A channel is the number of an operation of the
// communicator: its sequence and its place there, the same on all members, and none is used twice.
//
// Threads: as the wire, but for next_channel(), which is its one user's.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "transport/wire/wire.hpp"

namespace weft {

// The messages of one operation over a wire.
class OverWirePending {
 public:
  explicit OverWirePending(const Schedule& schedule)
      : outbox_(message_count(schedule)), sends_(sent_messages(schedule)) {}
  void restart() {
    outbox_.restart();
    begun_sends_ = under_way_ = 0;
  }
  // Whether anybody but this process waits for what is left: all but short messages that are to come here.
  bool concerns_others() const { return begun_sends_ < sends_ || under_way_ > outbox_.short_messages(); }
  bool has_other_size() const { return outbox_.has_other_size(); }
  // The ranks whose part in a message under way is still to come, each once.
  std::vector<int> partners(std::span<const int> processes) const {
    std::vector<int> found;
    for (std::size_t rank = 0; rank < processes.size(); ++rank)
      if (outbox_.is_awaiting(processes[rank])) found.push_back(static_cast<int>(rank));
    return found;
  }

 private:
  friend class OverWire;
  wire::Outbox outbox_;
  std::size_t sends_, begun_sends_ = 0;
  std::size_t under_way_ = 0;  // messages
};

class OverWire {
 public:
  using Pending = OverWirePending;

  // `communicator`: a number that no other communicator of the job has or had. `processes`: of its members,
  // by rank.
  OverWire(wire::Wire& wire, std::uint64_t communicator, std::span<const int> processes)
      : wire_(&wire), communicator_(communicator), processes_(processes.begin(), processes.end()) {}
  OverWire(const OverWire&) = delete;

  // Before its first operation.
  void join(std::size_t sequence) {
    if (sequence >= sequences_.size()) sequences_.resize(sequence + 1);
    if (sequences_[sequence] != nullptr) return;
    sequences_[sequence] =
        std::make_unique<wire::Sequence>(communicator_, static_cast<std::uint32_t>(sequence), processes_);
    wire_->join(*sequences_[sequence]);
  }
  bool has_joined(std::size_t sequence) const {
    return sequence < sequences_.size() && sequences_[sequence] != nullptr;
  }
  // After the last operation of all; while the wire lives.
  void leave() {
    for (const auto& sequence : sequences_)
      if (sequence != nullptr) wire_->leave(*sequence);
  }

  // Of the next operation in that sequence.
  Channel next_channel(std::size_t sequence) { return sequences_[sequence]->next(); }
  // Before its first message.
  void begin(Channel channel) { wire_->begin(sequence_of(channel), channel); }

  Progress send(Pending& pending, TaskId id, Channel channel, const Task& task, const void* from) {
    ++pending.begun_sends_;
    return noted(pending, wire_->send(sequence_of(channel), pending.outbox_, id, task.peer,
                                      address(channel, task), from, task.size));
  }
  Progress recv(Pending& pending, TaskId id, Channel channel, const Task& task, void* into) {
    return noted(pending, wire_->recv(sequence_of(channel), pending.outbox_, id, task.peer,
                                      address(channel, task), into, task.size));
  }
  // Whoever polls drives the wire, once for all operations.
  int poll(Pending& pending, std::span<TaskId> done) {
    const int count = pending.outbox_.take_completed(done);
    if (count > 0) pending.under_way_ -= static_cast<std::size_t>(count);
    return count;
  }
  // An operation that has failed: its buffers are the caller's again.
  void forget(Pending& pending) { wire_->forget(pending.outbox_); }

  // The process that has broken the communicator; -1: none has.
  int lost() const { return wire_->lost_by(communicator_); }
  // For any thread: whether it may be worth while to ask.
  bool may_be_lost() const { return wire_->losses() > 0; }
  std::span<const int> processes() const { return processes_; }

 private:
  static Progress noted(Pending& pending, Progress progress) {
    pending.under_way_ += progress == Progress::kPending;
    return progress;
  }
  wire::Sequence& sequence_of(Channel channel) { return *sequences_[wire::Sequence::number_of(channel)]; }
  wire::MessageAddress address(Channel channel, const Task& task) const {
    return {.communicator = communicator_, .operation = channel, .ordinal = task.ordinal};
  }

  wire::Wire* wire_;
  std::uint64_t communicator_;
  std::vector<int> processes_;
  std::vector<std::unique_ptr<wire::Sequence>> sequences_;
};

static_assert(Transport<OverWire>);

}  // namespace weft
