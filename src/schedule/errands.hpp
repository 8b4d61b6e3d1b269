// SPDX-License-Identifier: BSD-3-Clause
// Errands: what schedules mean in which the last arriver at a fan_in works for the others. Once it is chosen
// who arrives last everywhere, they are schedules like any other, which readers without a notion of errands
// can prove, lay out and tell about:
//
//   lines.0 of ranks 0 1 2, rank 1 last      rank 0, 2                       rank 1
//   fan_in leader last                       fan_in leader 1                 fan_in leader 1
//   reduce               errand lines.0      join                            reduce
//   fan_out leader last  errand lines.0      join                            fan_out leader 0 of ranks 1 0 2
//   fan_out leader last                      fan_out leader 0 of ranks 1 0 2 join
//
// Every task keeps its place.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "schedule/schedule.hpp"

namespace weft {

bool has_errands(std::span<const Schedule> schedules);

// How many choices there are to make until every rank has been last in every group, and every group in those
// that it climbs to. All groups of one depth choose alike.
int last_arriver_choices(std::span<const Schedule> schedules);

// The schedules with one of these choices made. Requires errands that errands_trouble() finds nothing wrong
// with.
std::vector<Schedule> with_last_arrivers(std::span<const Schedule> schedules, int choice);

// The schedules that tell about one execution: with one of the choices made, or as they are where there is
// none to make, or where they are damaged.
std::vector<Schedule> with_some_last_arrivers(std::span<const Schedule> schedules);

struct ErrandTrouble {
  Rank rank;
  std::optional<TaskId> task;
  std::string what;
};
// The first thing that breaks invariant 5 of task.hpp; none if it holds.
std::optional<ErrandTrouble> errands_trouble(std::span<const Schedule> schedules);

// The place of the group's member for which a node-level errand is done; none if it is not clear which.
std::optional<int> acts_for(const Schedule& schedule, const Task& errand);

}  // namespace weft
