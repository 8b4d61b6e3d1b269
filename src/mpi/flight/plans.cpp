// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/plans.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "mpi/flight/plan.hpp"
#include "observe/timers.hpp"
#include "planner/placement.hpp"
#include "planner/plan_cache.hpp"
#include "planner/planner.hpp"
#include "transform/size_class.hpp"

namespace weft::mpi {

struct Planning {
  Placement placement;
  PlanCache<Plan> plans;
  // By which ways blocks go in calls in which no rank knows all of them. Nothing but the collective decides
  // this, so that it is found out once for each.
  struct KnownWays {
    bool are_known = false;
    std::optional<Ways> ways;  // none: schedules do not share their structure
  };
  std::vector<KnownWays> known_ways;  // by collective; empty before the first such call
  KnownWays& known_ways_of(Collective collective) {
    if (known_ways.empty()) known_ways.resize(kCollectives.size());
    return known_ways[static_cast<std::size_t>(collective)];
  }
};

struct Plans::Kept {
  Settings settings;
  std::array<Planning, kMemoryUses> by_use;
  std::vector<PlanCache<Plan>> former;  // made by former settings; operations may still use them
  PlanKey of_class;                     // its memory is used again
};

namespace {

// An agent's task list would hold for one list of parcels alone.
std::optional<Ways> ways_of(const Call& call, const Placement& placement, const SharedSettings& settings) {
  if (!placement.one_node || placement.has_agents) return std::nullopt;
  const Choice choice = choose(call, placement, settings);
  if (choice.algorithm->ways == nullptr) return std::nullopt;
  return choice.algorithm->ways(call, choice.parameters);
}

// The key of all calls of the class of this one, where every rank has all sizes; false if there is none.
// Whether one plan serves the class is found out by making it.
bool take_class_by_size(const PlanKey& key, PlanKey& of_class, Rank self, const Placement& placement) {
  const Call& call = key.call;
  const bool differs = has_parcels(call.collective);
  if (differs && (!placement.one_node || placement.has_agents)) return false;
  const std::optional<Bytes> largest = differs ? largest_of_class(call, key.parcels) : largest_of_class(call);
  if (!largest) return false;
  of_class.call = call;
  of_class.in_place = key.in_place;
  of_class.for_class = true;
  of_class.call.bytes = *largest;
  if (differs) {
    take_largest_of_class(call, key.parcels, self, key.in_place, *largest, of_class.parcels);
  } else {
    of_class.parcels.outgoing.clear();
    of_class.parcels.incoming.clear();
  }
  return true;
}

// The same where no rank has all sizes.
bool take_class_by_ways(const PlanKey& key, PlanKey& of_class, Rank self, Planning& planning,
                        const SharedSettings& settings) {
  const Call& call = key.call;
  if (key.in_place) return false;
  auto& [are_known, ways] = planning.known_ways_of(call.collective);
  if (!std::exchange(are_known, true)) ways = ways_of(call, planning.placement, settings);
  if (!ways) return false;
  of_class.call = call;
  of_class.in_place = false;
  of_class.for_class = true;
  return largest_of_class(call, key.parcels, self, *ways, of_class.parcels);
}

}  // namespace

Plans::Plans(Rank self) : self_(self), kept_(std::make_unique<Kept>()) {}
Plans::~Plans() = default;

void Plans::plan_by(Settings settings, const std::array<Placement, kMemoryUses>& placements) {
  std::erase_if(kept_->former, [](const PlanCache<Plan>& idle) { return idle.all_idle(); });
  for (std::size_t use = 0; use < kMemoryUses; ++use) {
    Planning& one = kept_->by_use[use];
    if (one.plans.size() > 0) kept_->former.push_back(std::exchange(one.plans, {}));
    one.placement = placements[use];
    one.known_ways.clear();
  }
  forget_recent();
  kept_->settings = std::move(settings);
}

Plan& Plans::find_or_make(const PlanKey& key, MemoryUse use) {
  Planning& planning = kept_->by_use[static_cast<std::size_t>(use)];
  std::optional<Making> making;  // one call may make two
  const auto find = [&](const PlanKey& wanted) -> Plan& {
    const auto make = [&] {
      if (!making) making.emplace(plans_made);
      const bool goes_by_ways = wanted.for_class && !knows_all_blocks(wanted.call.collective);
      return std::make_unique<Plan>(
          wanted, self_, *kept_->settings, planning.placement,
          goes_by_ways ? planning.known_ways_of(wanted.call.collective).ways : std::nullopt);
    };
    return planning.plans.find_or_make(wanted, make, [this] { forget_recent(); });
  };
  PlanKey& of_class = kept_->of_class;
  if (!knows_all_blocks(key.call.collective))
    return find(take_class_by_ways(key, of_class, self_, planning, *kept_->settings) ? of_class : key);
  if (take_class_by_size(key, of_class, self_, planning.placement))
    if (Plan& plan = find(of_class); plan.is_made()) return plan;
  return find(key);
}

void Plans::forget_recent() {
  for (const auto& one : recent_)
    if (one != nullptr) one->forget();
}

void Plans::change_hands() {
  for (const Collective collective : kCollectives)
    if (is_neighborly(collective)) recent_[static_cast<std::size_t>(collective)].reset();
}

const Placement& Plans::placement() const { return kept_->by_use.front().placement; }

bool Plans::all_idle() const {
  const auto of_one = [](const Planning& one) { return one.plans.all_idle(); };
  const auto of_former = [](const PlanCache<Plan>& former) { return former.all_idle(); };
  return std::all_of(kept_->by_use.begin(), kept_->by_use.end(), of_one) &&
         std::all_of(kept_->former.begin(), kept_->former.end(), of_former);
}

}  // namespace weft::mpi
