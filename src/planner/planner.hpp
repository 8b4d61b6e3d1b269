// SPDX-License-Identifier: BSD-3-Clause
// Planner: which algorithm a call gets, by a rule that every rank evaluates alike.
#pragma once

#include <string>

#include "algorithm/catalog.hpp"

namespace weft {

struct Choice {
  const Algorithm* algorithm = nullptr;
  Parameters parameters;
  std::string why;  // one sentence for `weft explain`
};

// Decides from the call alone (drop_in rule 5). The rule stands in planner.cpp as a table.
Choice choose(const Call& call);

}  // namespace weft
