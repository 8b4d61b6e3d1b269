// SPDX-License-Identifier: BSD-3-Clause
// Snapshots: one plane of one component, now and then, each a file of a folder.
//
// COMPONENT_AXIS_STEP.npy, such as vz_y_000100.npy: a plane across the axis, rows along the later of the two
// other directions (z if there is one, the depth), columns along the earlier one. `weft plot FOLDER` makes a
// film of them.
#pragma once

#include <mpi.h>
#include <string>

#include "field.hpp"
#include "options.hpp"

namespace wave {

/// Throws BadInput where the folder cannot be made or the plane is outside the grid. For rank 0.
void prepare_snapshots(const SnapshotRequest& request, double spacing, const Triple& points);

/// Collective; false on rank 0 if the file could not be written.
template <typename Real>
bool write_snapshot(const SnapshotRequest& request, int step, double spacing, const State<Real>& state,
                    const Box& box, const Layout& layout, MPI_Comm communicator);

}  // namespace wave
