// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/over_wire.hpp"

#include <fmt/format.h>

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

class WireWork : public device::Work {
 public:
  explicit WireWork(Flight& flight) : flight_(flight) {}
  Progress move() override {
    return flight_.operation.progress(flight_.traffic->transport_for(flight_.is_persistent()));
  }

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
  const auto lock = agent()->lock();
  const Progress progress = flight.operation.start(flight.traffic->transport_for(flight.is_persistent()));
  if (progress != Progress::kPending) return progress;
  if (!may_be_moved_by_agent(flight)) {
    agent()->watch();
    return progress;
  }
  if (flight.work == nullptr) flight.work = std::make_unique<WireWork>(flight);
  agent()->begin(*flight.work);
  flight.is_agents = true;
  return progress;
}

Progress progress_over_wire(Flight& flight) {
  if (flight.is_agents) return flight.work->progress();
  const auto lock = agent()->lock();
  return flight.operation.progress(flight.traffic->transport_for(flight.is_persistent()));
}

void leave_wire(Flight& flight) {
  const auto lock = agent()->lock();
  if (std::exchange(flight.is_agents, false)) agent()->withdraw(*flight.work);
  wire_of(flight).end(flight.binding.channel);
  if (flight.error == MPI_SUCCESS) return;
  flight.traffic->transport_for(flight.is_persistent()).forget(flight.operation.pending());
  say_who_is_lost(flight);
}

void drive_wire() { agent()->drive(); }

}  // namespace weft::mpi
