// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: everything that changes, in one file, to go on from with the same bits, on any number of
// ranks.
//
// In the file, from its beginning: four lines of text (what it is, and the sizes of what follows), filled up
// to 512 bytes; the problem that it belongs to, as text; the nine components and the memory variables, each
// an array of z, y, x from slow to fast; psi of each absorbing layer, likewise; seismograms. All ranks write
// and read their parts by MPI-IO. It is written as FILE.part and renamed when it is complete.
#pragma once

#include <mpi.h>
#include <string>

#include "simulation.hpp"

namespace wave {

/// Throws BadInput where the file cannot be written to its end. Collective.
template <typename Real>
void write_checkpoint(const std::string& file, const std::string& description, Simulation<Real>& simulation,
                      MPI_Comm communicator);

/// Throws BadInput where the file is missing, no checkpoint, cut off, or that of another problem. Collective.
template <typename Real>
void read_checkpoint(const std::string& file, const std::string& description, Simulation<Real>& simulation,
                     MPI_Comm communicator);

}  // namespace wave
