// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/staging.hpp"

#include <algorithm>
#include <limits>

#include "mpi/engine.hpp"
#include "observe/times.hpp"
#include "transport/counted_bytes.hpp"

namespace weft::mpi {
namespace {

// MPI_Pack takes int counts and sizes, so that large blocks go in several steps of whole elements. The errors
// of packing must not reach a handler of the program, hence the communicator.
template <class Step>
int in_steps(MPI_Count count, std::int64_t element_bytes, Step step) {
  const std::int64_t most = std::max<std::int64_t>(1, (1 << 30) / element_bytes);
  int code = MPI_SUCCESS;
  for (MPI_Count done = 0; done < count && code == MPI_SUCCESS; done += most)
    code = step(done, static_cast<int>(std::min<MPI_Count>(most, count - done)));
  return code;
}

// An element that is larger than an int counts is packed by a message to this rank, whose other end takes
// what comes as packed. No schedule sends to its own rank, so that nothing else meets it.
int move_to_self(const void* from, int count, MPI_Datatype type, void* into, int into_count,
                 MPI_Datatype into_type) {
  const MPI_Comm comm = engine().transport_comm;
  int self = 0;
  PMPI_Comm_rank(comm, &self);
  return PMPI_Sendrecv(from, count, type, self, 0, into, into_count, into_type, self, 0, comm,
                       MPI_STATUS_IGNORE);
}

bool is_beyond_packing(std::int64_t element_bytes) { return element_bytes > std::numeric_limits<int>::max(); }

}  // namespace

int Staging::prepare(void* buffer, MPI_Datatype datatype, MPI_Count count, MPI_Count blocks, Bytes block) {
  MPI_Count lower = 0;
  type = datatype;
  count_ = count;
  blocks_ = blocks;
  user_ = static_cast<std::byte*>(buffer);
  PMPI_Type_get_extent_x(datatype, &lower, &extent_);
  packed_.resize(static_cast<std::size_t>(block.value * blocks));  // keeps its memory when used again
  return buffer == nullptr && block > Bytes(0) ? from_bottom(datatype) : MPI_SUCCESS;
}

// MPICH's MPI_Pack refuses a null address, which MPI_BOTTOM is: shift the type instead.
int Staging::from_bottom(MPI_Datatype datatype) {
  constexpr MPI_Aint kShift = 4096;
  const int one = 1;
  const MPI_Aint back = -kShift;
  MPI_Datatype moved = MPI_DATATYPE_NULL;
  int code = PMPI_Type_create_hindexed(1, &one, &back, datatype, &moved);
  if (code == MPI_SUCCESS)
    code = PMPI_Type_create_resized(moved, 0, static_cast<MPI_Aint>(extent_), &shifted_);
  if (code == MPI_SUCCESS) code = PMPI_Type_commit(&shifted_);
  if (moved != MPI_DATATYPE_NULL) PMPI_Type_free(&moved);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): MPI_BOTTOM's addresses are numbers
  user_ = reinterpret_cast<std::byte*>(kShift);
  return code;
}

int Staging::pack(MPI_Count first_block, MPI_Count block_count, Bytes block) {
  if (block == Bytes(0)) return MPI_SUCCESS;
  const Timed timed(Part::kCopies);
  const std::int64_t element = block.value / count_;
  const MPI_Datatype packing = shifted_ == MPI_DATATYPE_NULL ? type : shifted_;
  return in_steps(count_ * block_count, element, [&](MPI_Count at, int now) {
    const std::byte* from = user_ + (first_block * count_ + at) * extent_;
    std::byte* into = packed_.data() + first_block * block.value + at * element;
    if (is_beyond_packing(element)) {
      const CountedBytes packed(Bytes(element), MPI_PACKED);
      return move_to_self(from, now, packing, into, packed.count(), packed.type());
    }
    int position = 0;
    return PMPI_Pack(from, now, packing, into, static_cast<int>(now * element), &position,
                     engine().transport_comm);
  });
}

int Staging::unpack(Bytes block) {
  const Timed timed(Part::kCopies);
  const std::int64_t element = block.value / count_;
  const MPI_Datatype packing = shifted_ == MPI_DATATYPE_NULL ? type : shifted_;
  return in_steps(count_ * blocks_, element, [&](MPI_Count at, int now) {
    if (is_beyond_packing(element)) {
      const CountedBytes packed(Bytes(element), MPI_PACKED);
      return move_to_self(packed_.data() + at * element, packed.count(), packed.type(), user_ + at * extent_,
                          now, packing);
    }
    int position = 0;
    return PMPI_Unpack(packed_.data() + at * element, static_cast<int>(now * element), &position,
                       user_ + at * extent_, now, packing, engine().transport_comm);
  });
}

void Staging::forget() {
  if (shifted_ != MPI_DATATYPE_NULL) PMPI_Type_free(&shifted_);
  type = MPI_DATATYPE_NULL;
  delivers_ = false;
}

}  // namespace weft::mpi
