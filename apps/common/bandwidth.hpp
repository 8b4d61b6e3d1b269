// SPDX-License-Identifier: BSD-3-Clause
// What the memory gives: a stream triad, a = b + scalar c, on all ranks at once.
//
// Counted as in McCalpin's STREAM: 24 bytes per element, without what the hardware reads of a before it
// writes it. The arrays of a node's ranks are 128 MiB each, together, or 16 MiB per rank: larger than caches
// are.
#pragma once

#include <mpi.h>

namespace app {

/// Bytes per second of all ranks together, the best of a few trials. Collective; throws BadInput without
/// memory for it.
double measure_triad(MPI_Comm communicator);

}  // namespace app
