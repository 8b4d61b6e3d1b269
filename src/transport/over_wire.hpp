// SPDX-License-Identifier: BSD-3-Clause
// OverWire: one communicator's messages over a wire. A channel is the number of an operation of the
// communicator, the same on all members, and none is used twice.
//
// Threads: as the wire.
#pragma once

#include <span>

#include "transport/wire/wire.hpp"

namespace weft {

// The messages of one operation over a wire.
class OverWirePending {
 public:
  explicit OverWirePending(const Schedule& schedule) : outbox_(message_count(schedule)) {}
  void restart() { outbox_.restart(); }

 private:
  friend class OverWire;
  wire::Outbox outbox_;
};

class OverWire {
 public:
  using Pending = OverWirePending;

  // `communicator`: a number that no other communicator of the job has or had. `processes`: of its members,
  // by rank; they outlive the transport, as the wire does.
  OverWire(wire::Wire& wire, std::uint64_t communicator, std::span<const int> processes)
      : wire_(&wire), communicator_(communicator), processes_(processes) {}

  Progress send(Pending& pending, TaskId id, Channel channel, const Task& task, const void* from) {
    return wire_->send(pending.outbox_, id, process_of(task.peer),
                       {communicator_, channel, task.ordinal, wire_->self()}, from, task.size);
  }
  Progress recv(Pending& pending, TaskId id, Channel channel, const Task& task, void* into) {
    return wire_->recv(pending.outbox_, id, {communicator_, channel, task.ordinal, process_of(task.peer)},
                       into, task.size);
  }
  // Whoever polls drives the wire, once for all operations.
  int poll(Pending& pending, std::span<TaskId> done) { return pending.outbox_.take_completed(done); }
  // An operation that has failed: its buffers are the caller's again.
  void forget(Pending& pending) { wire_->forget(pending.outbox_); }

 private:
  int process_of(int rank) const { return processes_[static_cast<std::size_t>(rank)]; }

  wire::Wire* wire_;
  std::uint64_t communicator_;
  std::span<const int> processes_;
};

static_assert(Transport<OverWire>);

}  // namespace weft
