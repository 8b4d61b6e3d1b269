// SPDX-License-Identifier: BSD-3-Clause
// Fortran's arguments as C's: buffers, and lists of handles where these are not the same numbers.
#pragma once

#include <mpi.h>
#include <vector>

namespace weft::mpi {

// Fortran has MPI_IN_PLACE and MPI_BOTTOM as addresses of its own: turns these into C's.
void* from_fortran(void* buffer);

// The datatypes of one side of a w form: one per rank, or per neighbour. What is sent in place has none.
class FortranTypes {
 public:
  FortranTypes(const void* handles, bool sends, bool neighborly, void* sendbuf, MPI_Comm comm);
  const MPI_Datatype* data() const { return types_.data(); }

 private:
  std::vector<MPI_Datatype> types_;
};

}  // namespace weft::mpi
