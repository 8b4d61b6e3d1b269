// SPDX-License-Identifier: BSD-3-Clause
#include "executor/simulator/run.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/mixed.hpp"

namespace weft::simulator {

Run::Run(const Setting& setting, const Program& program, std::vector<Scripts>& operations, Observer* observer)
    : setting_(setting),
      program_(program),
      operations_(operations),
      observer_(observer),
      distance_(setting.topology, setting.machine.adapter_per_node),
      is_host_(setting.moved_by == MovedBy::kHost),
      is_adapter_(setting.moved_by == MovedBy::kAdapter),
      players_(static_cast<std::size_t>(operations.front().rank_count())) {
  outcome_.finished.resize(players_.size());
  if (setting.details)
    for (auto* const by_rank : {&outcome_.begun, &outcome_.started, &outcome_.computed, &outcome_.waited})
      by_rank->resize(players_.size());
  if (std::any_of(program.steps.begin(), program.steps.end(),
                  [](const Step& step) { return step.kind == Step::Kind::kCompute; }))
    computations_.resize(players_.size());
  begin_roles();
}

void Run::begin_roles() {
  for (std::size_t slot = 0; slot < operations_.size(); ++slot) {
    Scripts& scripts = operations_[slot];
    std::vector<Role>& roles = roles_.emplace_back(players_.size());
    std::uint32_t counters = 0;
    for (std::size_t rank = 0; rank < roles.size(); ++rank) {
      roles[rank].script = scripts.number_of(static_cast<int>(rank));
      roles[rank].counters = counters;
      counters += static_cast<std::uint32_t>(scripts[roles[rank].script].tasks.size());
    }
    counters_.emplace_back(counters);
    for (Role& role : roles) restart(role, static_cast<std::uint16_t>(slot));
    outcome_.scripts += scripts.count();
  }
}

void Run::restart(Role& role, std::uint16_t slot) {
  const Script& script = operations_[slot][role.script];
  std::copy(script.waits.begin(), script.waits.end(),
            counters_[slot].begin() + static_cast<std::ptrdiff_t>(role.counters));
  role.left = static_cast<std::uint32_t>(script.tasks.size());
  role.is_begun = 0;
  role.leads = 0;
}

// From 0 to before 1, the same for the same seed, rank and purpose.
double Run::drawn(std::uint32_t rank, std::uint64_t what) const {
  const std::uint64_t bits = mixed(mixed(mixed(setting_.seed, what), rank), 0x64726177);
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

void Run::begin_ranks() {
  for (std::uint32_t rank = 0; rank < players_.size(); ++rank) {
    const Time begin = from_ns(in_ns(setting_.skew) * drawn(rank, 1));
    players_[rank].main = players_[rank].free = begin;
    note(outcome_.begun, rank, begin);
    queue_.push({.at = begin, .rank = rank, .kind = EventKind::kResume});
  }
}

void Run::go() {
  begin_ranks();
  constexpr std::size_t kAhead = 8;
  for (std::int64_t events = 0; !queue_.empty(); ++events) {
    if (events == setting_.most_events) {
      outcome_.problem = fmt::format("gives up after {} events", events);
      return;
    }
    const Event event = queue_.pop();
    if (const Event* const next = queue_.ahead(kAhead)) {
      __builtin_prefetch(&players_[next->rank]);
      __builtin_prefetch(&roles_[next->slot][next->rank]);
    }
    handle(event);
  }
  if (ended_ < players_.size()) outcome_.problem = who_waits();
}

void Run::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::kResume: return end_computation(event.rank, event.at);
    case EventKind::kMessage: return take_message(event);
    case EventKind::kDelivered: return deliver(event);
    case EventKind::kAnswer: return take_answer(event);
    case EventKind::kLong:
    case EventKind::kSent: return work_on(event.rank, event.slot, event.task, event.at);
    case EventKind::kArrives: return arrive(event);
    case EventKind::kOpens: return open(event);
  }
}

// Whoever has worked longer than expected, since tests had something to do or an agent took the core, goes
// on.
void Run::end_computation(std::uint32_t rank, Time at) {
  if (!computations_.empty() && computations_[rank].until > computations_[rank].from) {
    Computation& computation = computations_[rank];
    if (computation.stolen > Time(0)) {
      computation.until += std::exchange(computation.stolen, Time(0));
      return queue_.push({.at = computation.until, .rank = rank, .kind = EventKind::kResume});
    }
    note(outcome_.computed, rank, computation.until - computation.from);
    if (observer_ != nullptr)
      observer_->computed(static_cast<int>(rank), computation.from, computation.until);
    computation.from = computation.until;
  }
  go_on(rank, is_host_ ? std::max(at, players_[rank].free) : at);
}

void Run::go_on(std::uint32_t rank, Time at) {
  Player& player = players_[rank];
  player.main = at;
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
      case Step::Kind::kWait: {
        Role& own = role(rank, slot);
        if (own.is_begun) {
          player.waits_for = static_cast<std::int16_t>(step.operation);
          return;
        }
        const Time over =
            std::max(player.main, own.over + (is_adapter_ ? setting_.machine.adapter.poll : Time(0)));
        note(outcome_.waited, rank, over - player.main);
        if (observer_ != nullptr)
          observer_->waited(static_cast<int>(rank), step.operation, player.main, over);
        player.main = over;
        if (is_host_) player.free = std::max(player.free, over);
        break;
      }
    }
  }
  ++ended_;
  outcome_.finished[rank] = player.main;
  outcome_.finish = std::max(outcome_.finish, player.main);
}

// Whether it takes time at all.
bool Run::compute(std::uint32_t rank, Time duration) {
  Player& player = players_[rank];
  const double slow = 1.0 + (setting_.slowest - 1.0) * drawn(rank, 2);
  Time long_as = setting_.slowest == 1.0 ? duration : from_ns(in_ns(duration) * slow);
  if (is_host_ && setting_.test_every > Time(0))
    long_as += setting_.machine.test * (long_as / setting_.test_every);
  if (long_as <= Time(0)) return false;
  const Time until = setting_.noise.end_of(static_cast<int>(rank), player.main, long_as);
  computations_[rank] = {player.main, until, Time(0)};
  if (is_host_) player.free = setting_.test_every > Time(0) ? player.main : until;
  queue_.push({.at = until, .rank = rank, .kind = EventKind::kResume});
  return true;
}

void Run::start(std::uint32_t rank, std::uint16_t slot) {
  Player& player = players_[rank];
  Role& own = role(rank, slot);
  const Time begin = player.main;
  own.is_begun = 1;
  const Time call = setting_.machine.start + (is_adapter_ ? setting_.machine.adapter.post : Time(0));
  player.main = setting_.noise.end_of(static_cast<int>(rank), player.main, call);
  // The rank begins by itself; an adapter does without it.
  if (is_adapter_) player.free = std::max(player.free, player.main);
  else player.free = player.main;
  const Script& script = script_of(rank, slot);
  ready_.assign(script.first.begin(), script.first.end());
  if (own.left == 0) end_role(rank, slot);
  else work(rank, slot);
  if (!is_adapter_) player.main = std::max(player.main, player.free);
  note(outcome_.started, rank, player.main - begin);
}

// In host mode somebody who computes looks at the next test, or at the end.
void Run::begin_work(std::uint32_t rank, Time at) {
  Player& player = players_[rank];
  if (is_away(rank, at) && player.free < at) {
    Computation& computation = computations_[rank];
    if (setting_.moved_by == MovedBy::kAgent) {
      player.free = at + setting_.machine.wake;
      if (setting_.agent_shares_core) computation.stolen += setting_.machine.wake;
    } else if (is_host_ && setting_.test_every > Time(0)) {
      const Time begun = computation.from + computation.stolen;
      const Time since = std::max(at - begun, Time(0)) + setting_.test_every - Time(1);
      player.free = std::min(begun + setting_.test_every * (since / setting_.test_every),
                             computation.until + computation.stolen);
    }
  }
  player.free = std::max(player.free, at);
}

void Run::spend(std::uint32_t rank, Time duration) {
  Player& player = players_[rank];
  const Time begin = player.free;
  player.free = is_host_ ? setting_.noise.end_of(static_cast<int>(rank), begin, duration) : begin + duration;
  const bool takes_core =
      is_host_ ? setting_.test_every > Time(0) : setting_.agent_shares_core && !is_adapter_;
  if (takes_core && !computations_.empty() && begin < computations_[rank].until + computations_[rank].stolen)
    computations_[rank].stolen += player.free - begin;
}

void Run::work_on(std::uint32_t rank, std::uint16_t slot, std::uint32_t task, Time at) {
  begin_work(rank, at);
  if (script_of(rank, slot).tasks[task].kind == TaskKind::kRecv) {
    const ScriptTask& message = script_of(rank, slot).tasks[task];
    const Time begin = players_[rank].free;
    const std::uint32_t from = named(rank, slot, message.peer);
    spend(rank, overhead(link_between(rank, from), message.size));
    if (observer_ != nullptr) observer_->did(static_cast<int>(rank), slot, task, begin, players_[rank].free);
  }
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

// Its counters are those of the next time from now on, so that whoever is faster finds them.
void Run::end_role(std::uint32_t rank, std::uint16_t slot) {
  Player& player = players_[rank];
  Role& own = role(rank, slot);
  own.over = player.free;
  ++own.instance;
  restart(own, slot);
  if (!early_.empty()) take_early(rank, slot);
  if (player.waits_for != static_cast<int>(slot)) return;
  player.waits_for = -1;
  const Time over = own.over + (is_adapter_ ? setting_.machine.adapter.poll : Time(0));
  const Time goes_on = std::max(player.main, over);
  note(outcome_.waited, rank, goes_on - player.main);
  if (observer_ != nullptr) observer_->waited(static_cast<int>(rank), slot, player.main, goes_on);
  ++player.step;
  go_on(rank, goes_on);
}

void Run::do_task(std::uint32_t rank, std::uint16_t slot, std::uint32_t task) {
  Role& own = role(rank, slot);
  const ScriptTask& what = script_of(rank, slot).tasks[task];
  if (what.errand != 0 && (own.leads >> what.errand & 1) == 0) {  // another rank does it
    if (what.lines != 0) own.leads &= ~(1u << what.lines);
    return complete(rank, slot, task);
  }
  switch (what.kind) {
    case TaskKind::kSend: return send(rank, slot, task);
    case TaskKind::kRecv: return receive(rank, slot, task);
    case TaskKind::kJoin: return complete(rank, slot, task);
    case TaskKind::kCopy:
    case TaskKind::kReduce: {
      const Time begin = players_[rank].free;
      spend(rank, local_work(what));
      ++outcome_.tasks;
      if (observer_ != nullptr)
        observer_->did(static_cast<int>(rank), slot, task, begin, players_[rank].free);
      return complete(rank, slot, task);
    }
    default: return come_to_step(rank, slot, task);
  }
}

Time Run::local_work(const ScriptTask& task) const {
  if (task.work > Time(0)) return task.work;
  const Adapter& adapter = setting_.machine.adapter;
  if (is_adapter_)
    return task.kind == TaskKind::kReduce ? adapter.calc + adapter.calc_per_byte * task.size.value
                                          : adapter.task + adapter.loop_back;
  const Memory& memory = setting_.machine.memory_at(Level::kNode);
  return (task.kind == TaskKind::kReduce ? memory.reduce_per_byte : memory.copy_per_byte) * task.size.value;
}

void Run::complete(std::uint32_t rank, std::uint16_t slot, std::uint32_t task) {
  Role& own = role(rank, slot);
  --own.left;
  for (const std::uint32_t next : script_of(rank, slot).successors_of(task))
    if ((--counter(own, slot, next) & kAwaited) == 0) ready_.push_back(next);
}

// Who waits for what, of the first few.
std::string Run::who_waits() const {
  constexpr int kNamed = 4;
  std::string text = fmt::format("{} of {} ranks never end", players_.size() - ended_, players_.size());
  int named_ranks = 0;
  for (std::uint32_t rank = 0; rank < players_.size() && named_ranks < kNamed; ++rank) {
    if (players_[rank].repetition == program_.repetitions) continue;
    ++named_ranks;
    for (std::uint16_t slot = 0; slot < roles_.size(); ++slot) {
      const Role& own = role(rank, slot);
      if (!own.is_begun) continue;
      const Script& script = script_of(rank, slot);
      for (std::uint32_t task = 0; task < script.tasks.size(); ++task) {
        const ScriptTask& what = script.tasks[task];
        const Counter waits = counters_[slot][own.counters + task];
        if ((waits & kAwaited) != 0 || what.kind != TaskKind::kRecv || (waits & kHasCome) != 0) continue;
        text += fmt::format("; rank {} waits in its task {} for a message {} from rank {}", rank, task,
                            what.label, named(rank, slot, what.peer));
        break;
      }
    }
  }
  return text;
}

Outcome Run::take_outcome() {
  std::size_t bytes = players_.capacity() * sizeof(Player) + computations_.capacity() * sizeof(Computation) +
                      most_early_ * 64 + most_meetings_ * 256;
  for (const auto* const by_rank :
       {&outcome_.finished, &outcome_.begun, &outcome_.started, &outcome_.computed, &outcome_.waited})
    bytes += by_rank->capacity() * sizeof(Time);
  for (const auto& roles : roles_) bytes += roles.capacity() * sizeof(Role);
  for (const auto& counters : counters_) bytes += counters.capacity() * sizeof(Counter);
  for (const Scripts& scripts : operations_) bytes += scripts.bytes();
  outcome_.state_bytes = bytes;
  outcome_.queue_bytes = queue_.most_bytes();
  return std::move(outcome_);
}

Outcome simulate(const Setting& setting, const Program& program, std::vector<Scripts>& operations,
                 Observer* observer) {
  Run run(setting, program, operations, observer);
  run.go();
  return run.take_outcome();
}

}  // namespace weft::simulator
