// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/meeting.hpp"

#include "mpi/call/collective.hpp"
#include "mpi/communicator/registry.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/host/finish.hpp"
#include "mpi/host/group.hpp"

namespace weft::mpi {

int meet(MPI_Comm comm) {
  static CallCounter& counter = *new CallCounter("a constructor of communicators");  // not in the statistics
  int code = MPI_SUCCESS;
  if (engine().hooked || run(counter, {.collective = Collective::kBarrier, .comm = comm}, &code)) return code;
  if (!must_drive(comm)) return code;
  MPI_Request barrier = MPI_REQUEST_NULL;  // the host's
  code = PMPI_Ibarrier(comm, &barrier);
  return code != MPI_SUCCESS ? code : finish(&barrier, MPI_STATUS_IGNORE);
}

int meet_across(MPI_Comm comm, int leader, MPI_Comm peers, int remote_leader, int tag) {
  if (engine().hooked || comm == MPI_COMM_NULL) return MPI_SUCCESS;
  int code = meet(comm), rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (code == MPI_SUCCESS && rank == leader && must_drive(peers)) {
    MPI_Request meeting = MPI_REQUEST_NULL, telling = MPI_REQUEST_NULL;
    code = PMPI_Irecv(nullptr, 0, MPI_BYTE, remote_leader, tag, peers, &meeting);
    if (code != MPI_SUCCESS) return code;
    code = PMPI_Isend(nullptr, 0, MPI_BYTE, remote_leader, tag, peers, &telling);
    for (MPI_Request* half : {&telling, &meeting})
      if (code == MPI_SUCCESS) code = finish(half, MPI_STATUS_IGNORE);
  }
  return code == MPI_SUCCESS ? meet(comm) : code;
}

bool must_drive(MPI_Comm comm) {
  const bool is_driven = engine().active.load(std::memory_order_acquire) && !engine().hooked;
  return is_driven && comm != MPI_COMM_NULL && is_within_world(comm);
}

bool must_drive_bcast(MPI_Comm comm) { return must_drive(comm) && !is_inter(comm); }

}  // namespace weft::mpi
