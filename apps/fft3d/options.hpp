// SPDX-License-Identifier: BSD-3-Clause
// What the command line asks for.
#pragma once

#include <string>

#include "decomposition.hpp"
#include "form.hpp"

namespace fft3d {

struct TaylorGreenOptions {
  int steps = 0;  ///< 0: no Taylor-Green vortex
  double viscosity = 0.01;
  double amplitude = 1;    ///< of the velocity
  double time_step = 0;    ///< 0: by the grid and the amplitude
  std::string slice_file;  ///< --slice; empty: none
};

struct Options {
  Grid grid;
  ProcessGrid processes;  ///< -P; 0 0 leaves the choice to MPI_Dims_create
  bool is_single = false;
  Form form;
  int variables = 3;
  bool test_sine = true;
  bool test_random = true;
  int repeat_count = 3;
  TaylorGreenOptions taylor_green;
  std::string json_file;  ///< empty: none; "-": standard output, instead of the tables
  bool help = false;
};

/// Reads the command line; throws BadInput. Deterministic, so every rank may do it by itself.
Options parse_options(int argument_count, char** arguments);

std::string help_text();

}  // namespace fft3d
