// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/with_agent.hpp"

#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "device/agent.hpp"
#include "mpi/engine/agent.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/flight/agent_work.hpp"
#include "mpi/flight/flight.hpp"
#include "mpi/flight/node_mates.hpp"
#include "mpi/flight/traffic.hpp"
#include "schedule/describe.hpp"
#include "transport/over_wire.hpp"

namespace weft::mpi {
namespace {

// To write so much to sockets takes longer than to wake the agent for it; and so do several messages, where
// plans have few rounds and these go out at once.
constexpr Bytes kLongToSend{32 << 10};
constexpr std::size_t kManyToSend = 2;
bool takes_long_to_send(const Schedule& schedule) {
  return sent_bytes(schedule) >= kLongToSend ||
         (engine().settings.shared.nodes_are_far() && sent_messages(schedule) >= kManyToSend);
}

AgentWork& work_of(const Flight& flight) { return static_cast<AgentWork&>(*flight.work); }
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

// What a rank does by itself. Others who run ahead of it may be told a bit later that it has come so far.
Progress start_by_rank(Flight& flight) {
  if (flight.takes_wire)
    if (const auto lock = agent()->try_lock()) wire_of(flight).begin(flight.binding.channel);
  return flight.operation.start(flight.traffic->transport_for(flight.is_persistent()));
}
Progress progress_by_rank(Flight& flight) {
  if (flight.takes_wire && wire_of(flight).may_be_lost()) {
    const auto lock = agent()->lock();
    if (wire_of(flight).lost() >= 0) return Progress::kFailed;
  }
  return flight.operation.progress(flight.traffic->transport_for(flight.is_persistent()));
}

AgentWork& take_work(Flight& flight) {
  if (flight.work == nullptr) flight.work = std::make_unique<AgentWork>(flight);
  return work_of(flight);
}

// Short operations in a node's memory are over as soon as all have come, without anybody's help. Of long ones
// each rank has to copy its part: that is the agent's, from the beginning on, since the last to come would
// else do all of it inside its call.
bool is_worth_an_agent(Flight& flight) {
  return flight.has_request() && copied_bytes(flight.operation.schedule()) >= agent_copies_from() &&
         !take_work(flight).is_for_ranks_alone();
}

Progress hand_over(Flight& flight) {
  work_of(flight).start_later();
  flight.is_agents = true;
  agent()->hand_over(*flight.work);
  return Progress::kPending;
}

Progress start_in_memory(Flight& flight) {
  if (!is_worth_an_agent(flight)) return start_by_rank(flight);
  work_of(flight).prepare();
  return hand_over(flight);
}

// The rank sends what it can by itself, unless that takes long or it would have to wait for the lock.
Progress start_over_wire(Flight& flight) {
  AgentWork& work = take_work(flight);
  const bool is_for_ranks = work.is_for_ranks_alone();
  const bool may_leave = flight.has_request() && !is_for_ranks;
  const bool takes_long = may_leave && takes_long_to_send(flight.operation.schedule());
  work.prepare();
  if (takes_long && !agent()->is_in_a_loop()) return hand_over(flight);
  auto lock = agent()->try_lock();
  if (!lock && may_leave) return hand_over(flight);
  if (!lock) lock.lock();
  Progress progress = work.start();
  if (progress != Progress::kPending) return progress;
  agent()->watch();
  if (is_for_ranks) return progress;
  if (!agent()->looks_by_itself() && work.lie_down()) {
    progress = work.move();
    if (progress != Progress::kPending) return progress;
  }
  agent()->begin(work);
  if (flight.has_request()) agent()->expect_to_be_left();
  flight.is_agents = true;
  return progress;
}

}  // namespace

void choose_agent(Flight& flight) {
  flight.takes_wire = flight.traffic->transport.has_wire() && flight.sends_messages;
  const bool stays_in_memory = flight.needs_node && !flight.sends_messages;
  const bool has_mates = flight.traffic->wakes_node_mates;
  flight.goes_with_agent = flight.takes_wire || (stays_in_memory && has_mates && flight.has_request());
  if (!flight.takes_wire) return;
  flight.is_mixed = flight.traffic->transport.is_mixed();
  if (flight.is_mixed && flight.is_persistent())
    flight.operation.pending().take_host_channel(static_cast<Channel>(flight.persistence.number));
  OverWire& wire = wire_of(flight);
  const std::size_t sequence = sequence_of(flight);
  if (!wire.has_joined(sequence)) {
    const auto lock = agent()->lock();
    wire.join(sequence);
  }
  flight.binding.channel = wire.next_channel(sequence);
}

// Others of the node may wait for this rank with their agents, whoever moves the flight here.
Progress start_with_agent(Flight& flight) {
  if (flight.needs_node && flight.has_request()) tell_node_mates(flight);
  return flight.takes_wire && flight.has_messages ? start_over_wire(flight) : start_in_memory(flight);
}

Progress progress_with_agent(Flight& flight) {
  if (flight.is_agents) return flight.work->progress();
  if (!flight.has_messages) return progress_by_rank(flight);
  const auto lock = agent()->try_lock();
  return lock ? work_of(flight).move() : Progress::kPending;
}

void leave_agent(Flight& flight) {
  const bool failed = flight.error != MPI_SUCCESS;
  const bool was_agents = std::exchange(flight.is_agents, false);
  if (!failed) {
    if (flight.work != nullptr) work_of(flight).end(false);
    return;
  }
  const auto lock = agent()->lock();
  if (was_agents) agent()->withdraw(*flight.work);
  if (flight.work != nullptr) work_of(flight).end(true);
  if (flight.takes_wire) say_who_is_lost(flight);
}

std::vector<int> partners_with_agent(const Flight& flight) {
  const auto lock = agent()->lock();
  return flight.work == nullptr ? std::vector<int>() : work_of(flight).partners();
}
int error_with_agent(const Flight& flight) {
  return flight.work == nullptr ? MPI_SUCCESS : work_of(flight).error();
}

void drive_agent() { agent()->drive(); }

}  // namespace weft::mpi
