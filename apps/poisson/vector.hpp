// SPDX-License-Identifier: BSD-3-Clause
// A rank's own part of a vector, x fastest, without halos.
#pragma once

#include <vector>

namespace poisson {

using Vector = std::vector<double>;

}  // namespace poisson
