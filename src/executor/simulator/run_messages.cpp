// SPDX-License-Identifier: BSD-3-Clause
// What a message goes through, from the task that sends it to the one that receives it.
#include <algorithm>
#include <fmt/format.h>

#include "executor/simulator/run.hpp"

namespace weft::simulator {

// A message without a payload is a signal.
Bytes Run::sent_bytes(Bytes size) const { return size > Bytes(0) ? size : setting_.signal_bytes; }

// What a byte costs, all but the first one do.
Bytes Run::paid_bytes(Bytes size) const { return std::max(sent_bytes(size) - Bytes(1), Bytes(0)); }

// An adapter that executes lists needs no processor for a message.
Time Run::overhead(std::uint16_t slot, const Link& link, Bytes size) const {
  if (is_adapters(slot)) return setting_.machine.adapter.task;
  return link.overhead + link.overhead_per_byte * paid_bytes(size).value;
}

// A short message is on its way, and its buffer free, once the processor has given it away. A long one asks
// first.
void Run::send(std::uint32_t rank, std::uint16_t slot, std::uint32_t task) {
  const Role& own = role(rank, slot);
  const Script& script = script_of(rank, slot);
  const ScriptTask& what = script.tasks[task];
  if (what.is_write) return write(rank, slot, task);
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
  const Link& link = link_between(slot, rank, to);
  Event event{.at = {}, .rank = rank, .task = task, .instance = own.instance, .slot = slot};
  if (what.size > link.eager) {
    spend_on_request(rank, slot, task, link, 1);
    const Time leaves = free_of(rank, slot, task);
    event.at = leaves + link.latency;
    event.rank = to;
    event.task = other;
    event.kind = EventKind::kDelivered;
    return send_off(event, rank, leaves, link, Bytes(0));  // complete when its bytes have left
  }
  spend_on(rank, slot, task, overhead(slot, link, what.size));
  event.at = free_of(rank, slot, task);
  leave(event, what, to, other, link);
  complete(rank, slot, task);
}

// The processor has done its part for the message that the event's task sends. Several processors' messages
// come to an adapter in the order of time.
void Run::leave(const Event& sent, const ScriptTask& what, std::uint32_t to, std::uint32_t other,
                const Link& link) {
  const bool has_adapter = has_adapter_between(sent.slot, sent.rank, to);
  const bool is_shared = setting_.machine.adapter_per_node || !further_.empty();
  if (has_adapter && is_shared && sent.kind != EventKind::kLeaves) {
    Event event = sent;
    event.kind = EventKind::kLeaves;
    return queue_.push(event);
  }
  ++outcome_.messages;
  outcome_.bytes += static_cast<std::uint64_t>(sent_bytes(what.size).value);
  const bool is_long = what.size > link.eager;
  const Time bytes = link.per_byte * paid_bytes(what.size).value;
  Time leaves = sent.at;
  if (has_adapter) {
    Player& adapter = adapter_of(sent.rank, units_of(sent.rank, sent.slot, sent.task).nic);
    leaves = std::max(leaves, adapter.sends);
    adapter.sends = leaves + link.gap + bytes;
  }
  Event event = sent;
  if (is_long) {
    event.at = leaves + bytes;
    event.kind = EventKind::kSent;
    queue_.push(event);
  }
  event.at = leaves + link.latency + bytes;
  event.rank = to;
  event.task = other;
  event.kind = has_adapter ? EventKind::kMessage : is_long ? EventKind::kLong : EventKind::kDelivered;
  if (what.is_write) {
    event.task = sent.task;
    event.instance = sent.rank;
    event.kind = EventKind::kWrite;
  }
  send_off(event, sent.rank, leaves, link, paid_bytes(what.size));
}

void Run::take_leave(const Event& event) {
  const Script& script = script_of(event.rank, event.slot);
  const ScriptTask& what = script.tasks[event.task];
  const std::uint32_t to = named(event.rank, event.slot, what.peer);
  const std::uint32_t other =
      what.is_write ? Script::kNobody
                    : operations_[event.slot].other_end(script, what, static_cast<int>(event.rank),
                                                        role(to, event.slot).script, static_cast<int>(to));
  leave(event, what, to, other, link_between(event.slot, event.rank, to));
}

// The receiver's adapter takes one after the other, in the order in which they would be there.
Time Run::pass_adapter(const Event& event, const Link& link, Bytes size, std::uint8_t nic) {
  const Time bytes = link.per_byte * paid_bytes(size).value;
  Player& adapter = adapter_of(event.rank, nic);
  const Time begins = std::max(event.at - bytes, adapter.receives);
  adapter.receives = begins + link.gap + bytes;
  return begins + bytes;
}

void Run::take_message(const Event& event) {
  const Script& script = script_of(event.rank, event.slot);
  const ScriptTask& what = script.tasks[event.task];
  const std::uint32_t from = named(event.rank, event.slot, what.peer);
  const Link& link = link_between(event.slot, event.rank, from);
  Event later = event;
  later.at = pass_adapter(event, link, what.size, units_of(event.rank, event.slot, event.task).nic);
  later.kind = what.size > link.eager ? EventKind::kLong : EventKind::kDelivered;
  if (later.at == event.at) return handle(later);
  queue_.push(later);
}

// Between nodes the bytes go as those of a message do, but nobody is asked before; within a node the writer
// copies them.
void Run::write(std::uint32_t rank, std::uint16_t slot, std::uint32_t task) {
  const ScriptTask& what = script_of(rank, slot).tasks[task];
  const std::uint32_t to = named(rank, slot, what.peer);
  if (!has_adapter_between(slot, rank, to)) {
    spend_on(rank, slot, task, setting_.machine.memory_at(Level::kNode).copy_per_byte * what.size.value);
    return complete(rank, slot, task);
  }
  const Link& link = link_between(slot, rank, to);
  spend_on(rank, slot, task, overhead(slot, link, what.size));
  const Event event{.at = free_of(rank, slot, task),
                    .rank = rank,
                    .task = task,
                    .instance = role(rank, slot).instance,
                    .slot = slot};
  leave(event, what, to, Script::kNobody, link);
  if (what.size <= link.eager) complete(rank, slot, task);
}

void Run::take_write(const Event& event) {
  const ScriptTask& what = script_of(event.instance, event.slot).tasks[event.task];
  Event later = event;
  later.at = pass_adapter(event, link_between(event.slot, event.rank, event.instance), what.size);
  later.kind = EventKind::kWritten;
  if (later.at == event.at) return handle(later);
  queue_.push(later);
}

// An adapter that executes lists has put it where it belongs; else whoever moves the target's operations
// does.
void Run::end_write(const Event& event) {
  if (is_adapters(event.slot)) return;
  const ScriptTask& what = script_of(event.instance, event.slot).tasks[event.task];
  begin_work(event.rank, event.slot, event.at);
  spend(event.rank, event.slot,
        overhead(event.slot, link_between(event.slot, event.rank, event.instance), what.size));
}

void Run::deliver(const Event& event) {
  Role& own = role(event.rank, event.slot);
  if (event.instance != own.instance) {
    early_[std::uint64_t{event.slot} << 32 | event.rank].push_back({event.instance, event.task});
    most_early_ = std::max(most_early_, early_.size());
    return;
  }
  Counter& state = counter(own, event.slot, event.task);
  state |= kHasCome;
  if (!own.is_begun) {
    own.has_early = 1;
    return;
  }
  if ((state & kAwaited) != 0 && is_long(event)) return;
  begin_work(event.rank, event.slot, event.at, units_of(event.rank, event.slot, event.task).cpu);
  ready_.clear();
  receive(event.rank, event.slot, event.task);
  work(event.rank, event.slot);
}

// Those that have come for what begins now.
void Run::take_early(std::uint32_t rank, std::uint16_t slot) {
  const auto at = early_.find(std::uint64_t{slot} << 32 | rank);
  if (at == early_.end()) return;
  Role& own = role(rank, slot);
  std::erase_if(at->second, [&](const Early& one) {
    if (one.instance != own.instance) return false;
    counter(own, slot, one.task) |= kHasCome;
    own.has_early = 1;
    return true;
  });
  if (at->second.empty()) early_.erase(at);
}

// Whether the message that the event's task receives is.
bool Run::is_long(const Event& event) const {
  const ScriptTask& what = script_of(event.rank, event.slot).tasks[event.task];
  return what.size > link_between(event.slot, event.rank, named(event.rank, event.slot, what.peer)).eager;
}

// The task is ready, or the message, or its request, there, or both. A short one is taken in when it comes; a
// long one is asked for when there is a place for it.
void Run::receive(std::uint32_t rank, std::uint16_t slot, std::uint32_t task) {
  Role& own = role(rank, slot);
  Counter& state = counter(own, slot, task);
  if ((state & kHasCome) == 0 || own.has_early) return;
  const Script& script = script_of(rank, slot);
  const ScriptTask& what = script.tasks[task];
  const std::uint32_t from = named(rank, slot, what.peer);
  const Link& link = link_between(slot, rank, from);
  const bool is_ready = (state & kAwaited) == 0, is_taken_in = (state & kTakenIn) != 0;
  if (what.size <= link.eager) {
    if (!is_taken_in) spend_on(rank, slot, task, overhead(slot, link, what.size));
    state |= kTakenIn;
    if (is_ready) complete(rank, slot, task);
    return;
  }
  if (!is_ready || is_taken_in) return;
  state |= kTakenIn;
  spend_on_request(rank, slot, task, link, 2);
  const std::uint32_t other = operations_[slot].other_end(script, what, static_cast<int>(rank),
                                                          role(from, slot).script, static_cast<int>(from));
  const Time leaves = free_of(rank, slot, task);
  const Event answer{.at = leaves + link.latency,
                     .rank = from,
                     .task = other,
                     .instance = own.instance,
                     .slot = slot,
                     .kind = EventKind::kAnswer};
  send_off(answer, rank, leaves, link, Bytes(0));
}

// The long message may go.
void Run::take_answer(const Event& event) {
  const Script& script = script_of(event.rank, event.slot);
  const ScriptTask& what = script.tasks[event.task];
  const Link& link = link_between(event.slot, event.rank, named(event.rank, event.slot, what.peer));
  begin_work(event.rank, event.slot, event.at, units_of(event.rank, event.slot, event.task).cpu);
  spend_on_request(event.rank, event.slot, event.task, link, 1);
  spend_on(event.rank, event.slot, event.task, overhead(event.slot, link, what.size));
  Event sent = event;
  sent.at = free_of(event.rank, event.slot, event.task);
  take_leave(sent);
}

}  // namespace weft::simulator
