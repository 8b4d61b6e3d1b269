// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/arguments/overlap.hpp"

#include "mpi/arguments/datatype.hpp"
#include "mpi/host/alone.hpp"

namespace weft::mpi {
namespace {

#ifdef OPEN_MPI

// Seen on Open MPI 4.1.4 and 5.0: MPI_Reduce at the root (MPI_ERR_ARG; its persistent form also for no
// elements) and MPI_Allreduce (MPI_ERR_BUFFER, by the handler of MPI_COMM_WORLD). Everything else is taken.
Distance distance(const Arguments& a, int rank, int, bool is_persistent) {
  const bool is_root = rank == a.root;
  const bool refuses = a.collective == Collective::kReduce
                           ? is_root && (a.sendcount > 0 || is_persistent)
                           : a.collective == Collective::kAllreduce && a.sendcount > 0;
  return refuses ? 0 : kNoDistance;
}

#else

// Seen on MPICH 4.0.2 and 5.0, also by the standard ABI, in all forms (MPI_ERR_BUFFER). What is no reduction
// is refused only where both sides are described alike:
//
//   reductions (reduce: at the root)    the same address, for any elements
//   gather, gatherv, allgather(v)       the send buffer is the own block of the receive buffer,
//   scatter, scatterv                   and the other way round, at the root
//   alltoall                            the same address, for any elements
//   alltoallv, alltoallw                the same address, and the same lists: whatever is in them
//   neighbour forms                     nothing
Distance place_of_own(const Arguments& a, int rank, MPI_Datatype type) {
  const Numbers& counts = scatters(a.collective) ? a.lists->sendcounts : a.lists->recvcounts;
  const Numbers& places = scatters(a.collective) ? a.lists->sdispls : a.lists->rdispls;
  const MPI_Count own = scatters(a.collective) ? a.recvcount : a.sendcount;
  if (own == 0 || !counts.given() || !places.given() || counts[rank] == 0) return kNoDistance;
  return static_cast<Distance>(places[rank] * facts_of(type).size);
}

Distance of_blocks(const Arguments& a, int rank) {
  if (a.sendtype != a.recvtype || a.sendtype == MPI_DATATYPE_NULL) return kNoDistance;
  if (a.lists != nullptr) return place_of_own(a, rank, a.sendtype);
  if (a.sendcount != a.recvcount || a.sendcount == 0) return kNoDistance;
  return static_cast<Distance>(rank * a.sendcount * facts_of(a.sendtype).size);
}

bool has_elements(const Arguments& a, int ranks) {
  if (a.collective != Collective::kReduceScatter) return a.sendcount > 0;
  MPI_Count sum = 0;
  for (int rank = 0; a.lists->recvcounts.given() && rank < ranks; ++rank) sum += a.lists->recvcounts[rank];
  return sum > 0;
}

Distance distance(const Arguments& a, int rank, int ranks, bool) {
  if (is_rooted(a.collective) && rank != a.root) return kNoDistance;
  switch (a.collective) {
    case Collective::kGather:
    case Collective::kGatherv:
    case Collective::kAllgather:
    case Collective::kAllgatherv: return of_blocks(a, rank);
    case Collective::kScatter:
    case Collective::kScatterv: {
      const Distance place = of_blocks(a, rank);
      return place == kNoDistance ? place : Distance{0} - place;
    }
    case Collective::kAlltoall:
      return a.sendtype == a.recvtype && a.sendcount == a.recvcount && a.sendcount > 0 ? 0 : kNoDistance;
    case Collective::kAlltoallv:
      return a.sendtype == a.recvtype && a.lists->sendcounts.are_same_list(a.lists->recvcounts) ? 0
                                                                                                : kNoDistance;
    case Collective::kAlltoallw:
      return a.lists->sendtypes == a.lists->recvtypes &&
                     a.lists->sendcounts.are_same_list(a.lists->recvcounts)
                 ? 0
                 : kNoDistance;
    default: return is_reduction(a.collective) && has_elements(a, ranks) ? 0 : kNoDistance;
  }
}

#endif

// Whether this host looks for overlapping buffers: users can tell it not to (MPIR_CVAR_COLL_ALIAS_CHECK,
// mpi_param_check), and it may be built so. It is asked once, by a call that it refuses if it looks.
bool host_looks() {
  static const bool looks = [] {
    int one = 1;
    return PMPI_Reduce(&one, &one, 1, MPI_INT, MPI_SUM, 0, alone()) != MPI_SUCCESS;
  }();
  return looks;
}

}  // namespace

Distance refused_distance(const Arguments& a, int rank, int ranks, bool is_persistent) {
  return distance(a, rank, ranks, is_persistent);
}

bool refuses_overlap(const Arguments& a, int rank, int ranks, bool is_persistent) {
  return distance_of(a) == distance(a, rank, ranks, is_persistent) && host_looks();
}

}  // namespace weft::mpi
