// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/arguments/own_block.hpp"

#include "mpi/host/alone.hpp"

namespace weft::mpi {

int OwnBlock::copy() const {
  const int n = static_cast<int>(sent), m = static_cast<int>(received);
  return is_exchanged ? PMPI_Alltoall(from, n, sendtype, into, m, recvtype, alone())
                      : PMPI_Allgather(from, n, sendtype, into, m, recvtype, alone());
}

}  // namespace weft::mpi
