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

namespace weft::mpi {
namespace {

class WireWork : public device::Work {
 public:
  explicit WireWork(Flight& flight) : flight_(flight) {}
  Progress move() override { return flight_.operation.progress(flight_.traffic->transport); }

 private:
  Flight& flight_;
};

// The host's functions are called by ranks alone; and times are those of the ranks' own threads.
bool may_be_moved_by_agent(const Flight& flight) {
  const Binding& binding = flight.binding;
  const bool calls_host =
      binding.combine.apply != nullptr || binding.input_view != nullptr || binding.output_view != nullptr;
  return !calls_host && !Timed::is_wanted();
}

void say_what_failed(const Flight& flight) {
  const Schedule& schedule = flight.operation.schedule();
  for (const int rank : flight.traffic->members.world_rank)
    if (const std::string why = trouble_with(rank); !why.empty())
      return announce(fmt::format("the connection to rank {} of MPI_COMM_WORLD has ended: {}. The {} fails",
                                  rank, why, describe(schedule.call)));
}

}  // namespace

void number_on_wire(Flight& flight) {
  Traffic& traffic = *flight.traffic;
  flight.takes_wire = traffic.transport.has_wire() && flight.sends_messages && !flight.is_persistent();
  if (!flight.takes_wire) return;
  const std::uint64_t sequence = flight.has_request() ? 1 : 0;
  flight.binding.channel = sequence << 63 | ++traffic.over_wire[sequence];
}

Progress start_over_wire(Flight& flight) {
  const auto lock = agent()->lock();
  const Progress progress = flight.operation.start(flight.traffic->transport);
  if (progress != Progress::kPending || !may_be_moved_by_agent(flight)) return progress;
  if (flight.work == nullptr) flight.work = std::make_unique<WireWork>(flight);
  agent()->begin(*flight.work);
  flight.is_agents = true;
  return progress;
}

Progress progress_over_wire(Flight& flight) {
  if (flight.is_agents) return flight.work->progress();
  const auto lock = agent()->lock();
  return flight.operation.progress(flight.traffic->transport);
}

void leave_wire(Flight& flight) {
  const auto lock = agent()->lock();
  if (std::exchange(flight.is_agents, false)) agent()->withdraw(*flight.work);
  if (flight.error == MPI_SUCCESS) return;
  flight.traffic->transport.forget(flight.operation.pending());
  say_what_failed(flight);
}

void drive_wire() { agent()->drive(); }

}  // namespace weft::mpi
