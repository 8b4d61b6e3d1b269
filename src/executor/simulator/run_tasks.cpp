// SPDX-License-Identifier: BSD-3-Clause
// What moves a rank's operations does: task after task, when it comes to it.
#include <algorithm>

#include "executor/simulator/run.hpp"

namespace weft::simulator {

// While the rank computes, it looks itself at its next test, or at the end; an agent that sleeps wakes up
// first, unless the rank is there before.
void Run::begin_work(std::uint32_t rank, std::uint16_t slot, Time at, std::uint8_t cpu) {
  Player& player = players_[rank];
  if (is_adapters(slot) || cpu != 0) {
    Time& free = is_adapters(slot) ? adapter_of(rank).lists : unit(rank, cpu).free;
    free = std::max(free, at);
    return;
  }
  if (is_away(rank, at)) {
    const Computation& computation = computations_[rank];
    const bool is_idle = player.free < at || player.free <= computation.from;
    if (is_idle && is_host_) {
      player.free = next_test(rank, at);
    } else if (is_idle) {
      const Time wake = setting_.machine.wake;
      if (shares_core(rank)) steal(rank, wake);
      player.free = std::min(std::max(at + wake, player.free), computation.until);
    }
  }
  player.free = std::max(player.free, at);
}

// After every so much work there is one.
Time Run::next_test(std::uint32_t rank, Time at) const {
  const Computation& computation = computations_[rank];
  if (setting_.test_every == Time(0)) return computation.until;
  const Time period = setting_.test_every + computation.test;
  const auto end_of = [&](std::int64_t test) {
    return setting_.noise.end_of(static_cast<int>(rank), computation.from,
                                 period * test + computation.stolen);
  };
  std::int64_t first = 1, behind = computation.work / period + 1;
  while (first < behind) {
    const std::int64_t middle = first + (behind - first) / 2;
    if (end_of(middle) < at) first = middle + 1;
    else behind = middle;
  }
  return std::min(end_of(first), computation.until);
}

// As many operations are looked after as are under way when the computation begins.
Time Run::test_cost(std::uint32_t rank) const {
  const Time each = setting_.machine.test_per_operation;
  std::int64_t under_way = 0;
  for (std::size_t slot = 0; each > Time(0) && slot < roles_.size(); ++slot)
    under_way += movers_[slot] == MovedBy::kHost && roles_[slot][rank].is_begun != 0;
  return setting_.machine.test + each * under_way;
}

// The processor works for operations, so that the computation takes longer.
void Run::steal(std::uint32_t rank, Time duration) {
  Computation& computation = computations_[rank];
  computation.stolen += duration;
  computation.until =
      setting_.noise.end_of(static_cast<int>(rank), computation.from, computation.work + computation.stolen);
}

void Run::spend(std::uint32_t rank, std::uint16_t slot, Time duration, std::uint8_t cpu) {
  Player& player = players_[rank];
  if (is_adapters(slot)) {
    adapter_of(rank).lists += duration;
    return;
  }
  if (cpu != 0) {
    Time& free = unit(rank, cpu).free;
    free = setting_.noise.end_of(static_cast<int>(rank), free, duration);
    return;
  }
  const bool in_computation = is_away(rank, player.free);
  const bool has_noise = is_host_ || !in_computation || shares_core(rank);
  if (in_computation && has_noise) steal(rank, duration);
  player.free = has_noise ? setting_.noise.end_of(static_cast<int>(rank), player.free, duration)
                          : player.free + duration;
}

void Run::spend_on(std::uint32_t rank, std::uint16_t slot, std::uint32_t task, Time duration) {
  const Time begin = free_of(rank, slot, task);
  spend(rank, slot, duration, units_of(rank, slot, task).cpu);
  ++outcome_.tasks;
  if (observer_ != nullptr)
    observer_->did(static_cast<int>(rank), slot, task, begin, free_of(rank, slot, task));
}

void Run::spend_on_request(std::uint32_t rank, std::uint16_t slot, std::uint32_t task, const Link& link,
                           int messages) {
  const Time begin = free_of(rank, slot, task);
  spend(rank, slot, (is_adapters(slot) ? setting_.machine.adapter.task : link.overhead) * messages,
        units_of(rank, slot, task).cpu);
  if (observer_ != nullptr)
    observer_->requested(static_cast<int>(rank), slot, task, begin, free_of(rank, slot, task));
}

// Something that the task has waited for has come.
void Run::work_on(std::uint32_t rank, std::uint16_t slot, std::uint32_t task, Time at) {
  begin_work(rank, slot, at, units_of(rank, slot, task).cpu);
  const ScriptTask& what = script_of(rank, slot).tasks[task];
  if (what.kind == TaskKind::kRecv)
    spend_on(rank, slot, task,
             overhead(slot, link_between(slot, rank, named(rank, slot, what.peer)), what.size));
  ready_.clear();
  complete(rank, slot, task);
  work(rank, slot);
}

void Run::work(std::uint32_t rank, std::uint16_t slot) {
  for (std::size_t next = 0; next < ready_.size(); ++next) do_task(rank, slot, ready_[next]);
  ready_.clear();
  Role& own = role(rank, slot);
  if (own.left == 0 && own.is_begun) end_role(rank, slot);
}

void Run::do_task(std::uint32_t rank, std::uint16_t slot, std::uint32_t task) {
  Role& own = role(rank, slot);
  const ScriptTask& what = script_of(rank, slot).tasks[task];
  const bool is_others = what.errand != 0 && (own.leads >> what.errand & 1) == 0;
  if (is_others) return complete(rank, slot, task);
  if (!further_.empty()) tell_that_it_begins(rank, slot, task);
  switch (what.kind) {
    case TaskKind::kSend: return send(rank, slot, task);
    case TaskKind::kRecv: return receive(rank, slot, task);
    case TaskKind::kJoin: return complete(rank, slot, task);
    case TaskKind::kCopy:
    case TaskKind::kReduce:
      spend_on(rank, slot, task, local_work(slot, what));
      return complete(rank, slot, task);
    default: return come_to_step(rank, slot, task);
  }
}

Time Run::local_work(std::uint16_t slot, const ScriptTask& task) const {
  if (task.work > Time(0)) return task.work;
  const Adapter& adapter = setting_.machine.adapter;
  if (is_adapters(slot))
    return task.kind == TaskKind::kReduce ? adapter.calc + adapter.calc_per_byte * task.size.value
                                          : adapter.task + adapter.loop_back;
  const Memory& memory = setting_.machine.memory_at(Level::kNode);
  return (task.kind == TaskKind::kReduce ? memory.reduce_per_byte : memory.copy_per_byte) * task.size.value;
}

void Run::complete(std::uint32_t rank, std::uint16_t slot, std::uint32_t task) {
  Role& own = role(rank, slot);
  --own.left;
  counter(own, slot, task) |= kIsOver;
  for (const std::uint32_t next : script_of(rank, slot).successors_of(task)) {
    if (!further_.empty() && tell_by_event(rank, slot, task, next)) continue;
    if ((--counter(own, slot, next) & kAwaited) == 0) ready_.push_back(next);
  }
}

}  // namespace weft::simulator
