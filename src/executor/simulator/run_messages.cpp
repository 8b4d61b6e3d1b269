// SPDX-License-Identifier: BSD-3-Clause
// What a message goes through, from the task that sends it to the one that receives it.
#include <algorithm>
#include <fmt/format.h>

#include "executor/simulator/run.hpp"

namespace weft::simulator {

// What a byte costs, all but the first one do.
Bytes Run::paid_bytes(Bytes size) const {
  const Bytes sent = size > Bytes(0) ? size : setting_.signal_bytes;
  return std::max(sent - Bytes(1), Bytes(0));
}

// An adapter that executes lists needs no processor for a message.
Time Run::overhead(const Link& link, Bytes size) const {
  if (is_adapter_) return setting_.machine.adapter.task;
  return link.overhead + link.overhead_per_byte * paid_bytes(size).value;
}

// A short message is on its way, and its buffer free, once the processor has given it away. A long one asks
// first.
void Run::send(std::uint32_t rank, std::uint16_t slot, std::uint32_t task) {
  const Role& own = role(rank, slot);
  const Script& script = script_of(rank, slot);
  const ScriptTask& what = script.tasks[task];
  const std::uint32_t to = named(rank, slot, what.peer);
  const std::uint32_t others_script = role(to, slot).script;
  const std::uint32_t other =
      operations_[slot].other_end(script, what, static_cast<int>(rank), others_script, static_cast<int>(to));
  if (other == Script::kNobody) {
    if (outcome_.problem.empty())
      outcome_.problem =
          fmt::format("rank {} sends message {} to rank {}, which expects none", rank, what.label, to);
    return complete(rank, slot, task);
  }
  const Link& link = link_between(rank, to);
  const bool is_long = what.size > link.eager;
  const Time begin = players_[rank].free;
  spend(rank, overhead(link, is_long ? Bytes(0) : what.size));
  ++outcome_.tasks;
  ++outcome_.messages;
  outcome_.bytes += static_cast<std::uint64_t>(what.size.value);
  if (observer_ != nullptr) observer_->did(static_cast<int>(rank), slot, task, begin, players_[rank].free);
  Event event{.at = {},
              .rank = to,
              .task = other,
              .instance = own.instance,
              .slot = slot,
              .kind = EventKind::kMessage};
  if (is_long) {
    event.at = players_[rank].free + link.latency;
    event.kind = EventKind::kDelivered;
    return queue_.push(event);  // complete when its bytes have left
  }
  const Time bytes = link.per_byte * paid_bytes(what.size).value;
  Time leaves = players_[rank].free;
  if (has_adapter_between(rank, to)) {
    Player& adapter = adapter_of(rank);
    leaves = std::max(leaves, adapter.sends);
    adapter.sends = leaves + link.gap + bytes;
  } else {
    event.kind = EventKind::kDelivered;
  }
  event.at = leaves + link.latency + bytes;
  queue_.push(event);
  complete(rank, slot, task);
}

// The receiver's adapter takes one after the other, in the order in which they would be there.
void Run::take_message(const Event& event) {
  const Script& script = script_of(event.rank, event.slot);
  const ScriptTask& what = script.tasks[event.task];
  const std::uint32_t from = named(event.rank, event.slot, what.peer);
  const Link& link = link_between(event.rank, from);
  const Time bytes = link.per_byte * paid_bytes(what.size).value;
  Player& adapter = adapter_of(event.rank);
  const Time begins = std::max(event.at - bytes, adapter.receives);
  adapter.receives = begins + link.gap + bytes;
  if (begins + bytes == event.at) return deliver(event);
  Event later = event;
  later.at = begins + bytes;
  later.kind = EventKind::kDelivered;
  queue_.push(later);
}

void Run::deliver(const Event& event) {
  Role& own = role(event.rank, event.slot);
  if (event.instance != own.instance) {
    early_[std::uint64_t{event.slot} << 32 | event.rank].push_back({event.instance, event.task});
    most_early_ = std::max(most_early_, early_.size());
    return;
  }
  Counter& state = counter(own, event.slot, event.task);
  if (!own.is_begun || (state & kAwaited) != 0) {
    state |= kHasCome;
    return;
  }
  begin_work(event.rank, event.at);
  ready_.clear();
  state |= kHasCome;
  receive(event.rank, event.slot, event.task);
  work(event.rank, event.slot);
}

// Those that have come for what begins now.
void Run::take_early(std::uint32_t rank, std::uint16_t slot) {
  const auto at = early_.find(std::uint64_t{slot} << 32 | rank);
  if (at == early_.end()) return;
  const Role& own = role(rank, slot);
  std::erase_if(at->second, [&](const Early& one) {
    if (one.instance != own.instance) return false;
    counter(own, slot, one.task) |= kHasCome;
    return true;
  });
  if (at->second.empty()) early_.erase(at);
}

// Once the task is ready and the message, or its request, there.
void Run::receive(std::uint32_t rank, std::uint16_t slot, std::uint32_t task) {
  Role& own = role(rank, slot);
  if ((counter(own, slot, task) & kHasCome) == 0) return;
  const Script& script = script_of(rank, slot);
  const ScriptTask& what = script.tasks[task];
  const std::uint32_t from = named(rank, slot, what.peer);
  const Link& link = link_between(rank, from);
  const bool is_long = what.size > link.eager;
  const Time begin = players_[rank].free;
  spend(rank, overhead(link, is_long ? Bytes(0) : what.size));
  if (observer_ != nullptr) observer_->did(static_cast<int>(rank), slot, task, begin, players_[rank].free);
  if (!is_long) {
    ++outcome_.tasks;
    return complete(rank, slot, task);
  }
  const Role& others = role(from, slot);
  const std::uint32_t other = operations_[slot].other_end(script, what, static_cast<int>(rank), others.script,
                                                          static_cast<int>(from));
  queue_.push({.at = players_[rank].free + link.latency,
               .rank = from,
               .task = other,
               .instance = own.instance,
               .slot = slot,
               .kind = EventKind::kAnswer});
}

// The long message may go, without anybody's processor once that has told the adapter.
void Run::take_answer(const Event& event) {
  const Script& script = script_of(event.rank, event.slot);
  const ScriptTask& what = script.tasks[event.task];
  const std::uint32_t to = named(event.rank, event.slot, what.peer);
  const Link& link = link_between(event.rank, to);
  begin_work(event.rank, event.at);
  spend(event.rank, overhead(link, Bytes(0)));
  const Time bytes = link.per_byte * paid_bytes(what.size).value;
  Time leaves = players_[event.rank].free;
  if (has_adapter_between(event.rank, to)) {
    Player& adapter = adapter_of(event.rank);
    leaves = std::max(leaves, adapter.sends);
    adapter.sends = leaves + link.gap + bytes;
  }
  const std::uint32_t other = operations_[event.slot].other_end(
      script, what, static_cast<int>(event.rank), role(to, event.slot).script, static_cast<int>(to));
  Event sent = event;
  sent.at = leaves + bytes;
  sent.kind = EventKind::kSent;
  queue_.push(sent);
  Event data = event;
  data.rank = to;
  data.task = other;
  data.at = leaves + link.latency + bytes;
  data.kind = EventKind::kLong;
  queue_.push(data);
}

}  // namespace weft::simulator
