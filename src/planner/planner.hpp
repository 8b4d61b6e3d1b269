// SPDX-License-Identifier: BSD-3-Clause
// Planner: which algorithm a call gets, by a rule that every rank evaluates alike.
#pragma once

#include <string>

#include "algorithm/catalog.hpp"
#include "planner/placement.hpp"

namespace weft {

struct Choice {
  const Algorithm* algorithm = nullptr;
  Parameters parameters;
  std::string why;  // one sentence for `weft explain`
};

// Decides from the call and the placement alone (drop_in rule 5). The rule stands in planner.cpp as a table.
Choice choose(const Call& call, const Placement& placement = {});

// The choice for WEFT_REPRODUCIBLE=1: the order of operands of a reduction is a function of the number of
// ranks alone, whatever the size, root, operator and placement (drop_in rule 7).
Choice choose_reproducible(Call call, const Placement& placement);

// The choice where settings have a say: an algorithm by name, if it can do this call here; one bracket for a
// number of ranks; schedules that are executed round by round.
Choice choose(const Call& call, const Placement& placement, const SharedSettings& settings);

// What the planner gives an algorithm: fragments that fit into the node's memory, how representatives
// exchange.
Parameters parameters_for(const Algorithm& algorithm, const Call& call, const Placement& placement,
                          int radix);

}  // namespace weft
