// SPDX-License-Identifier: BSD-3-Clause
// Given: how a call's arguments describe one of its two buffers, block by block.
#pragma once

#include <mpi.h>

#include "mpi/arguments/arguments.hpp"
#include "mpi/arguments/datatype.hpp"

namespace weft::mpi {

struct Given {
  const void* buffer;
  MPI_Count count;
  MPI_Datatype type;
  Numbers counts, displacements;
  const MPI_Datatype* types = nullptr;

  bool lacks_a_list() const { return counts.are_missing() || displacements.are_missing(); }
  MPI_Count count_of(int which) const { return counts.given() ? counts[which] : count; }
  MPI_Datatype type_of(int which) const { return types != nullptr ? types[which] : type; }
  // Where a block begins, in bytes from the buffer's address.
  MPI_Count place_of(int which, const TypeFacts& facts) const {
    if (types != nullptr) return displacements[which];
    return (displacements.given() ? displacements[which] : count * which) * facts.extent;
  }
};

inline Given sent(const Arguments& a) {
  if (a.lists == nullptr || !a.lists->sendcounts.are_in_form())
    return {a.sendbuf, a.sendcount, a.sendtype, {}, {}};
  return {a.sendbuf, a.sendcount, a.sendtype, a.lists->sendcounts, a.lists->sdispls, a.lists->sendtypes};
}

inline Given received(const Arguments& a) {
  if (a.lists == nullptr || !a.lists->recvcounts.are_in_form())
    return {a.recvbuf, a.recvcount, a.recvtype, {}, {}};
  return {a.recvbuf, a.recvcount, a.recvtype, a.lists->recvcounts, a.lists->rdispls, a.lists->recvtypes};
}

}  // namespace weft::mpi
