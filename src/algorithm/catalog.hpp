// SPDX-License-Identifier: BSD-3-Clause
// Catalog: all algorithms, in the order in which tables show them; cards.hpp lists them.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "algorithm/algorithm.hpp"
#include "algorithm/build.hpp"
#include "base/result.hpp"

namespace weft {

std::span<const std::reference_wrapper<const Algorithm>> catalog();

// The entry, or an error that lists the names there are.
Result<const Algorithm*> find_algorithm(Collective collective, std::string_view name);

}  // namespace weft
