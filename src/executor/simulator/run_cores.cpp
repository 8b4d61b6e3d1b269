// SPDX-License-Identifier: BSD-3-Clause
// Ranks that share the cores of their node: what needs a processor waits until the rank has one.
#include <algorithm>

#include "executor/simulator/run.hpp"

namespace weft::simulator {

// Whether it does; what adapters do does not, nor what is only noted until the rank comes to it.
bool Run::needs_processor(const Event& event) {
  switch (event.kind) {
    case EventKind::kResume: return true;
    case EventKind::kLeaves:
    case EventKind::kMessage:
    case EventKind::kWrite:
    case EventKind::kForward:
    case EventKind::kForwarded:
    case EventKind::kArrives:
    case EventKind::kGivesBack: return false;
    case EventKind::kDelivered: {
      const Role& own = role(event.rank, event.slot);
      if (is_adapters(event.slot) || event.instance != own.instance || !own.is_begun) return false;
      return (counter(own, event.slot, event.task) & kAwaited) == 0 || !is_long(event);
    }
    case EventKind::kAnswer:
    case EventKind::kLong:
    case EventKind::kWritten:
    case EventKind::kSent:
    case EventKind::kOpens:
    case EventKind::kReleased: return !is_adapters(event.slot);
  }
  return true;
}

// While its rank computes an agent works on another core, if one is idle.
void Run::act_on_core(const Event& event) {
  if (!cores_.are_shared(event.rank)) return act(event);
  if (event.kind == EventKind::kGivesBack)
    return give_back(event.rank, static_cast<Thread>(event.task), event.at);
  const bool works = needs_processor(event);
  if (works) {
    const bool is_agents = !is_host_ && !setting_.agent_shares_core && event.kind != EventKind::kResume;
    if (is_agents && is_away(event.rank, event.at) && !cores_.has(event.rank, Thread::kAgent))
      cores_.take(event.rank, Thread::kAgent);
    const bool has_one = cores_.has(event.rank) || (is_agents && cores_.has(event.rank, Thread::kAgent));
    if (!has_one) {
      const bool was_waiting = cores_.waits(event.rank);
      const Cores::Taken taken = was_waiting ? Cores::Taken::kNone : cores_.take(event.rank, Thread::kRank);
      cores_.postpone(event);
      if (taken != Cores::Taken::kNone) begin_on_core(event.rank, taken, event.at);
      return;
    }
  }
  const bool has_taken_part = works || event.kind == EventKind::kArrives;
  act(event);
  if (has_taken_part) look_at_cores(event.rank, event.at);
}

// What the rank has waited to do it does when its core has been handed over to it.
void Run::begin_on_core(std::uint32_t rank, Cores::Taken taken, Time at) {
  const Time begin = at + (taken == Cores::Taken::kOthers ? setting_.machine.switching : Time(0));
  for (Event event : cores_.take_postponed(rank)) {
    event.at = begin;
    players_[rank].free = std::max(players_[rank].free, begin);
    act(event);
  }
  look_at_cores(rank, at);
}

// What a thread does is known some time before it is over: then somebody looks whether more has come.
void Run::look_at_cores(std::uint32_t rank, Time at) {
  for (const Thread thread : {Thread::kRank, Thread::kAgent}) {
    if (!cores_.has(rank, thread)) continue;
    cores_.note_work(rank, thread);
    if (!cores_.begin_look(rank, thread)) push_look(rank, thread, std::max(at, busy_until(rank, thread)));
  }
}

void Run::push_look(std::uint32_t rank, Thread thread, Time at) {
  queue_.push(
      {.at = at, .rank = rank, .task = static_cast<std::uint32_t>(thread), .kind = EventKind::kGivesBack});
}

Time Run::busy_until(std::uint32_t rank, Thread thread) const {
  const Player& player = players_[rank];
  if (thread == Thread::kAgent) return player.free;
  Time until = player.main + (player.waits_for >= 0 ? spin_ : Time(0));
  if (!computations_.empty()) until = std::max(until, computations_[rank].until);
  return cores_.has(rank, Thread::kAgent) ? until : std::max(until, player.free);
}

// What follows at the same time keeps the core as well: so it looks again when all that is over.
void Run::give_back(std::uint32_t rank, Thread thread, Time at) {
  if (!cores_.has(rank, thread)) return cores_.end_look(rank, thread);
  const Time until = busy_until(rank, thread);
  if (cores_.take_worked(rank, thread) || until > at) return push_look(rank, thread, std::max(at, until));
  cores_.end_look(rank, thread);
  if (const auto turn = cores_.give_back(rank, thread)) begin_on_core(turn->rank, turn->taken, at);
}

}  // namespace weft::simulator
