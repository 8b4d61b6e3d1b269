// SPDX-License-Identifier: BSD-3-Clause
// OwnBlock: what a rank sends itself, where it does not say the same length for what it receives from itself.
//
// Hosts take less, and report more or take it, too. They copy such a block before anything else, and so does
// Weft, by the host's own call on a communicator of one rank: what the host makes of it there is what it
// makes of the whole. What is between ranks goes on without that block, so that nobody waits for this one.
#pragma once

#include <mpi.h>

namespace weft::mpi {

struct OwnBlock {
  const void* from = nullptr;
  MPI_Count sent = 0;
  MPI_Datatype sendtype = MPI_DATATYPE_NULL;
  void* into = nullptr;
  MPI_Count received = 0;
  MPI_Datatype recvtype = MPI_DATATYPE_NULL;
  bool is_exchanged = false;  // of the alltoall forms, for which hosts are stricter

  bool in_use() const { return recvtype != MPI_DATATYPE_NULL; }
  bool uses(MPI_Datatype type) const { return in_use() && (sendtype == type || recvtype == type); }
  int copy() const;  // requires in_use(); the host's error code
};

}  // namespace weft::mpi
