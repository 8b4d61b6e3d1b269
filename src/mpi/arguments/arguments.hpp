// SPDX-License-Identifier: BSD-3-Clause
// Arguments: one call of a collective as the program made it, whichever of its forms it used.
#pragma once

#include <cstdint>
#include <mpi.h>

#include "collective/call.hpp"

namespace weft::mpi {

// Counts or displacements of a v or w form: an array of int, or of what MPI-4 and the neighbour forms use.
class Numbers {
 public:
  Numbers() = default;  // the form has none
  template <class Number>
  Numbers(const Number* numbers)  // NOLINT(google-explicit-constructor): as the array that it stands for
      : numbers_(numbers), kind_(sizeof(Number) == sizeof(MPI_Count) ? Kind::kWide : Kind::kInts) {
    static_assert(sizeof(Number) == sizeof(int) || sizeof(Number) == sizeof(MPI_Count));
  }
  bool given() const { return numbers_ != nullptr; }
  bool are_in_form() const { return kind_ != Kind::kNotInForm; }
  bool are_missing() const { return are_in_form() && !given(); }
  bool are_same_list(const Numbers& other) const { return numbers_ == other.numbers_; }
  // Calls it with the array, whichever of the two it is.
  template <class Visit>
  auto visit(Visit visit) const {
    return kind_ == Kind::kWide ? visit(static_cast<const MPI_Count*>(numbers_))
                                : visit(static_cast<const int*>(numbers_));
  }
  MPI_Count operator[](int i) const {
    return visit([i](const auto* numbers) { return MPI_Count{numbers[i]}; });
  }

 private:
  // As wide as the pointer: behind narrow fields compilers write the next lists by stores that begin within a
  // pointer, and a processor that reads one waits until both halves are in its cache.
  enum class Kind : std::uint64_t { kNotInForm, kInts, kWide };
  const void* numbers_ = nullptr;
  Kind kind_ = Kind::kNotInForm;
};

// The lists of a v or w form, which have one entry per block. The displacements of a w form are in bytes.
struct Lists {
  Numbers sendcounts, sdispls;
  const MPI_Datatype* sendtypes = nullptr;
  Numbers recvcounts, rdispls;
  const MPI_Datatype* recvtypes = nullptr;
};

// One call of a collective, with the arguments of every form of it. Bcast's buffer is recvbuf. Reductions
// have their count and datatype as sendcount (of reduce_scatter: recvcounts) and sendtype.
struct Arguments {
  Collective collective;
  const void* sendbuf = nullptr;
  MPI_Count sendcount = 0;
  MPI_Datatype sendtype = MPI_DATATYPE_NULL;
  void* recvbuf = nullptr;
  MPI_Count recvcount = 0;
  MPI_Datatype recvtype = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  const Lists* lists = nullptr;
};

}  // namespace weft::mpi
