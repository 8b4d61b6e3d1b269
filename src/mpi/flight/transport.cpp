// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/transport.hpp"

#include "transport/over_wire.hpp"

namespace weft::mpi {

HostOrWire::Pending::Pending(const Schedule& schedule)
    : MpiPointToPoint::Pending(schedule), schedule_(&schedule) {}
HostOrWire::Pending::~Pending() = default;

void HostOrWire::Pending::restart_on_wire() { on_wire_->restart(); }

OverWirePending& HostOrWire::wired(Pending& pending) {
  if (pending.on_wire_ == nullptr) pending.on_wire_ = std::make_unique<OverWirePending>(*pending.schedule_);
  return *pending.on_wire_;
}

Progress HostOrWire::send_by_wire(Pending& pending, TaskId id, Channel channel, const Task& task,
                                  const void* from) {
  return wire_->send(wired(pending), id, channel, task, from);
}
Progress HostOrWire::recv_by_wire(Pending& pending, TaskId id, Channel channel, const Task& task,
                                  void* into) {
  return wire_->recv(wired(pending), id, channel, task, into);
}
int HostOrWire::poll_wire(Pending& pending, std::span<TaskId> done) {
  return pending.on_wire_ == nullptr ? 0 : wire_->poll(*pending.on_wire_, done);
}
void HostOrWire::forget(Pending& pending) {
  if (pending.on_wire_ != nullptr) wire_->forget(*pending.on_wire_);
}

}  // namespace weft::mpi
