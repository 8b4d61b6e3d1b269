// SPDX-License-Identifier: BSD-3-Clause
// Copies between data of two types, in one process's view of memory.
#pragma once

#include <mpi.h>

#include "base/types.hpp"
#include "mpi/arguments/datatype.hpp"

namespace weft::mpi::window {

// Data of one type in memory.
struct Data {
  std::byte* at = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

// A copy, as another call may need the place where facts are kept. Takes the engine's lock.
TypeFacts facts_about(MPI_Datatype type);

// How long the data are, if they are nothing but bytes one after another; else 0. And where these begin.
Bytes plain_bytes(const Data& data);
std::byte* first_byte(const Data& data);
std::int64_t first_place(MPI_Datatype type);  // from where the data are

// Both are of the same basic types, in the same number. An MPI error code.
int copy(const Data& from, const Data& into);

}  // namespace weft::mpi::window
