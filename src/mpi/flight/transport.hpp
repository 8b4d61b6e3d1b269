// SPDX-License-Identifier: BSD-3-Clause
// How the operations of the front door move their bytes: within a node through its memory, else by messages
// of the host's, or, between members that have agents, over the wire. Which way the messages of two members
// go never changes, and both know it. On a mixed communicator some members have agents and some have none:
// there one operation has a channel on either way.
#pragma once

#include <memory>
#include <vector>

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
    // On a mixed communicator: of the messages of the host's, where the operation's own is that on the wire.
    void take_host_channel(Channel channel) { host_channel_ = channel; }

   private:
    friend class HostOrWire;
    void restart_on_wire();
    const Schedule* schedule_;
    std::unique_ptr<OverWirePending> on_wire_;  // from the first message over the wire on
    Channel host_channel_ = 0;
  };

  // From now on; whoever uses it then has the agent's lock. `by_host`: by rank, those who have no wire;
  // empty: there is none.
  void take_wire(std::shared_ptr<OverWire> wire, std::vector<char> by_host) {
    wire_ = std::move(wire);
    by_host_ = std::move(by_host);
  }
  bool has_wire() const { return wire_ != nullptr; }
  OverWire* wire() const { return wire_.get(); }
  bool is_mixed() const { return !by_host_.empty(); }
  // Whether some message of this rank's is the host's although there is a wire: that only ranks can move.
  bool needs_host(const Schedule& schedule) const;

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
  bool goes_by_host(int rank) const { return is_mixed() && by_host_[static_cast<std::size_t>(rank)] != 0; }
  static OverWirePending& wired(Pending& pending);
  Progress send_by_wire(Pending& pending, TaskId id, Channel channel, const Task& task, const void* from);
  Progress recv_by_wire(Pending& pending, TaskId id, Channel channel, const Task& task, void* into);
  int poll_wire(Pending& pending, std::span<TaskId> done);

  std::shared_ptr<OverWire> wire_;
  std::vector<char> by_host_;
};

using HostTransport = node::OverNode<HostOrWire>;

}  // namespace weft::mpi
