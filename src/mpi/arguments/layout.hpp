// SPDX-License-Identifier: BSD-3-Clause
// Layout: where an element of a datatype lies in memory, if that is as simple as in most programs: blocks of
// one length at one distance from each other, in this order. Such elements are copied without asking the
// host, whose packing may take several times as long as a loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mpi.h>

namespace weft::mpi {

struct Layout {
  std::int64_t at = 0;      // bytes from the element's address to the first block
  std::int64_t block = 0;   // bytes
  std::int64_t stride = 0;  // bytes from one block to the next
  std::int64_t blocks = 0;  // 0: the layout is not as simple as that, or nothing is known of it

  bool is_known() const { return blocks > 0; }
};

// The layout of a datatype, from how it was made (MPI-4.0, section 5.1.13). Requires type !=
// MPI_DATATYPE_NULL.
Layout layout_of(MPI_Datatype type);

// Copies a part of the packed form of `count` elements, which lie `extent` bytes apart in memory: its `bytes`
// bytes from `at` on. Requires a known layout.
void pack(const Layout& layout, std::int64_t extent, const std::byte* elements, std::int64_t count,
          std::int64_t at, std::int64_t bytes, std::byte* packed);
void unpack(const Layout& layout, std::int64_t extent, const std::byte* packed, std::int64_t count,
            std::int64_t at, std::int64_t bytes, std::byte* elements);

}  // namespace weft::mpi
