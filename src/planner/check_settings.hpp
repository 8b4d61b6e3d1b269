// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with settings beyond the form of each value: names that do not exist, a machine that is too
// small.
#pragma once

#include <string>

#include "base/config.hpp"

namespace weft {

// Algorithms that are not in the catalog, levels and topologies that do not exist or do not go together; ""
// if there is nothing. Names the setting, where it was given, its value, and what is allowed.
std::string problem_with(const Settings& settings);

// What is wrong if the topology has no place for each of so many ranks; "" if nothing is.
std::string problem_with_ranks(const Settings& settings, int rank_count);

}  // namespace weft
