// SPDX-License-Identifier: BSD-3-Clause
// Copies between data of two types, in one process's view of memory.
#pragma once

#include <initializer_list>
#include <mpi.h>

#include "base/types.hpp"
#include "mpi/arguments/datatype.hpp"

namespace weft::mpi::window {

// Data of one type in memory. What is known about the type comes with it, so that nobody has to ask, which
// takes the engine's lock, where others may be waited for.
struct Data {
  std::byte* at = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  TypeFacts facts{};

  Bytes bytes() const { return Bytes(facts.size * count); }
};

// Takes the engine's lock.
void learn_facts(std::initializer_list<Data*> all);

// How long the data are, if they are nothing but bytes one after another; else 0. And where these begin.
Bytes plain_bytes(const Data& data);
inline std::byte* first_byte(const Data& data) { return data.at + data.facts.lower; }

// Both are of the same basic types, in the same number. An MPI error code.
int copy(const Data& from, const Data& into);

}  // namespace weft::mpi::window
