// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/over_wire.hpp"

#include <atomic>
#include <fmt/format.h>
#include <vector>

#include "base/log.hpp"
#include "device/agent.hpp"
#include "mpi/engine/agent.hpp"
#include "mpi/flight/flight.hpp"
#include "mpi/flight/traffic.hpp"
#include "observe/times.hpp"
#include "schedule/describe.hpp"
#include "transport/over_wire.hpp"

namespace weft::mpi {
namespace {

OverWire& wire_of(const Flight& flight) { return *flight.traffic->transport.wire(); }

HostTransport& transport_of(Flight& flight) { return flight.traffic->transport_for(flight.is_persistent()); }

// The members of its node that sleep for want of what this rank has said there since it was asked last.
std::vector<int> mates_to_wake(Flight& flight) {
  std::vector<int> found;
  if (!flight.needs_node || !flight.operation.pending().take_news()) return found;
  // Either this rank sees that another one sleeps, or that one sees what this one has said: it looks once
  // more.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const node::Area& area = flight.port->area();
  for (int member = 0; member < area.shape().members; ++member)
    if (member != flight.port->self() && area.sleeping(member).load(std::memory_order_relaxed) > 0)
      found.push_back(flight.traffic->node_mates[static_cast<std::size_t>(member)]);
  return found;
}
// The caller has the agent's lock, here and for the next two.
void wake_mates(Flight& flight) {
  for (const int rank : mates_to_wake(flight)) wire_of(flight).ring(rank);
}

void count_sleeping(Flight& flight, bool sleeps) {
  if (flight.sleeps == sleeps) return;
  flight.sleeps = sleeps;
  node::Word& word = flight.port->area().sleeping(flight.port->self());
  const std::uint64_t before = word.load(std::memory_order_relaxed);
  word.store(sleeps ? before + 1 : before - 1, std::memory_order_relaxed);
}

Progress move(Flight& flight) {
  const Progress progress = flight.operation.progress(transport_of(flight));
  wake_mates(flight);
  if (progress != Progress::kPending) count_sleeping(flight, false);
  return progress;
}

class WireWork : public device::Work {
 public:
  explicit WireWork(Flight& flight) : flight_(flight) {}
  Progress move() override { return mpi::move(flight_); }

 private:
  Flight& flight_;
};

// Blocking operations follow one another, so do the others, and the starts of each persistent one.
std::size_t sequence_of(const Flight& flight) {
  if (flight.is_persistent()) return 2 + static_cast<std::size_t>(flight.persistence.number);
  return flight.has_request() ? 1 : 0;
}

// The host's functions are called by ranks alone; and times are those of the ranks' own threads.
bool may_be_moved_by_agent(const Flight& flight) {
  const Binding& binding = flight.binding;
  const bool calls_host =
      binding.combine.apply != nullptr || binding.input_view != nullptr || binding.output_view != nullptr;
  return !calls_host && !Timed::is_wanted();
}

// A rank that is lost is an error like one that has died.
void say_who_is_lost(Flight& flight) {
  const int lost = wire_of(flight).lost();
  if (lost < 0) return;
  flight.error = MPI_ERR_OTHER;
  announce(fmt::format(
      "rank {} of MPI_COMM_WORLD{} is lost: {}. The {} fails, as will every operation with that rank", lost,
      host_of(lost), trouble_with(lost), describe(flight.operation.schedule().call)));
}

// What other ranks of the node send and receive for this one.
void wake_mates_unlocked(Flight& flight) {
  const std::vector<int> mates = mates_to_wake(flight);
  if (mates.empty()) return;
  const auto lock = agent()->lock();
  for (const int rank : mates) wire_of(flight).ring(rank);
}
Progress start_beside_wire(Flight& flight) {
  const Progress progress = flight.operation.start(transport_of(flight));
  wake_mates_unlocked(flight);
  return progress;
}
Progress progress_beside_wire(Flight& flight) {
  if (wire_of(flight).may_be_lost()) {
    const auto lock = agent()->lock();
    if (wire_of(flight).lost() >= 0) return Progress::kFailed;
  }
  const Progress progress = flight.operation.progress(transport_of(flight));
  wake_mates_unlocked(flight);
  return progress;
}

}  // namespace

void number_on_wire(Flight& flight) {
  flight.takes_wire = flight.traffic->transport.has_wire() && flight.sends_messages;
  if (!flight.takes_wire) return;
  OverWire& wire = wire_of(flight);
  const std::size_t sequence = sequence_of(flight);
  if (!wire.has_joined(sequence)) {
    const auto lock = agent()->lock();
    wire.join(sequence);
  }
  flight.binding.channel = wire.next_channel(sequence);
}

Progress start_over_wire(Flight& flight) {
  if (!flight.has_messages) return start_beside_wire(flight);
  const auto lock = agent()->lock();
  Progress progress = flight.operation.start(transport_of(flight));
  wake_mates(flight);
  if (progress != Progress::kPending) return progress;
  if (!may_be_moved_by_agent(flight)) {
    agent()->watch();
    return progress;
  }
  // A rank that waits looks by itself.
  if (flight.needs_node && flight.has_request()) {
    count_sleeping(flight, true);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    progress = move(flight);
    if (progress != Progress::kPending) return progress;
  }
  if (flight.work == nullptr) flight.work = std::make_unique<WireWork>(flight);
  agent()->begin(*flight.work);
  flight.is_agents = true;
  return progress;
}

Progress progress_over_wire(Flight& flight) {
  if (flight.is_agents) return flight.work->progress();
  if (!flight.has_messages) return progress_beside_wire(flight);
  const auto lock = agent()->lock();
  return move(flight);
}

void leave_wire(Flight& flight) {
  const auto lock = agent()->lock();
  if (std::exchange(flight.is_agents, false)) agent()->withdraw(*flight.work);
  count_sleeping(flight, false);
  wire_of(flight).end(flight.binding.channel);
  if (flight.error == MPI_SUCCESS) return;
  transport_of(flight).forget(flight.operation.pending());
  say_who_is_lost(flight);
}

void drive_wire() { agent()->drive(); }

}  // namespace weft::mpi
