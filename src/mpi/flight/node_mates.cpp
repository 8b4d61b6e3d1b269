// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/node_mates.hpp"

#include <atomic>
#include <vector>

#include "device/agent.hpp"
#include "mpi/engine/agent.hpp"
#include "mpi/flight/flight.hpp"
#include "mpi/flight/traffic.hpp"
#include "transport/over_wire.hpp"

namespace weft::mpi {
namespace {

// By their ranks in the communicator.
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

void wake(const Flight& flight, const std::vector<int>& mates) {
  for (const int rank : mates) flight.traffic->transport.wire()->ring(rank);
}

void count_sleeping(Flight& flight, bool sleeps) {
  if (flight.sleeps == sleeps) return;
  flight.sleeps = sleeps;
  node::Word& word = flight.port->area().sleeping(flight.port->self());
  const std::uint64_t before = word.load(std::memory_order_relaxed);
  word.store(sleeps ? before + 1 : before - 1, std::memory_order_relaxed);
}

}  // namespace

void wake_node_mates(Flight& flight) { wake(flight, mates_to_wake(flight)); }

void wake_node_mates_unlocked(Flight& flight) {
  const std::vector<int> mates = mates_to_wake(flight);
  if (mates.empty()) return;
  const auto lock = agent()->lock();
  wake(flight, mates);
}

void ask_node_mates_to_wake(Flight& flight) {
  count_sleeping(flight, true);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
void ask_for_nothing(Flight& flight) { count_sleeping(flight, false); }

}  // namespace weft::mpi
