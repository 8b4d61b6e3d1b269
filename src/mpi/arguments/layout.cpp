// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/arguments/layout.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/arguments/type_contents.hpp"

namespace weft::mpi {
namespace {

// The layout of `count` such parts, each `distance` bytes behind the one before.
Layout repeated(const Layout& part, std::int64_t count, std::int64_t distance) {
  if (!part.is_known() || count <= 0) return {};
  if (count == 1) return part;
  if (part.blocks > 1)
    return distance == part.stride * part.blocks
               ? Layout{part.at, part.block, part.stride, part.blocks * count}
               : Layout{};
  if (distance == part.block) return {part.at, part.block * count, 0, 1};
  return {part.at, part.block, distance, count};
}

Layout moved(Layout layout, std::int64_t by) {
  layout.at += by;
  return layout;
}

std::int64_t extent_of(MPI_Datatype type) {
  MPI_Count lower = 0, extent = 0;
  PMPI_Type_get_extent_x(type, &lower, &extent);
  return extent;
}

// Predefined pairs may have padding within.
Layout layout_of_predefined(MPI_Datatype type) {
  MPI_Count size = 0, lower = 0, length = 0;
  PMPI_Type_size_x(type, &size);
  PMPI_Type_get_true_extent_x(type, &lower, &length);
  return size > 0 && size == length ? Layout{lower, size, 0, 1} : Layout{};
}

Layout layout_of_vector(const TypeContents& of, std::int64_t extent, std::int64_t stride_bytes) {
  return repeated(repeated(layout_of(of.types[0]), of.numbers[1], extent), of.numbers[0], stride_bytes);
}

// A structure whose parts lie right behind one another, without padding, is one run of blocks.
Layout layout_of_struct(const TypeContents& of) {
  Layout all;
  for (std::size_t part = 0; part < of.types.size(); ++part) {
    const Layout next =
        moved(repeated(layout_of(of.types[part]), of.numbers[part + 1], extent_of(of.types[part])),
              of.addresses[part]);
    const bool is_behind = all.blocks == 1 && next.at == all.at + all.block;
    if (next.blocks != 1 || (part > 0 && !is_behind)) return {};
    all = part == 0 ? next : Layout{all.at, all.block + next.block, 0, 1};
  }
  return all;
}

// `of.numbers` holds the number of dimensions, then the sizes, the sub-sizes and the starts of all, then the
// order.
Layout layout_of_subarray(const TypeContents& of) {
  const auto dimensions = static_cast<std::size_t>(of.numbers[0]);
  const bool last_is_fastest = of.numbers[1 + 3 * dimensions] == MPI_ORDER_C;
  std::int64_t distance = extent_of(of.types[0]), start = 0;
  Layout all = layout_of(of.types[0]);
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t d = 1 + (last_is_fastest ? dimensions - 1 - i : i);
    all = repeated(all, of.numbers[d + dimensions], distance);
    start += distance * of.numbers[d + 2 * dimensions];
    distance *= of.numbers[d];
  }
  return moved(all, start);
}

// Copies blocks, of `kBlock` bytes each where that is not 0: a length that is known when this is compiled
// copies faster.
template <std::int64_t kBlock>
void copy_blocks(std::byte* into, std::int64_t into_stride, const std::byte* from, std::int64_t from_stride,
                 std::int64_t block, std::int64_t blocks) {
  for (std::int64_t i = 0; i < blocks; ++i, into += into_stride, from += from_stride)
    std::memcpy(into, from, static_cast<std::size_t>(kBlock > 0 ? kBlock : block));
}

void copy(std::byte* into, std::int64_t into_stride, const std::byte* from, std::int64_t from_stride,
          std::int64_t block, std::int64_t blocks) {
  const auto copy_of = [&] {
    switch (block) {
      case 4: return copy_blocks<4>;
      case 8: return copy_blocks<8>;
      case 16: return copy_blocks<16>;
      case 24: return copy_blocks<24>;
      case 32: return copy_blocks<32>;
      case 64: return copy_blocks<64>;
      default: return copy_blocks<0>;
    }
  }();
  copy_of(into, into_stride, from, from_stride, block, blocks);
}

// Bytes of packed form, cut where a block ends: copy_blocks(in memory, in packed form, of one block, blocks).
template <class CopyBlocks>
void for_blocks(const Layout& run, std::int64_t at, std::int64_t bytes, CopyBlocks copy_blocks) {
  std::int64_t block = at / run.block;
  const std::int64_t into_block = at % run.block, end = at + bytes;
  if (into_block != 0) {
    const std::int64_t rest = std::min(run.block - into_block, bytes);
    copy_blocks(run.at + block * run.stride + into_block, at, rest, 1);
    at += rest;
    ++block;
  }
  const std::int64_t whole = (end - at) / run.block;
  if (whole > 0) copy_blocks(run.at + block * run.stride, at, run.block, whole);
  at += whole * run.block;
  if (at < end) copy_blocks(run.at + (block + whole) * run.stride, at, end - at, 1);
}

// As for_blocks(), for many elements: all of them together where they are one run of blocks, else one by one.
template <class CopyBlocks>
void for_elements(const Layout& layout, std::int64_t extent, std::int64_t count, std::int64_t at,
                  std::int64_t bytes, CopyBlocks copy_blocks) {
  const Layout all = repeated(layout, count, extent);
  if (all.is_known())
    return for_blocks(all, at, bytes, [&](auto where, auto packed_at, auto size, auto blocks) {
      copy_blocks(where, all.stride, packed_at, size, blocks);
    });
  const std::int64_t each = layout.block * layout.blocks, end = at + bytes;
  for (std::int64_t i = at / each; at < end; ++i) {
    const std::int64_t begin = i * each, now = std::min(begin + each, end) - at;
    for_blocks(layout, at - begin, now, [&](auto where, auto packed_at, auto size, auto blocks) {
      copy_blocks(i * extent + where, layout.stride, begin + packed_at, size, blocks);
    });
    at += now;
  }
}

}  // namespace

Layout layout_of(MPI_Datatype type) {
  const TypeContents of(type);
  switch (of.combiner) {
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER: return layout_of_predefined(type);
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED: return layout_of(of.types[0]);
    case MPI_COMBINER_CONTIGUOUS:
      return repeated(layout_of(of.types[0]), of.numbers[0], extent_of(of.types[0]));
    case MPI_COMBINER_VECTOR: {
      const std::int64_t extent = extent_of(of.types[0]);
      return layout_of_vector(of, extent, of.numbers[2] * extent);
    }
    case MPI_COMBINER_HVECTOR: return layout_of_vector(of, extent_of(of.types[0]), of.addresses[0]);
    case MPI_COMBINER_STRUCT: return layout_of_struct(of);
    case MPI_COMBINER_SUBARRAY: return layout_of_subarray(of);
    default: return {};
  }
}

void pack(const Layout& layout, std::int64_t extent, const std::byte* elements, std::int64_t count,
          std::int64_t at, std::int64_t bytes, std::byte* packed) {
  for_elements(layout, extent, count, at, bytes,
               [&](auto where, auto stride, auto packed_at, auto block, auto blocks) {
                 copy(packed + (packed_at - at), block, elements + where, stride, block, blocks);
               });
}

void unpack(const Layout& layout, std::int64_t extent, const std::byte* packed, std::int64_t count,
            std::int64_t at, std::int64_t bytes, std::byte* elements) {
  for_elements(layout, extent, count, at, bytes,
               [&](auto where, auto stride, auto packed_at, auto block, auto blocks) {
                 copy(elements + where, stride, packed + (packed_at - at), block, block, blocks);
               });
}

}  // namespace weft::mpi
