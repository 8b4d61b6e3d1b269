// SPDX-License-Identifier: BSD-3-Clause
// TypeContents: what a datatype was made of, by whichever constructor, in the order of MPI-4.0, section
// 5.1.13. What a constructor with large counts was given stands where the other has its integers and
// addresses.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <mpi.h>
#include <vector>

namespace weft::mpi {

class TypeContents {
 public:
  // Requires type != MPI_DATATYPE_NULL.
  explicit TypeContents(MPI_Datatype type);
  ~TypeContents();
  TypeContents(const TypeContents&) = delete;
  TypeContents& operator=(const TypeContents&) = delete;

  int combiner = MPI_COMBINER_NAMED;

 private:
  // Most types are made of so little that nothing is allocated for it. Declared before the lists, whose
  // memory it is.
  std::array<std::byte, 256> few_;
  std::pmr::monotonic_buffer_resource memory_{few_.data(), few_.size()};

 public:
  std::pmr::vector<MPI_Count> numbers{&memory_}, addresses{&memory_};
  std::pmr::vector<MPI_Datatype> types{&memory_};  // freed with this
};

int combiner_of(MPI_Datatype type);
// Types made by MPI_Type_create_f90_… are predefined, too, but not in any list.
bool is_given_by_mpi(MPI_Datatype type);

}  // namespace weft::mpi
