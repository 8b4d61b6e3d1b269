// SPDX-License-Identifier: BSD-3-Clause
// What the command line asks for.
#pragma once

#include <array>
#include <string>

namespace poisson {

/// How neighbours get the values at each other's faces; halo.hpp says what each of them is.
enum class Exchange { kBlocking, kNeighbour, kAlltoallv, kSkipped };

const char* name_of(Exchange exchange);

struct Options {
  std::array<int, 3> grid{64, 64, 64};       ///< -n: points of the whole grid
  std::array<int, 3> process_grid{0, 0, 0};  ///< -P; 0 0 0 leaves the choice to MPI_Dims_create
  Exchange exchange = Exchange::kNeighbour;
  double tolerance = 1e-8;
  int max_iterations = 100000;
  int fixed_iterations = 0;  ///< --iterations; 0: until the tolerance is reached
  int repeat_count = 1;
  std::string json_file;  ///< empty: none; "-": standard output, instead of the tables
  bool help = false;
};

/// Reads the command line; throws BadInput. Deterministic, so every rank may do it by itself.
Options parse_options(int argument_count, char** arguments);

std::string help_text();

}  // namespace poisson
