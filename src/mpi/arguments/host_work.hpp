// SPDX-License-Identifier: BSD-3-Clause
// HostWork: what of one operation the host does for Weft, with handles of the program: it applies an
// operator, packs and unpacks data, and copies what a rank sends itself in another length than it expects.
// Most calls need nothing of it.
#pragma once

#include <cstddef>
#include <mpi.h>

#include "mpi/arguments/own_block.hpp"
#include "mpi/arguments/reduction.hpp"
#include "mpi/arguments/staging.hpp"

namespace weft::mpi {

struct HostWork {
  // Before the operation: copies the own block and what is staged. An MPI error code, but not the own
  // block's, which is kept for the end, since other ranks wait for this one.
  int fill();
  // At its end: copies a staged result to the caller's buffer. The first error of the operation.
  int deliver();
  void forget_errors() { reduction.error = error_of_own_block = MPI_SUCCESS; }

  bool uses_type(MPI_Datatype type) const {
    return reduction.type == type || input.uses(type) || output.uses(type) || own_block.uses(type);
  }
  bool uses_op(MPI_Op op) const { return reduction.op == op; }

  // Forgets the caller's buffers and handles, but keeps memory for the next call.
  void forget();
  std::size_t bytes() const { return input.bytes() + output.bytes(); }
  void give_back_memory();

  Reduction reduction;
  Staging input, output;
  OwnBlock own_block;

 private:
  int error_of_own_block = MPI_SUCCESS;
};

}  // namespace weft::mpi
