// SPDX-License-Identifier: BSD-3-Clause
// --test and --decompress: rank 0 reads an archive and cuts it into pieces, all ranks decode them, and rank 0
// joins and writes what comes back.
#pragma once

#include <mpi.h>

#include "input.hpp"
#include "options.hpp"

namespace compress {

/// Says what was found. Collective; throws BadInput on all ranks where the archive is damaged or cut off, or
/// the result cannot be written.
void read_archive(const Options& options, Input& input, MPI_Comm communicator);

}  // namespace compress
