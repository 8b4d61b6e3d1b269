// SPDX-License-Identifier: BSD-3-Clause
// Medium: the material at each point of a rank's box, and at the points behind it that averages need.
//
// It comes from layers or from a file: an array of NumPy's of shape (3, nz, ny, nx), of vp, vs and density,
// or (5, nz, ny, nx) with Qp and Qs, of which each rank reads its own block. At the grid's edges the material
// of the last point goes on.
#pragma once

#include <array>
#include <limits>
#include <mpi.h>
#include <string>
#include <vector>

#include "grid.hpp"
#include "layers.hpp"

namespace wave {

/// The extremes of the whole grid.
struct MediumRange {
  double fastest = 0;  ///< largest vp
  double slowest = 0;  ///< smallest vs that is not 0; vp where nothing has any
  double lowest_q = std::numeric_limits<double>::infinity();

  bool attenuating() const { return lowest_q < std::numeric_limits<double>::infinity(); }
};

class Medium {
 public:
  /// Layers that begin at depth 0. `elastic` forgets every Q.
  Medium(std::vector<Layer> layers, double spacing, const Box& box, bool elastic);
  /// Throws BadInput where the file is missing or does not fit. Collective.
  Medium(const std::string& file, const Box& box, bool elastic, MPI_Comm communicator);

  /// In the box's own count; up to one point behind it in each direction.
  Material at(int x, int y, int z) const;
  /// Collective.
  MediumRange range(MPI_Comm communicator) const;

 private:
  std::size_t place_of(int x, int y, int z) const;
  std::string where(int x, int y, int z) const;

  Box box_;
  bool elastic_;
  std::vector<Material> of_depth_;  // of layers: by z
  std::string file_;                // else: from here
  Triple kept_{};                   // points of the block that was read
  int quantities_ = 0;              // 3 or 5
  std::vector<float> values_;       // by quantity
};

}  // namespace wave
