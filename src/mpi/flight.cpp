// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight.hpp"

#include <algorithm>

namespace weft::mpi {
namespace {

// MPI_Pack takes int counts and sizes, so that large blocks go in several steps of whole elements.
template <class Step>
void in_steps(MPI_Count count, std::int64_t element_bytes, Step step) {
  const std::int64_t most = std::max<std::int64_t>(1, (1 << 30) / std::max<std::int64_t>(1, element_bytes));
  for (MPI_Count done = 0; done < count; done += most) step(done, std::min<MPI_Count>(most, count - done));
}

}  // namespace

void Staging::prepare(void* buffer, MPI_Datatype datatype, MPI_Count count_per_block, MPI_Count block_count,
                      Bytes block) {
  user = buffer;
  type = datatype;
  count = count_per_block;
  blocks = block_count;
  packed.resize(static_cast<std::size_t>(block.value * block_count));  // keeps its memory when used again
}

void Staging::pack(MPI_Count first_block, MPI_Count block_count, Bytes block) {
  MPI_Count lower = 0, extent = 0;
  PMPI_Type_get_extent_x(type, &lower, &extent);
  const std::int64_t element = count > 0 ? block.value / count : 0;
  in_steps(count * block_count, element, [&](MPI_Count at, MPI_Count now) {
    const auto* from = static_cast<const std::byte*>(user) + (first_block * count + at) * extent;
    std::byte* into = packed.data() + first_block * block.value + at * element;
    int position = 0;
    PMPI_Pack(from, static_cast<int>(now), type, into, static_cast<int>(now * element), &position, MPI_COMM_SELF);
  });
}

void Staging::unpack(Bytes block) const {
  MPI_Count lower = 0, extent = 0;
  PMPI_Type_get_extent_x(type, &lower, &extent);
  const std::int64_t element = count > 0 ? block.value / count : 0;
  in_steps(count * blocks, element, [&](MPI_Count at, MPI_Count now) {
    int position = 0;
    PMPI_Unpack(packed.data() + at * element, static_cast<int>(now * element), &position,
                static_cast<std::byte*>(user) + at * extent, static_cast<int>(now), type, MPI_COMM_SELF);
  });
}

}  // namespace weft::mpi
