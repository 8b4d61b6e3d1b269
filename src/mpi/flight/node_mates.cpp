// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/node_mates.hpp"

#include <atomic>

#include "device/agent.hpp"
#include "mpi/engine/agent.hpp"
#include "mpi/flight/flight.hpp"
#include "mpi/flight/traffic.hpp"
#include "transport/wire/wire.hpp"

namespace weft::mpi {
namespace {

bool sleeps(const Flight& flight, int member) {
  return member != flight.port->self() &&
         flight.port->area().sleeping(member).load(std::memory_order_relaxed) > 0;
}

void wake_sleeping(void* who) {
  const Flight& flight = *static_cast<const Flight*>(who);
  // Either this rank sees that another one sleeps, or that one sees what this one has said: it looks once
  // more.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (int member = 0; member < flight.port->area().shape().members; ++member)
    if (sleeps(flight, member))
      agent()->wire().ring(flight.traffic->node_mates[static_cast<std::size_t>(member)]);
}

void lock_and_wake_sleeping(void* who) {
  const Flight& flight = *static_cast<const Flight*>(who);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  bool any = false;
  for (int member = 0; member < flight.port->area().shape().members; ++member) any |= sleeps(flight, member);
  if (!any) return;
  const auto lock = agent()->lock();
  wake_sleeping(who);
}

void count_sleeping(Flight& flight, bool sleeps) {
  if (flight.sleeps == sleeps) return;
  flight.sleeps = sleeps;
  node::Word& word = flight.port->area().sleeping(flight.port->self());
  const std::uint64_t before = word.load(std::memory_order_relaxed);
  word.store(sleeps ? before + 1 : before - 1, std::memory_order_relaxed);
}

}  // namespace

void tell_node_mates(Flight& flight, Has has) {
  flight.operation.pending().tell_arrivals(has == Has::kAgentsLock ? wake_sleeping : lock_and_wake_sleeping,
                                           &flight);
}

void ask_node_mates_to_wake(Flight& flight) {
  count_sleeping(flight, true);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
void ask_for_nothing(Flight& flight) { count_sleeping(flight, false); }

}  // namespace weft::mpi
