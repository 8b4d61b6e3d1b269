// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/arguments/signature.hpp"

#include <array>
#include <numeric>
#include <vector>

#include "base/fnv1a.hpp"
#include "mpi/arguments/type_contents.hpp"
#include "mpi/host/handle.hpp"

namespace weft::mpi {
namespace {

// A basic datatype is told by what is the same on every rank and cannot be changed, as its name can: its
// handle, or, where handles are addresses, its number in Fortran.
Signature basic(MPI_Datatype type) {
#ifdef OPEN_MPI
  const auto number = static_cast<std::uint64_t>(PMPI_Type_c2f(type));
#else
  const auto number = static_cast<std::uint64_t>(key_of(type));
#endif
  Fnv1a hash;
  hash.add(number);
  return {hash.value(), 1, true};
}

// Pairs for MINLOC and MAXLOC are two basic types each.
Signature given_by_mpi(MPI_Datatype type) {
  struct Pair {
    MPI_Datatype type, first, second;
  };
  static const std::array pairs = {Pair{MPI_2INT, MPI_INT, MPI_INT},
                                   Pair{MPI_FLOAT_INT, MPI_FLOAT, MPI_INT},
                                   Pair{MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT},
                                   Pair{MPI_LONG_INT, MPI_LONG, MPI_INT},
                                   Pair{MPI_SHORT_INT, MPI_SHORT, MPI_INT},
                                   Pair{MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT},
                                   Pair{MPI_2INTEGER, MPI_INTEGER, MPI_INTEGER},
                                   Pair{MPI_2REAL, MPI_REAL, MPI_REAL},
                                   Pair{MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION}};
  if (type == MPI_PACKED) return {0, 0, false};
  for (const Pair& pair : pairs)
    if (pair.type == type) return basic(pair.first) + basic(pair.second);
  const TypeContents of(type);
  if (of.combiner == MPI_COMBINER_NAMED) return basic(type);
  Fnv1a asked_for;  // by precision and range
  asked_for.add(static_cast<std::uint64_t>(of.combiner));
  for (const MPI_Count number : of.numbers) asked_for.add(static_cast<std::uint64_t>(number));
  return {asked_for.value(), 1, true};
}

// How many elements each part of a derived type stands for (MPI-4.0, table 5.2).
MPI_Count times_of_part(const TypeContents& of, std::size_t part) {
  const auto& numbers = of.numbers;
  switch (of.combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED: return 1;
    case MPI_COMBINER_CONTIGUOUS: return numbers[0];
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK: return numbers[0] * numbers[1];
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
      return std::accumulate(numbers.begin() + 1, numbers.begin() + 1 + numbers[0], MPI_Count{0});
    case MPI_COMBINER_STRUCT: return numbers[1 + part];
    default: return -1;
  }
}

}  // namespace

Signature operator*(MPI_Count count, Signature each) {
  Signature all;
  for (; count > 0; count /= 2, each = each + each)
    if (count % 2 != 0) all = all + each;
  return all;
}

Signature signature_of(MPI_Datatype type) {
  if (is_given_by_mpi(type)) return given_by_mpi(type);
  const TypeContents of(type);
  Signature all;
  for (std::size_t part = 0; part < of.types.size(); ++part) {
    const Signature each = signature_of(of.types[part]);
    MPI_Count times = times_of_part(of, part);
    if (times < 0) {  // subarrays and the like, of one basic type mostly: by their size
      MPI_Count whole = 0, one = 0;
      PMPI_Type_size_x(type, &whole);
      PMPI_Type_size_x(of.types[part], &one);
      times = one > 0 ? whole / one : 0;
    }
    all = all + times * each;
  }
  return all;
}

}  // namespace weft::mpi
