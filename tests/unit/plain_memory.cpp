// SPDX-License-Identifier: BSD-3-Clause
#include "base/plain_memory.hpp"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(PlainMemory, has_none_before_somebody_asks) {
  PlainMemory memory;
  EXPECT_EQ(memory.get(0), nullptr);
  EXPECT_EQ(memory.bytes(), 0u);
}

TEST(PlainMemory, is_kept_for_less_and_replaced_for_more) {
  PlainMemory memory;
  std::byte* const first = memory.get(1000);
  EXPECT_GE(memory.bytes(), 1000u);
  EXPECT_EQ(memory.get(10), first);
  EXPECT_EQ(memory.data(), first);
  memory.get(memory.bytes() + 1);
  EXPECT_GT(memory.bytes(), 1000u);
  memory.give_back();
  EXPECT_EQ(memory.data(), nullptr);
  EXPECT_EQ(memory.bytes(), 0u);
}

TEST(PlainMemory, begins_on_a_cache_line_and_can_be_written_to_its_end) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{65}, std::size_t{1} << 20, (std::size_t{8} << 20) + 3}) {
    PlainMemory memory;
    std::byte* const begin = memory.get(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(begin) % PlainMemory::kAlignment, 0u);
    std::memset(begin, 0x5a, memory.bytes());
    EXPECT_EQ(begin[bytes - 1], std::byte{0x5a});
  }
}

}  // namespace
}  // namespace weft
