// SPDX-License-Identifier: BSD-3-Clause
// Counted bytes: a size as MPI counts it. Counts are ints: what is longer than they reach is one element of a
// type made for it.
#pragma once

#include <limits>
#include <mpi.h>

#include "base/types.hpp"

namespace weft {

// `byte`: MPI_BYTE or MPI_PACKED.
class CountedBytes {
 public:
  CountedBytes(Bytes size, MPI_Datatype byte) : type_(byte) {
    if (size.value <= std::numeric_limits<int>::max()) {
      count_ = static_cast<int>(size.value);
      return;
    }
    constexpr std::int64_t kPiece = 1 << 30;
    const std::int64_t pieces = size.value / kPiece;
    MPI_Datatype piece = MPI_DATATYPE_NULL, whole = MPI_DATATYPE_NULL;
    code_ = PMPI_Type_contiguous(kPiece, byte, &piece);
    if (code_ == MPI_SUCCESS) code_ = PMPI_Type_contiguous(static_cast<int>(pieces), piece, &whole);
    const int lengths[2] = {1, static_cast<int>(size.value % kPiece)};
    const MPI_Aint places[2] = {0, static_cast<MPI_Aint>(pieces * kPiece)};
    const MPI_Datatype parts[2] = {whole, byte};
    if (code_ == MPI_SUCCESS) code_ = PMPI_Type_create_struct(2, lengths, places, parts, &made_);
    if (code_ == MPI_SUCCESS) code_ = PMPI_Type_commit(&made_);
    for (MPI_Datatype* part : {&piece, &whole})
      if (*part != MPI_DATATYPE_NULL) PMPI_Type_free(part);
  }
  // MPI keeps the type for as long as a message needs it.
  ~CountedBytes() {
    if (made_ != MPI_DATATYPE_NULL) PMPI_Type_free(&made_);
  }
  CountedBytes(const CountedBytes&) = delete;

  int code() const { return code_; }
  int count() const { return count_; }
  MPI_Datatype type() const { return made_ == MPI_DATATYPE_NULL ? type_ : made_; }

 private:
  MPI_Datatype type_;
  int code_ = MPI_SUCCESS;
  int count_ = 1;
  MPI_Datatype made_ = MPI_DATATYPE_NULL;
};

}  // namespace weft
