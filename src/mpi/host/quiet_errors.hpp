// SPDX-License-Identifier: BSD-3-Clause
// QuietErrors: what fails in Weft's own calls of the host does not end the program's job.
#pragma once

#include <array>
#include <cstddef>
#include <mpi.h>

namespace weft::mpi::host {

// As long as it lives, errors that belong to no communicator come back as codes, on whichever of the two the
// host reports them. For MPI_Finalize, where the program cannot see that its handlers are away; not before,
// since MPICH never forgets that MPI_COMM_WORLD has been given one (reduction.cpp).
class QuietErrors {
 public:
  QuietErrors() {
    for (std::size_t i = 0; i < kComms.size(); ++i) {
      PMPI_Comm_get_errhandler(kComms[i], &before_[i]);
      PMPI_Comm_set_errhandler(kComms[i], MPI_ERRORS_RETURN);
    }
  }
  ~QuietErrors() {
    for (std::size_t i = 0; i < kComms.size(); ++i) {
      PMPI_Comm_set_errhandler(kComms[i], before_[i]);
      PMPI_Errhandler_free(&before_[i]);
    }
  }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  const std::array<MPI_Comm, 2> kComms{MPI_COMM_WORLD, MPI_COMM_SELF};
  std::array<MPI_Errhandler, 2> before_{};
};

}  // namespace weft::mpi::host
