// SPDX-License-Identifier: BSD-3-Clause
// A rank's program: computations, starts and waits.
#include <algorithm>
#include <utility>

#include "executor/simulator/run.hpp"

namespace weft::simulator {

// A computation is over, unless operations have taken something of it.
void Run::resume(std::uint32_t rank, Time at) {
  if (!computations_.empty() && computations_[rank].until > computations_[rank].from) {
    Computation& computation = computations_[rank];
    if (at < computation.until)
      return queue_.push({.at = computation.until, .rank = rank, .kind = EventKind::kResume});
    note(outcome_.computed, rank, computation.until - computation.from);
    if (observer_ != nullptr)
      observer_->computed(static_cast<int>(rank), computation.from, computation.until);
    computation.from = computation.until;
    return go_on(rank, at);
  }
  Player& player = players_[rank];
  if (player.waits_for < 0) {  // it begins, on the first core that it gets
    note(outcome_.waited, rank, at - player.main);
    return go_on(rank, at);
  }
  end_wait(rank, static_cast<std::uint16_t>(std::exchange(player.waits_for, std::int16_t{-1})), at);
  ++player.step;
  go_on(rank, player.main);
}

void Run::go_on(std::uint32_t rank, Time at) {
  Player& player = players_[rank];
  player.main = at;
  if (cores_.are_shared(rank)) cores_.claim_agents(rank);
  const auto steps = static_cast<std::int16_t>(program_.steps.size());
  for (;; ++player.step) {
    if (player.step == steps) {
      player.step = 0;
      if (++player.repetition == program_.repetitions) break;
    }
    const Step& step = program_.steps[static_cast<std::size_t>(player.step)];
    const auto slot = static_cast<std::uint16_t>(step.operation);
    switch (step.kind) {
      case Step::Kind::kCompute:
        if (!compute(rank, step.time)) break;
        ++player.step;
        return;
      case Step::Kind::kStart: start(rank, slot); break;
      case Step::Kind::kWait:
        if (role(rank, slot).is_begun || sleeps_until_over(rank, slot)) {
          player.waits_for = static_cast<std::int16_t>(step.operation);
          return;
        }
        end_wait(rank, slot, player.main);
        break;
    }
  }
  ++ended_;
  outcome_.finished[rank] = player.main;
  outcome_.finish = std::max(outcome_.finish, player.main);
}

// A host's processor may still be taking in what came while it computed.
Time Run::free_for_program(std::uint32_t rank) const {
  const Player& player = players_[rank];
  return is_host_ ? std::max(player.main, player.free) : player.main;
}

// Whether it takes time at all.
bool Run::compute(std::uint32_t rank, Time duration) {
  Player& player = players_[rank];
  Time work = duration;
  if (!setting_.slow_down.empty()) work = from_ns(in_ns(duration) * setting_.slow_down[rank]);
  else if (setting_.slowest != 1.0)
    work = from_ns(in_ns(duration) * (1.0 + (setting_.slowest - 1.0) * drawn(rank, 2)));
  if (setting_.spread != 1.0) {
    const std::uint64_t which = std::uint64_t{3} << 48 | static_cast<std::uint64_t>(player.repetition) << 16 |
                                static_cast<std::uint64_t>(player.step);
    work = from_ns(in_ns(work) * (1.0 + (setting_.spread - 1.0) * drawn(rank, which)));
  }
  const std::int64_t tests =
      is_host_ && setting_.test_every > Time(0) ? work / setting_.test_every : std::int64_t{0};
  const Time test = tests > 0 ? test_cost(rank) : Time(0);
  work += test * tests;
  if (work <= Time(0)) return false;
  const Time from = free_for_program(rank);
  note(outcome_.computed, rank, from - player.main);
  const Time until = setting_.noise.end_of(static_cast<int>(rank), from, work);
  computations_[rank] = {.from = from, .until = until, .work = work, .test = test, .stolen = {}};
  if (is_host_) player.free = tests > 0 ? from : until;
  queue_.push({.at = until, .rank = rank, .kind = EventKind::kResume});
  return true;
}

// The rank begins by itself; an adapter does without it. First it does what it can, then it looks for what
// has come before.
void Run::start(std::uint32_t rank, std::uint16_t slot) {
  Player& player = players_[rank];
  Role& own = role(rank, slot);
  const Time begin = player.main;
  own.is_begun = 1;
  const Script& script = script_of(rank, slot);
  const Time post = is_adapters(slot) ? setting_.machine.adapter.post : Time(0);
  const Time made = setting_.machine.start_per_rank * operations_[slot].member_count();
  const Time call = takes_part(rank, slot) ? setting_.machine.start + made + post : Time(0);
  player.main = setting_.noise.end_of(static_cast<int>(rank), free_for_program(rank), call);
  let_units_begin(rank, slot, player.main);
  ready_.assign(script.first.begin(), script.first.end());
  if (own.left == 0) end_role(rank, slot);
  else work(rank, slot);
  if (own.is_begun && own.has_early) {
    own.has_early = 0;
    for (std::uint32_t task = 0; task < script.tasks.size(); ++task)
      if ((counter(own, slot, task) & kHasCome) != 0) ready_.push_back(task);
    work(rank, slot);
  }
  if (!is_adapters(slot)) player.main = std::max(player.main, player.free);
  note(outcome_.started, rank, player.main - begin);
}

// What others than the rank do is known before it is over. Where cores are shared it has none meanwhile.
bool Run::sleeps_until_over(std::uint32_t rank, std::uint16_t slot) {
  if (!cores_.are_shared(rank) || movers_[slot] == MovedBy::kHost) return false;
  const Time over = role(rank, slot).over, main = players_[rank].main;
  if (over <= main && cores_.has(rank)) return false;
  queue_.push({.at = std::max(over, main), .rank = rank, .kind = EventKind::kResume});
  return true;
}

// The rank finds that the operation is over.
void Run::end_wait(std::uint32_t rank, std::uint16_t slot, Time at) {
  Player& player = players_[rank];
  const Time begin = player.main;
  player.main = std::max({free_for_program(rank), role(rank, slot).over, at});
  if (is_adapters(slot) && takes_part(rank, slot))
    player.main = setting_.noise.end_of(static_cast<int>(rank), player.main, setting_.machine.adapter.poll);
  if (is_host_) player.free = std::max(player.free, player.main);
  note(outcome_.waited, rank, player.main - begin);
  if (observer_ != nullptr) observer_->waited(static_cast<int>(rank), slot, begin, player.main);
}

// Its counters are those of the next time from now on, so that whoever is faster finds them.
void Run::end_role(std::uint32_t rank, std::uint16_t slot) {
  Player& player = players_[rank];
  Role& own = role(rank, slot);
  own.over = units_end(rank, slot);
  ++own.instance;
  restart(own, slot);
  if (!early_.empty()) take_early(rank, slot);
  if (player.waits_for != static_cast<int>(slot)) return;
  if (is_adapters(slot) && sleeps_until_over(rank, slot)) return;
  player.waits_for = -1;
  end_wait(rank, slot, player.main);
  ++player.step;
  go_on(rank, player.main);
}

}  // namespace weft::simulator
