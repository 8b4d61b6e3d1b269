// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/over_wire.hpp"

#include <fmt/format.h>
#include <vector>

#include "base/log.hpp"
#include "device/agent.hpp"
#include "mpi/engine/agent.hpp"
#include "mpi/flight/flight.hpp"
#include "mpi/flight/node_mates.hpp"
#include "mpi/flight/traffic.hpp"
#include "mpi/flight/wire_work.hpp"
#include "schedule/describe.hpp"
#include "transport/over_wire.hpp"

namespace weft::mpi {
namespace {

WireWork& work_of(const Flight& flight) { return static_cast<WireWork&>(*flight.work); }
OverWire& wire_of(const Flight& flight) { return *flight.traffic->transport.wire(); }

// Blocking operations follow one another, so do the others, and the starts of each persistent one.
std::size_t sequence_of(const Flight& flight) {
  if (flight.is_persistent()) return 2 + static_cast<std::size_t>(flight.persistence.number);
  return flight.has_request() ? 1 : 0;
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

// Where other ranks of the node send and receive for this one.
Progress start_beside_wire(Flight& flight) {
  const Progress progress = flight.operation.start(flight.traffic->transport_for(flight.is_persistent()));
  wake_node_mates_unlocked(flight);
  return progress;
}
Progress progress_beside_wire(Flight& flight) {
  if (wire_of(flight).may_be_lost()) {
    const auto lock = agent()->lock();
    if (wire_of(flight).lost() >= 0) return Progress::kFailed;
  }
  const Progress progress = flight.operation.progress(flight.traffic->transport_for(flight.is_persistent()));
  wake_node_mates_unlocked(flight);
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
  auto lock = agent()->lock();
  wire_of(flight).begin(flight.binding.channel);
  if (!flight.has_messages) {
    lock.unlock();
    return start_beside_wire(flight);
  }
  if (flight.work == nullptr) flight.work = std::make_unique<WireWork>(flight);
  Progress progress = work_of(flight).start();
  if (progress != Progress::kPending) return progress;
  agent()->watch();
  if (work_of(flight).is_for_ranks_alone()) return progress;
  // A rank that waits looks by itself.
  if (flight.needs_node && flight.has_request()) {
    ask_node_mates_to_wake(flight);
    progress = work_of(flight).move();
    if (progress != Progress::kPending) return progress;
  }
  agent()->begin(*flight.work);
  flight.is_agents = true;
  return progress;
}

Progress progress_over_wire(Flight& flight) {
  if (flight.is_agents) return flight.work->progress();
  if (!flight.has_messages) return progress_beside_wire(flight);
  const auto lock = agent()->lock();
  return work_of(flight).move();
}

void leave_wire(Flight& flight) {
  const bool failed = flight.error != MPI_SUCCESS;
  if (!flight.has_messages && !failed) return;
  const auto lock = agent()->lock();
  if (std::exchange(flight.is_agents, false)) agent()->withdraw(*flight.work);
  if (flight.work != nullptr) work_of(flight).end(failed);
  if (failed) say_who_is_lost(flight);
}

std::vector<int> partners_over_wire(const Flight& flight) {
  const auto lock = agent()->lock();
  return flight.work == nullptr ? std::vector<int>() : work_of(flight).partners();
}
int error_over_wire(const Flight& flight) {
  return flight.work == nullptr ? MPI_SUCCESS : work_of(flight).error();
}

void drive_wire() { agent()->drive(); }

}  // namespace weft::mpi
