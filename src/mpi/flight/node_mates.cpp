// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/node_mates.hpp"

#include <atomic>

#include "mpi/engine/agent.hpp"
#include "mpi/flight/flight.hpp"
#include "mpi/flight/traffic.hpp"

namespace weft::mpi {
namespace {

void wake_sleeping(void* who) {
  const Flight& flight = *static_cast<const Flight*>(who);
  // Either this rank sees that another one sleeps, or that one sees what this one has said: it looks once
  // more.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const node::Area& area = flight.port->area();
  for (int member = 0; member < area.shape().members; ++member)
    if (member != flight.port->self() && area.sleeping(member).load(std::memory_order_relaxed) > 0)
      ring_agent_of(flight.traffic->node_mates[static_cast<std::size_t>(member)]);
}

void count_sleeping(Flight& flight, bool sleeps) {
  if (flight.sleeps == sleeps) return;
  flight.sleeps = sleeps;
  node::Word& word = flight.port->area().sleeping(flight.port->self());
  const std::uint64_t before = word.load(std::memory_order_relaxed);
  word.store(sleeps ? before + 1 : before - 1, std::memory_order_relaxed);
}

}  // namespace

void tell_node_mates(Flight& flight) { flight.operation.pending().tell_arrivals(wake_sleeping, &flight); }

void ask_node_mates_to_wake(Flight& flight) {
  count_sleeping(flight, true);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
void ask_for_nothing(Flight& flight) { count_sleeping(flight, false); }

}  // namespace weft::mpi
