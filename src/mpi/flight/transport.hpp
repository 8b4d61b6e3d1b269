// SPDX-License-Identifier: BSD-3-Clause
// How the operations of the front door move their bytes: within a node through its memory, else by messages
// of the host's, or, on a communicator whose messages the agent moves, over the wire.
#pragma once

#include <memory>

#include "node/over_node.hpp"
#include "transport/mpi_point_to_point.hpp"

namespace weft {
class OverWire;
class OverWirePending;
}  // namespace weft

namespace weft::mpi {

class HostOrWire : public MpiPointToPoint {
 public:
  using MpiPointToPoint::MpiPointToPoint;

  class Pending : public MpiPointToPoint::Pending {
   public:
    explicit Pending(const Schedule& schedule);
    ~Pending();
    void restart() {
      MpiPointToPoint::Pending::restart();
      if (on_wire_ != nullptr) restart_on_wire();
    }
    // Null: none has gone that way yet.
    const OverWirePending* on_wire() const { return on_wire_.get(); }

   private:
    friend class HostOrWire;
    void restart_on_wire();
    const Schedule* schedule_;
    std::unique_ptr<OverWirePending> on_wire_;  // from the first message over the wire on
  };

  // From now on, if not null; whoever uses it then has the agent's lock.
  void take_wire(std::shared_ptr<OverWire> wire) { wire_ = std::move(wire); }
  bool has_wire() const { return wire_ != nullptr; }
  OverWire* wire() const { return wire_.get(); }

  Progress send(Pending& pending, TaskId id, Channel channel, const Task& task, const void* from) {
    if (has_wire()) [[unlikely]]
      return send_by_wire(pending, id, channel, task, from);
    return MpiPointToPoint::send(pending, id, channel, task, from);
  }
  Progress recv(Pending& pending, TaskId id, Channel channel, const Task& task, void* into) {
    if (has_wire()) [[unlikely]]
      return recv_by_wire(pending, id, channel, task, into);
    return MpiPointToPoint::recv(pending, id, channel, task, into);
  }
  int poll(Pending& pending, std::span<TaskId> done) {
    if (has_wire()) [[unlikely]]
      return poll_wire(pending, done);
    return MpiPointToPoint::poll(pending, done);
  }
  // An operation over the wire that has failed, or is given up: its buffers are the caller's again.
  void forget(Pending& pending);

 private:
  static OverWirePending& wired(Pending& pending);
  Progress send_by_wire(Pending& pending, TaskId id, Channel channel, const Task& task, const void* from);
  Progress recv_by_wire(Pending& pending, TaskId id, Channel channel, const Task& task, void* into);
  int poll_wire(Pending& pending, std::span<TaskId> done);

  std::shared_ptr<OverWire> wire_;
};

using HostTransport = node::OverNode<HostOrWire>;

}  // namespace weft::mpi
