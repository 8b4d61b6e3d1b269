// SPDX-License-Identifier: BSD-3-Clause
// Where cells of different ranks lie in a node's memory.
#include <gtest/gtest.h>

#include "schedule/schedule.hpp"

namespace weft {
namespace {

TEST(NodeCells, lie_apart_where_copies_fetch_ahead) {
  EXPECT_EQ(cell_stride(Bytes(1)), kLineStride);
  EXPECT_EQ(cell_stride(Bytes(2 << 10)), Bytes(2 << 10));
  EXPECT_EQ(cell_stride(Bytes(4 << 10)), Bytes(8 << 10));
  EXPECT_EQ(cell_stride(Bytes(64 << 10)), Bytes(72 << 10));
}

TEST(NodeCells, are_as_large_as_their_stride_allows) {
  for (Bytes stride; stride <= Bytes(64 << 10); stride += Bytes(1)) {
    const Bytes cell = largest_cell(stride);
    ASSERT_LE(cell_stride(cell), stride) << stride.value;
    ASSERT_GT(cell_stride(cell + Bytes(1)), stride) << stride.value;
  }
}

}  // namespace
}  // namespace weft
