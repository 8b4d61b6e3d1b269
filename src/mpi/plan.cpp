// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/plan.hpp"

#include <algorithm>
#include <cassert>

#include "algorithm/tiers.hpp"
#include "base/log.hpp"
#include "executor/verifier/verify.hpp"
#include "observe/times.hpp"
#include "planner/planner.hpp"
#include "transform/by_rounds.hpp"
#include "transform/in_order.hpp"

namespace weft::mpi {
namespace {

Schedule schedule_for(const Choice& choice, const Call& call, Rank rank, bool in_place,
                      const SharedSettings& settings, const Parcels& parcels = {}) {
  Schedule schedule = build(*choice.algorithm, call, choice.parameters, rank, in_place, parcels);
  if (stays_in_memory(*choice.algorithm, call, choice.parameters)) return in_order(std::move(schedule));
  return settings.rounds ? by_rounds(schedule) : schedule;
}

// The debug build proves every plan before it is used, where this rank has what it takes: not others'
// parcels.
void prove([[maybe_unused]] const Choice& choice, [[maybe_unused]] const Call& call,
           [[maybe_unused]] const SharedSettings& settings) {
#ifndef NDEBUG
  constexpr int kMostRanks = 64;
  constexpr std::size_t kMostTasks = 20000;  // of huge messages, that a proof would take longer than they do
  if (call.rank_count > kMostRanks || has_parcels(call.collective)) return;
  const Timed timed(Part::kRest);  // a release does without, so that it is no part of planning
  if (schedule_for(choice, call, Rank(0), false, settings).tasks.size() > kMostTasks) return;
  std::vector<Schedule> all;
  all.reserve(static_cast<std::size_t>(call.rank_count));
  for (int rank = 0; rank < call.rank_count; ++rank)
    all.push_back(schedule_for(choice, call, Rank(rank), false, settings));
  const Report report = verify(all);
  for (const Finding& finding : report.findings) log_message(finding.message);
  assert(report.proved());
#endif
}

Schedule build_for(const Choice& choice, const PlanKey& key, Rank self, const SharedSettings& settings) {
  Call call = key.call;
  if (settings.reproducible) call.commutative = false;
  prove(choice, call, settings);
  return schedule_for(choice, call, self, key.in_place, settings, key.parcels);
}

}  // namespace

Plan::Plan(const PlanKey& key, Rank self, const SharedSettings& settings, const Placement& placement) {
  Choice choice = choose(key.call, placement, settings);
  schedule = build_for(choice, key, self, settings);
  const auto has_no_room = [&] {
    return choice.algorithm->within_node &&
           node::Steps(schedule).set_bytes() > placement.slot_bytes * key.call.rank_count;
  };
  // An algorithm that somebody named may ask for more of the node's memory than there is.
  if (has_no_room()) {
    SharedSettings by_rule = settings;
    by_rule.algorithms.clear();
    choice = choose(key.call, placement, by_rule);
    schedule = build_for(choice, key, self, settings);
  }
  assert(!has_no_room());
  why = choice.why;
  sends_messages = !stays_in_memory(*choice.algorithm, schedule.call, choice.parameters);
}

Flight& Plan::another_idle_flight() {
  for (std::size_t tried = 0; tried < flights.size(); ++tried) {
    next = next + 1 < flights.size() ? next + 1 : 0;
    if (flights[next]->is_idle()) return *flights[next];
  }
  flights.push_back(std::make_unique<Flight>(schedule, sends_messages));
  return *flights.back();
}

bool Plan::is_idle() const {
  return std::all_of(flights.begin(), flights.end(), [](const auto& flight) { return flight->is_idle(); });
}

}  // namespace weft::mpi
