// SPDX-License-Identifier: BSD-3-Clause
// Ranks with several processors and adapters, as GOAL programs name them. Each does its tasks as they become
// ready there; what it is told by another one is an event, so that it comes to its processor in time.
#include <algorithm>

#include "executor/simulator/run.hpp"

namespace weft::simulator {

// As many as tasks name, but for the first ones. Where ranks share an adapter, it has those of all.
void Run::make_units() {
  const bool are_named = std::any_of(operations_.begin(), operations_.end(), [](const Scripts& scripts) {
    for (std::uint32_t number = 0; number < scripts.count(); ++number)
      if (!scripts[number].units.empty()) return true;
    return false;
  });
  if (!are_named) return;
  std::vector<std::uint32_t> most(players_.size(), 0);
  bool has_processors = false;
  for (std::uint16_t slot = 0; slot < operations_.size(); ++slot)
    for (std::uint32_t rank = 0; rank < players_.size(); ++rank)
      for (const Units& units : script_of(rank, slot).units) {
        const std::uint32_t adapter = distance_.adapter_of(rank);
        has_processors |= units.cpu != 0;
        most[rank] = std::max<std::uint32_t>(most[rank], units.cpu);
        most[adapter] = std::max<std::uint32_t>(most[adapter], units.nic);
      }
  if (has_processors && cores_.are_shared()) {
    outcome_.problem =
        "ranks of the program have several processors, and the machine fewer cores than ranks: leave out the "
        "number of cores";
    return;
  }
  std::uint32_t count = 0;
  for (const std::uint32_t own : most) {
    further_begin_.push_back(count);
    count += own;
  }
  further_.resize(count);
}

void Run::let_units_begin(std::uint32_t rank, std::uint16_t slot, Time at) {
  const auto begin = [at](Time& free) { free = std::max(free, at); };
  if (is_adapters(slot)) return begin(adapter_of(rank).lists);
  begin(players_[rank].free);
  for (Player& one : further_of(rank)) begin(one.free);
}

// When all are through with what they have begun.
Time Run::units_end(std::uint32_t rank, std::uint16_t slot) {
  if (is_adapters(slot)) return adapter_of(rank).lists;
  Time end = players_[rank].free;
  for (const Player& one : further_of(rank)) end = std::max(end, one.free);
  return end;
}

// To those who may begin once the task has. A recv has none: it begins on no processor.
void Run::tell_that_it_begins(std::uint32_t rank, std::uint16_t slot, std::uint32_t task) {
  const Script& script = script_of(rank, slot);
  if (script.begun.empty()) return;
  for (const std::uint32_t next : script.successors_of(task))
    if (script.is_begun_enough(task, next)) push_release(rank, slot, task, next);
}

// That the task is over, the next one learns when its own processor comes to that; false: that is the same
// one. Or it knows already that the task has begun, which is enough for it.
bool Run::tell_by_event(std::uint32_t rank, std::uint16_t slot, std::uint32_t task, std::uint32_t next) {
  const Script& script = script_of(rank, slot);
  if (script.is_begun_enough(task, next)) return true;
  if (script.units_of(task).cpu == script.units_of(next).cpu) return false;
  push_release(rank, slot, task, next);
  return true;
}

void Run::push_release(std::uint32_t rank, std::uint16_t slot, std::uint32_t task, std::uint32_t next) {
  queue_.push({.at = free_of(rank, slot, task),
               .rank = rank,
               .task = next,
               .instance = role(rank, slot).instance,
               .slot = slot,
               .kind = EventKind::kReleased});
}

void Run::release(const Event& event) {
  if ((--counter(role(event.rank, event.slot), event.slot, event.task) & kAwaited) != 0) return;
  begin_work(event.rank, event.slot, event.at, units_of(event.rank, event.slot, event.task).cpu);
  ready_.assign(1, event.task);
  work(event.rank, event.slot);
}

}  // namespace weft::simulator
