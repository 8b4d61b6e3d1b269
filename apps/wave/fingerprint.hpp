// SPDX-License-Identifier: BSD-3-Clause
// Fingerprints: of all bits of what lies on the points, whatever the process grid.
//
// Each value is mixed with the index of its point in the whole grid, and all of them are added up, modulo
// 2^64, an addition that has no order.
#pragma once

#include <cstdint>
#include <mpi.h>

#include "medium.hpp"
#include "receivers.hpp"

namespace wave {

/// Of the nine components, the memory variables, and rank 0's seismograms. Collective.
template <typename Real>
std::uint64_t fingerprint_of(const State<Real>& state, const Seismograms& seismograms, const Box& box,
                             const Layout& layout, MPI_Comm communicator);

std::uint64_t fingerprint_of(const Medium& medium, const Box& box, MPI_Comm communicator);

}  // namespace wave
