// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/entry/fortran.hpp"

#include <dlfcn.h>

#include "mpi/communicator/neighbors.hpp"
#include "mpi/host/group.hpp"

namespace weft::mpi {
namespace {

// How many blocks a w form has on one side of this communicator.
int block_count(MPI_Comm comm, bool sends, bool neighborly) {
  int count = 0;
  if (neighborly) return neighbor_blocks(comm, sends);
  is_inter(comm) ? PMPI_Comm_remote_size(comm, &count) : PMPI_Comm_size(comm, &count);
  return count;
}

}  // namespace

FortranTypes::FortranTypes(const void* handles, bool sends, bool neighborly, void* sendbuf, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL || (sends && from_fortran(sendbuf) == MPI_IN_PLACE)) return;
  const auto* numbers = static_cast<const MPI_Fint*>(handles);
  for (int i = block_count(comm, sends, neighborly); i > 0; --i) types_.push_back(PMPI_Type_f2c(*numbers++));
}

// Fortran's named constants are addresses of variables in the host's libraries.
void* from_fortran(void* buffer) {
  // In Open MPI they are common symbols that the program itself may hold, so they are looked up, not linked.
  static void* const in_place = ::dlsym(RTLD_DEFAULT, "mpi_fortran_in_place_");
  static void* const bottom = ::dlsym(RTLD_DEFAULT, "mpi_fortran_bottom_");
  if (buffer == nullptr) return nullptr;
  if (buffer == in_place) return MPI_IN_PLACE;
  if (buffer == bottom) return MPI_BOTTOM;
  return buffer;
}

}  // namespace weft::mpi
