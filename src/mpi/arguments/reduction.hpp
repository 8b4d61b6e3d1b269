// SPDX-License-Identifier: BSD-3-Clause
// Operators: which Weft may apply to which datatypes, and how a schedule's reduce task does it.
#pragma once

#include <mpi.h>
#include <string_view>

#include "base/types.hpp"
#include "executor/processor/operation.hpp"
#include "mpi/arguments/datatype.hpp"

namespace weft::mpi {

bool is_predefined(MPI_Op op);
// "MPI_SUM"; "an own operator" for those of the program, which a handle does not tell apart across ranks.
std::string_view name_of_operator(MPI_Op op);

// Finds out which predefined operators the host applies to which predefined types (some beyond the standard's
// table: MPI_SUM to MPI_CHAR, for one) and how it orders integers, which says what kernels take them for. In
// MPI_Init, before the program can see the error handlers that are changed meanwhile. Collective over the
// world.
void learn_host_operators(int rank, int size);

// Whether the host applies `op` to a type, and what says what it makes of it: the standard (MPI-4.0, section
// 6.9.2; of the program's own operators, the program), or nobody but the host. What the host refuses, it has
// to report.
enum class Applies : std::uint8_t { kNever, kByStandard, kByHost };
Applies applies_to(MPI_Op op, const TypeFacts& facts);

// What one operation in flight reduces with, unless a kernel does. The host applies the operator
// (PMPI_Reduce_local), with the handles of this process, in a thread of the program that is inside MPI
// (drop_in rule 8).
struct Reduction {
  MPI_Op op = MPI_OP_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Bytes extent{1};
  MPI_Count lower = 0;  // from an element's address to its data, which is all that is passed around
  mutable int error = MPI_SUCCESS;  // the first of the operation

  static void apply(const void* left, void* into, Bytes bytes, const void* reduction);
};

// How to reduce: by a kernel of Weft's where the standard says what the result is and there is one for the
// operator and the type, else by `reduction`, which has to live as long.
Combine combine_of(const Reduction& reduction);

}  // namespace weft::mpi
