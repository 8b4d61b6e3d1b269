// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/arguments/host_work.hpp"

namespace weft::mpi {

int HostWork::fill() {
  error_of_own_block = own_block.in_use() ? own_block.copy() : MPI_SUCCESS;
  const int code = input.fill();
  return code == MPI_SUCCESS ? output.fill() : code;
}

int HostWork::deliver() {
  int error = reduction.error;
  if (error == MPI_SUCCESS) error = output.deliver();
  return error == MPI_SUCCESS ? error_of_own_block : error;
}

void HostWork::forget() {
  input.reset();
  output.reset();
  reduction = {};
  own_block = {};
  error_of_own_block = MPI_SUCCESS;
}

void HostWork::give_back_memory() {
  input.give_back_memory();
  output.give_back_memory();
}

}  // namespace weft::mpi
