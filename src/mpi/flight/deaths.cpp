// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/deaths.hpp"

#include <fmt/format.h>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/flight/flight.hpp"
#include "mpi/flight/inquiry.hpp"
#include "mpi/flight/launch.hpp"
#include "mpi/flight/letters.hpp"
#include "mpi/flight/traffic.hpp"
#include "schedule/describe.hpp"

namespace weft::mpi {
namespace {

std::string name_of(const Members& members) {
  char name[MPI_MAX_OBJECT_NAME] = {};
  int length = 0;
  if (!members.freed.load(std::memory_order_acquire)) PMPI_Comm_get_name(members.handle, name, &length);
  return length > 0 ? std::string(name) : fmt::format("a communicator of {} ranks", members.size);
}

void fail_operations_with(const std::vector<int>& dead, const Flight& flight) {
  announce(fmt::format(
      "rank{} {} of MPI_COMM_WORLD ended before MPI_Finalize: killed, crashed or exited. The {} of {} cannot "
      "complete and fails, as will every operation with a rank that has ended",
      dead.size() > 1 ? "s" : "", fmt::join(dead, ", "), describe(flight.operation.schedule().call),
      name_of(flight.traffic->members)));
  fail_operations(*flight.traffic, MPI_ERR_OTHER);
}

// A rank of the world that never begins the operation, since it begins no more on the communicator; -1: none
// that is known. In MPI_Finalize nobody asks: what cannot complete is given up there, without an error.
int find_who_takes_no_part(const Flight& flight) {
  const bool takes_turns = flight.needs_node && !flight.is_persistent();
  if (!takes_turns || engine().is_finalizing) return -1;
  const int member = flight.port->find_who_ended_before(flight.turn.operation);
  return member < 0 ? -1 : flight.traffic->node_mates[static_cast<std::size_t>(member)];
}

void fail_operations_without(int rank, const Flight& flight) {
  Traffic& traffic = *flight.traffic;
  announce(
      fmt::format("rank {} of MPI_COMM_WORLD takes no part in the {} of {}, which fails: it has freed the "
                  "communicator, or called MPI_Finalize",
                  rank, describe(flight.operation.schedule().call), name_of(traffic.members)));
  // Those on this node find it out by themselves.
  if (traffic.node_mates.size() < traffic.members.world_rank.size()) tell_failure(flight);
  fail_operations(traffic, MPI_ERR_OTHER);
}

// Ends the operations that wait for a rank in vain with an error. Those whose data had arrived before have
// ended well.
void fail_what_waits_in_vain() {
  Engine& e = engine();
  for (std::size_t i = e.flights.size(); i-- > 0;) {
    if (i >= e.flights.size()) continue;  // failing a communicator's operations ends several at once
    const Flight& flight = *e.flights[i];
    if (const std::vector<int> dead = ended_among(flight.traffic->members.world_rank); !dead.empty())
      fail_operations_with(dead, flight);
    else if (const int rank = find_who_takes_no_part(flight); rank >= 0)
      fail_operations_without(rank, flight);
  }
}

}  // namespace

void look_for_deaths(Nanoseconds now) {
  progress();
  if (!engine().lock.try_lock()) return;
  look_at_peers(now);
  fail_what_waits_in_vain();
  fail_mismatched_operations();
  ask_and_answer();
  leave_engine();
}

}  // namespace weft::mpi
