// SPDX-License-Identifier: BSD-3-Clause
// What the command line asks for.
#pragma once

#include <array>
#include <string>

namespace poisson {

/// How neighbours get the values at each other's faces; halo.hpp says what each of them is.
enum class Exchange { kBlocking, kNeighbour, kAlltoallv, kSkipped };

const char* name_of(Exchange exchange);

/// Who waits for inner products, and how often; conjugate_gradients.hpp says more.
enum class Products { kBlocking, kOverlapped, kCombined };

const char* name_of(Products products);

struct Options {
  std::array<int, 3> grid{64, 64, 64};       ///< -n: points of the whole grid
  std::array<int, 3> process_grid{0, 0, 0};  ///< -P; 0 0 0 leaves the choice to MPI_Dims_create
  bool one_dimensional = false;
  int points_per_rank = 1000;  ///< --points, of the 1-D problem
  Exchange exchange = Exchange::kNeighbour;
  Products products = Products::kBlocking;
  double tolerance = 1e-8;
  int max_iterations = 100000;
  int fixed_iterations = 0;  ///< --iterations; 0: until the tolerance is reached
  int repeat_count = 1;
  bool bandwidth = false;       ///< measure a stream triad beside the solve
  std::string checkpoint_file;  ///< empty: none is written
  std::string restart_file;     ///< empty: from x = 0
  std::string json_file;        ///< empty: none; "-": standard output, instead of the tables
  bool help = false;
};

/// Reads the command line; throws BadInput. Deterministic, so every rank may do it by itself.
Options parse_options(int argument_count, char** arguments);

std::string help_text();

}  // namespace poisson
