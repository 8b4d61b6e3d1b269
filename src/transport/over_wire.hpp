// SPDX-License-Identifier: BSD-3-Clause
// OverWire: one communicator's messages over a wire. A channel is the number of an operation of the
// communicator: its sequence and its place there, the same on all members, and none is used twice.
//
// A write is a frame for exposed memory, as what MPI_Put sends is. Where the carrier may bring it later than
// a message behind it, that message is held back until the target has said that the write is there.
//
// Threads: as the wire, but for next_channel(), which is its one user's.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mixed.hpp"
#include "transport/wire/wire.hpp"

namespace weft {

class OverWire;

// The messages of one operation over a wire.
class OverWirePending : private wire::Exposed {
 public:
  explicit OverWirePending(const Schedule& schedule)
      : outbox_(message_count(schedule)), sends_(sent_messages(schedule)) {}
  ~OverWirePending() { conceal(); }
  OverWirePending(const OverWirePending&) = delete;
  void restart() {
    outbox_.restart();
    pieces_.clear();
    begun_sends_ = under_way_ = 0;
    received_ = Bytes(0);
  }
  // Whether anybody but this process waits for what is left, which is all but short messages that are to come
  // here; or this process receives so much that its rank would take long to take it in.
  bool concerns_others() const {
    const bool take_long = received_ > kLongToTakeIn;
    return begun_sends_ < sends_ || under_way_ > (take_long ? 0 : outbox_.short_messages());
  }
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
  static constexpr Bytes kLongToTakeIn{32 << 10};
  // A message that stays behind writes.
  struct Held {
    int process;
    TaskId task;
    Channel channel;
    const Task* what;
    const void* from;
  };

  std::byte* place(const wire::MessageAddress& address, Bytes size) override {
    const Bytes at(static_cast<std::int64_t>(address.operation));
    return at >= Bytes(0) && at <= window_ && size <= window_ - at ? memory_ + at.value : nullptr;
  }
  // Leaves out those of which something is still under way; how many remain.
  int without_parts(std::span<TaskId> done) {
    const auto is_part = [this](TaskId task) {
      const auto found = pieces_.find(task.value);
      if (found == pieces_.end()) return false;
      if (--found->second > 0) return true;
      pieces_.erase(found);
      return false;
    };
    return static_cast<int>(std::remove_if(done.begin(), done.end(), is_part) - done.begin());
  }
  // A write, or the word that one has come.
  void arrived(const wire::MessageAddress& address, Bytes size) override;
  bool needs(int) const override { return false; }  // the word behind the writes is waited for
  void conceal();

  OverWire* over_ = nullptr;  // while a window is open
  std::uint64_t number_ = 0;
  std::byte* memory_ = nullptr;
  Bytes window_;
  std::unordered_map<int, int> unconfirmed_;       // frames of writes, by process
  std::unordered_map<std::uint32_t, int> pieces_;  // of writes longer than a frame, still under way
  std::vector<Held> held_;
  wire::Outbox outbox_;
  std::size_t sends_, begun_sends_ = 0;
  std::size_t under_way_ = 0;  // messages
  Bytes received_;             // by all messages so far, whether they have come or not
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
    const int process = processes_[static_cast<std::size_t>(task.peer)];
    if (!pending.unconfirmed_.empty() && pending.unconfirmed_[process] > 0) {
      pending.held_.push_back({process, id, channel, &task, from});
      return noted(pending, Progress::kPending);
    }
    return noted(pending, send_now(pending, id, channel, task, from));
  }
  // Others write there by a number that only this operation has.
  void open(Pending& pending, Channel channel, std::byte* memory, Bytes size) {
    constexpr std::uint64_t kNoWindowOfMpi = std::uint64_t{1} << 63;
    pending.conceal();
    pending.over_ = this;
    pending.number_ = mixed(communicator_, channel) | kNoWindowOfMpi;
    pending.memory_ = memory;
    pending.window_ = size;
    wire_->expose(pending.number_, pending);
  }
  void close(Pending& pending) { pending.conceal(); }
  Progress write(Pending& pending, TaskId id, Channel, const Task& task, const void* from) {
    ++pending.begun_sends_;
    const int process = processes_[static_cast<std::size_t>(task.peer)];
    const auto* const bytes = static_cast<const std::byte*>(from);
    const Bytes most = wire_->longest_unexpected();
    int under_way = 0;
    for (Bytes at(0); at < task.size; at = at + most) {
      const auto place = static_cast<std::uint64_t>((task.target_offset + at).value);
      const Progress progress =
          wire_->send_to_exposed(pending.number_, process, {.operation = place}, bytes + at.value,
                                 std::min(most, task.size - at), &pending.outbox_, id);
      if (progress == Progress::kFailed) return progress;
      under_way += progress == Progress::kPending;
      if (!wire_->keeps_order()) ++pending.unconfirmed_[process];
    }
    if (under_way > 1) pending.pieces_[id.value] = under_way;
    return noted(pending, under_way > 0 ? Progress::kPending : Progress::kDone);
  }
  Progress recv(Pending& pending, TaskId id, Channel channel, const Task& task, void* into) {
    pending.received_ = pending.received_ + task.size;
    return noted(pending, wire_->recv(sequence_of(channel), pending.outbox_, id, task.peer,
                                      address(channel, task), into, task.size));
  }
  // Whoever polls drives the wire, once for all operations.
  int poll(Pending& pending, std::span<TaskId> done) {
    int count = pending.outbox_.take_completed(done);
    if (count > 0 && !pending.pieces_.empty())
      count = pending.without_parts(done.first(static_cast<std::size_t>(count)));
    if (count > 0) pending.under_way_ -= static_cast<std::size_t>(count);
    return count;
  }
  // An operation that has failed: its buffers are the caller's again.
  void forget(Pending& pending) {
    pending.conceal();
    wire_->forget(pending.outbox_);
  }

  // The process that has broken the communicator; -1: none has.
  int lost() const { return wire_->lost_by(communicator_); }
  // For any thread: whether it may be worth while to ask.
  bool may_be_lost() const { return wire_->losses() > 0; }
  std::span<const int> processes() const { return processes_; }

 private:
  friend class OverWirePending;
  Progress send_now(Pending& pending, TaskId id, Channel channel, const Task& task, const void* from) {
    return wire_->send(sequence_of(channel), pending.outbox_, id, task.peer, address(channel, task), from,
                       task.size);
  }
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

static_assert(WindowTransport<OverWire>);

inline void OverWirePending::conceal() {
  if (over_ == nullptr) return;
  std::exchange(over_, nullptr)->wire_->conceal(number_);
  unconfirmed_.clear();
  held_.clear();
}

inline void OverWirePending::arrived(const wire::MessageAddress& address, Bytes size) {
  wire::Wire& wire = *over_->wire_;
  if (size > Bytes(0)) {
    if (!wire.keeps_order())
      wire.send_to_exposed(number_, address.sender, {}, nullptr, Bytes(0), nullptr, TaskId{});
    return;
  }
  if (--unconfirmed_[address.sender] > 0) return;
  const auto behind = std::stable_partition(held_.begin(), held_.end(),
                                            [&](const Held& one) { return one.process != address.sender; });
  const std::vector<Held> free(behind, held_.end());
  held_.erase(behind, held_.end());
  for (const Held& one : free) switch (over_->send_now(*this, one.task, one.channel, *one.what, one.from)) {
      case Progress::kPending: break;
      case Progress::kFailed: outbox_.fail(); break;
      default: outbox_.complete(one.task);
    }
}

}  // namespace weft
