// SPDX-License-Identifier: BSD-3-Clause
// Fortran's named constants are addresses of variables in the host's libraries.
#include <dlfcn.h>

#include "mpi/front_door.hpp"

namespace weft::mpi {

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
