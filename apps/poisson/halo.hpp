// SPDX-License-Identifier: BSD-3-Clause
// The halo exchange: what each neighbour on the process grid needs, in one collective operation.
//
// Neighbours are in the order of MPI's Cartesian neighbourhoods: for each direction the lower one, then the
// upper one. Where the grid ends there is no neighbour, and nothing to send. The four forms:
//
//   blocking    MPI_Neighbor_alltoallv; all of it happens in start()
//   neighbour   MPI_Ineighbor_alltoallv in start(), MPI_Wait in finish(): between them, the inner points
//   alltoallv   MPI_Ialltoallv on all ranks instead, zeros for all who are no neighbours, as LibNBC's solver
//               did before there were neighbourhood collectives
//   skipped     nothing; what others have counts as zero, so the answer is wrong
//
// Source: Hoefler, Lumsdaine, Rehm, "Implementation and Performance Analysis of Non-Blocking Collective
// Operations for MPI" (SC 2007), section 5.3.
#pragma once

#include <cstddef>
#include <mpi.h>
#include <vector>

#include "options.hpp"
#include "timers.hpp"
#include "vector.hpp"

namespace poisson {

class Halo {
 public:
  /// `face_points`: for each direction, how many values go to either neighbour. `cartesian` must outlive it.
  Halo(const std::vector<int>& face_points, Exchange exchange, MPI_Comm cartesian);

  bool has_neighbour(int side) const { return ranks_[side] != MPI_PROC_NULL; }
  /// What is sent to the neighbour at this side, and what came from it.
  double* out(int side) { return out_.data() + offsets_[side]; }
  const double* in(int side) const { return in_.data() + offsets_[side]; }

  void start(Times& times);
  void finish(Times& times);

 private:
  void start_exchange();

  MPI_Comm cartesian_;
  Exchange exchange_;
  std::vector<int> ranks_, counts_, offsets_;          // by side
  std::vector<int> counts_by_rank_, offsets_by_rank_;  // for MPI_Ialltoallv
  Vector out_, in_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace poisson
