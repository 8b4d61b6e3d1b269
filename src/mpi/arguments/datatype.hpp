// SPDX-License-Identifier: BSD-3-Clause
// What Weft has to know about a datatype: found out when it is met, and kept until it is freed if it is met
// again.
#pragma once

#include <cstdint>
#include <functional>
#include <mpi.h>
#include <optional>

#include "executor/processor/kernels.hpp"
#include "mpi/arguments/layout.hpp"

namespace weft::mpi {

// The kinds that decide which predefined operators apply (MPI-4.0, section 6.9.2).
enum class TypeKind : std::uint8_t {
  kDerived,
  kOther,
  kInteger,
  kFloating,
  kComplex,
  kLogical,
  kByte,
  kPair
};

struct TypeFacts {
  MPI_Count size = 0;    // bytes of data, packed
  MPI_Count extent = 0;  // from one element to the next in memory
  TypeKind kind = TypeKind::kDerived;
  bool packs_to_itself = false;      // memory and packed form are the same bytes in the same order
  bool usable = true;                // false: not committed, say; the host knows and reports it
  bool has_gaps = true;              // elements one after another do not fill memory from their address on
  bool overlaps = false;             // an element's data reach into the next one's
  bool is_kept = false;              // of a derived type: see kept_types_freed()
  MPI_Count lower = 0;               // from an element's address to its data
  std::optional<Element> element;    // what it is to a reduction kernel
  std::uint32_t host_operators = 0;  // the predefined ones that the host applies (reduction.cpp)
  Layout layout;                     // of derived types
};

void learn_predefined_types();
void for_each_predefined_type(const std::function<void(MPI_Datatype, TypeFacts&)>& visit);
// Requires type != MPI_DATATYPE_NULL. The caller holds the engine's lock. Valid until the next call.
const TypeFacts& facts_of(MPI_Datatype type);
// The same for the type of an operation that has asked facts_of() and is not over: before it is, the type is
// not freed.
const TypeFacts& facts_in_use(MPI_Datatype type);
// How many types have been freed whose facts were kept. While that stays, the handle of a type that is kept
// is that type's.
unsigned kept_types_freed();
// The program frees it, so that the next type with this handle is another. The caller holds the engine's
// lock.
void forget_type(MPI_Datatype type);

}  // namespace weft::mpi
