// SPDX-License-Identifier: BSD-3-Clause
// Decision: what the ranks of a call do, from what all of them know; the schedule of each rank follows from
// it. The one way from a call to its schedules: for the library, and for whoever explains, proves or measures
// what the library does.
#pragma once

#include <string>
#include <vector>

#include "collective/parcels.hpp"
#include "planner/planner.hpp"
#include "schedule/schedule.hpp"

namespace weft {

struct NearerPlace;

// What keeps a schedule's tasks apart besides the data that they read and write.
enum class Order : std::uint8_t {
  kDependencies,  // nothing
  kChain,         // each follows the one before: without messages, within a node (in_order.hpp)
  kRounds         // as LibNBC does (by_rounds.hpp)
};

struct Decision {
  Call call;                  // as it is executed: where sums are reproducible, no operator commutes
  Call structure;             // the same, or the longest call that shares its schedules (see size_class.hpp)
  bool serves_class = false;  // the schedules for the structure can be resized to all calls of its class
  Choice choice;              // for the structure
  Order order = Order::kDependencies;  // of whoever sends messages; the others' is the chain
  bool sends_messages = false;         // some rank may
};

// The decision by the planner's rules and what the settings ask for. Where that cannot be, the rules decide.
// `parcels`: where every rank has the sizes of all blocks, these sizes; none: those of example_parcels().
Decision decide(const Call& call, const Placement& placement, const SharedSettings& settings,
                const Parcels& parcels = {});

// An algorithm and parameters that somebody chose, executed as the library would. Requires
// algorithm.eligible(call).
Decision decide(const Call& call, const Algorithm& algorithm, const Parameters& parameters,
                bool by_rounds = false);

// As schedule_of(), for people to look at: with example_parcels() where the collective has parcels.
Schedule example_schedule_of(const Decision& decision, Rank self, bool in_place);

// "hierarchical socket+node radix=2: …" and why.
std::string sentence(const Decision& decision);

// One rank's schedule, with its parcels where the collective has them.
Schedule schedule_of(const Decision& decision, Rank self, bool in_place, const Parcels& parcels = {});

// Where short parcels lie in shared memory, for a SizedSchedule whose structure is built for the parcels
// `of_class`: an entry for each place that is nearer than the structure's own, the nearest first.
std::vector<NearerPlace> nearer_places(const Decision& decision, Rank self, const Parcels& of_class,
                                       const Ways& ways);

}  // namespace weft
