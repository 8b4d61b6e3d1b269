// SPDX-License-Identifier: BSD-3-Clause
// Told: what the members of a new communicator have told one another, by rank. It lies where it was written
// or has come, until the communicator is made.
#pragma once

#include <span>

namespace weft::mpi {

struct Introduction;
using Told = std::span<const Introduction* const>;

}  // namespace weft::mpi
