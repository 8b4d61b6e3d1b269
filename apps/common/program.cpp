// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <mpi.h>

#include "verdict.hpp"

namespace app {

int run_program(const char* name, int argument_count, char** arguments, int (*run)(int, char**, int)) {
  MPI_Init(&argument_count, &arguments);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int code = kBadInput;
  try {
    code = run(argument_count, arguments, rank);
  } catch (const BadInput& error) {
    if (rank == 0) fmt::print(stderr, "{}: {}\n", name, error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: rank {}: {}\n", name, rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, kWrong);
  }
  MPI_Finalize();
  return code;
}

}  // namespace app
