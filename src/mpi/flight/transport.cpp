// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/transport.hpp"

#include <algorithm>

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
  if (goes_by_host(task.peer)) return MpiPointToPoint::send(pending, id, pending.host_channel_, task, from);
  return wire_->send(wired(pending), id, channel, task, from);
}
Progress HostOrWire::recv_by_wire(Pending& pending, TaskId id, Channel channel, const Task& task,
                                  void* into) {
  if (goes_by_host(task.peer)) return MpiPointToPoint::recv(pending, id, pending.host_channel_, task, into);
  return wire_->recv(wired(pending), id, channel, task, into);
}
int HostOrWire::poll_wire(Pending& pending, std::span<TaskId> done) {
  const int by_wire = pending.on_wire_ == nullptr ? 0 : wire_->poll(*pending.on_wire_, done);
  if (by_wire < 0 || !is_mixed()) return by_wire;
  const int by_host = MpiPointToPoint::poll(pending, done.subspan(static_cast<std::size_t>(by_wire)));
  return by_host < 0 ? by_host : by_wire + by_host;
}
bool HostOrWire::needs_host(const Schedule& schedule) const {
  return is_mixed() && std::any_of(schedule.tasks.begin(), schedule.tasks.end(), [&](const Task& task) {
           return is_message(task.kind) && goes_by_host(task.peer);
         });
}
void HostOrWire::forget(Pending& pending) {
  if (pending.on_wire_ != nullptr) wire_->forget(*pending.on_wire_);
}

}  // namespace weft::mpi
