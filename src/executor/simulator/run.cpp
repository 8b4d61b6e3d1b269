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
      movers_(setting.movers.empty() ? std::vector(operations.size(), setting.moved_by) : setting.movers),
      is_host_(has_mover(MovedBy::kHost)),
      has_forwarder_(setting.machine.has_forwarder()),
      cores_(setting.topology, operations.front().rank_count(), setting.machine.cores,
             setting.machine.cores_of, has_mover(MovedBy::kAgent) && !setting.agent_shares_core,
             has_forwarder_),
      spin_(setting.machine.spin + setting.machine.spin_per_rank * operations.front().rank_count()),
      players_(static_cast<std::size_t>(operations.front().rank_count())) {
  outcome_.finished.resize(players_.size());
  if (setting.details)
    for (auto* const by_rank : {&outcome_.begun, &outcome_.started, &outcome_.computed, &outcome_.waited})
      by_rank->resize(players_.size());
  if (std::any_of(program.steps.begin(), program.steps.end(),
                  [](const Step& step) { return step.kind == Step::Kind::kCompute; }))
    computations_.resize(players_.size());
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
  role.has_early = 0;
  role.leads = 0;
}

// From 0 to before 1, the same for the same seed, rank and purpose.
double Run::drawn(std::uint32_t rank, std::uint64_t what) const {
  const std::uint64_t bits = mixed(mixed(mixed(setting_.seed, what), rank), 0x64726177);
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

void Run::begin_ranks() {
  for (std::uint32_t rank = 0; rank < players_.size(); ++rank) {
    const Time begin =
        setting_.begins.empty() ? from_ns(in_ns(setting_.skew) * drawn(rank, 1)) : setting_.begins[rank];
    players_[rank].main = players_[rank].free = players_[rank].lists = begin;
    note(outcome_.begun, rank, begin);
    queue_.push({.at = begin, .rank = rank, .kind = EventKind::kResume});
  }
}

void Run::go() {
  outcome_.problem = trouble();
  if (!outcome_.problem.empty()) return;
  begin_roles();
  make_units();
  if (!outcome_.problem.empty()) return;
  begin_ranks();
  constexpr std::size_t kAhead = 8;
  constexpr std::int64_t kBetweenReports = 1 << 16;
  for (std::int64_t events = 0; !queue_.empty(); ++events) {
    if (events == setting_.most_events) {
      outcome_.problem = fmt::format("gives up after {} events", events);
      return;
    }
    if (events % kBetweenReports == 0 && setting_.progress) setting_.progress(outcome_.tasks);
    const Event event = queue_.pop();
    if (const Event* const next = queue_.ahead(kAhead)) {
      __builtin_prefetch(&players_[next->rank]);
      __builtin_prefetch(&roles_[next->slot][next->rank]);
    }
    handle(event);
  }
  if (ended_ == players_.size()) return;
  if (!outcome_.problem.empty()) outcome_.problem += "; ";
  outcome_.problem += who_waits();
}

void Run::act(const Event& event) {
  switch (event.kind) {
    case EventKind::kResume: return resume(event.rank, event.at);
    case EventKind::kLeaves: return take_leave(event);
    case EventKind::kMessage: return take_message(event);
    case EventKind::kWrite: return take_write(event);
    case EventKind::kWritten: return end_write(event);
    case EventKind::kDelivered: return deliver(event);
    case EventKind::kAnswer: return take_answer(event);
    case EventKind::kLong:
    case EventKind::kSent:
    case EventKind::kOpens: return work_on(event.rank, event.slot, event.task, event.at);
    case EventKind::kArrives: return arrive(event);
    case EventKind::kReleased: return release(event);
    case EventKind::kForward: return come_to_forwarder(event);
    case EventKind::kForwarded: return end_to_forward(event);
    case EventKind::kGivesBack: return;
  }
}

Outcome Run::take_outcome() {
  std::size_t bytes = players_.capacity() * sizeof(Player) + computations_.capacity() * sizeof(Computation) +
                      further_.capacity() * sizeof(Player) + further_begin_.capacity() * 4 + cores_.bytes() +
                      forwarder_.bytes() + most_early_ * 64 + most_meetings_ * 256;
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
