// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/plan.hpp"

#include <algorithm>
#include <cassert>

#include "base/log.hpp"
#include "executor/verifier/verify.hpp"
#include "observe/times.hpp"
#include "planner/decision.hpp"
#include "planner/plan_cache.hpp"
#include "transform/sized_schedule.hpp"

namespace weft::mpi {
namespace {

// The debug build proves every plan before it is used, where this rank has what it takes: not others'
// parcels.
void prove([[maybe_unused]] const Decision& decision) {
#ifndef NDEBUG
  constexpr int kMostRanks = 64;
  constexpr std::size_t kMostTasks = 20000;  // beyond that a proof takes longer than the huge messages do
  const Call& call = decision.call;
  if (call.rank_count > kMostRanks || has_parcels(call.collective)) return;
  const Timed timed(Activity::kRest);  // a release does without, so that it is no part of planning
  if (schedule_of(decision, Rank(0), false).tasks.size() > kMostTasks) return;
  std::vector<Schedule> all;
  all.reserve(static_cast<std::size_t>(call.rank_count));
  for (int rank = 0; rank < call.rank_count; ++rank) all.push_back(schedule_of(decision, Rank(rank), false));
  const Report report = verify(all);
  for (const Finding& finding : report.findings) log_message(finding.message);
  assert(report.proved());
#endif
}

}  // namespace

Plan::Plan(const PlanKey& key, Rank self, const SharedSettings& settings, const Placement& placement,
           const std::optional<Ways>& ways)
    : for_class(key.for_class), on_one_node(placement.one_node), ways(ways) {
  const Decision decision = decide(key.call, placement, settings, key.parcels);
  const bool shares_by_size = for_class && knows_all_blocks(key.call.collective);
  if (shares_by_size && !decision.serves_class) return;
  prove(decision);
  schedule = schedule_of(decision, self, key.in_place, key.parcels);
  sends_messages = decision.sends_messages;
  why = decision.choice.why;
  if (ways) nearer = nearer_places(decision, self, key.parcels, *ways);
}

Plan::~Plan() = default;

Flight& Plan::another_idle_flight() {
  for (std::size_t tried = 0; tried < flights.size(); ++tried) {
    next = next + 1 < flights.size() ? next + 1 : 0;
    if (flights[next]->is_idle()) return *flights[next];
  }
  flights.push_back(std::make_unique<Flight>(schedule, nearer, for_class, sends_messages, on_one_node));
  return *flights.back();
}

bool Plan::is_idle() const {
  return std::all_of(flights.begin(), flights.end(), [](const auto& flight) { return flight->is_idle(); });
}

}  // namespace weft::mpi
