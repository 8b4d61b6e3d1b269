// SPDX-License-Identifier: BSD-3-Clause
// bzip2 blocks, made by libbz2 one stream at a time and cut out of it, ready to be spliced into another
// stream.
//
//   libbz2's stream   | BZh9 | magic CRC … block … | end magic, CRC | 0 to 7 zeros |
//   what is kept             |<------------------->|
//
// libbz2 ends a block when its run-length stage has filled it: 100000 x level - 19 bytes, in which runs of 4
// to 255 equal bytes take 5. As long as a part of the input takes no more than that, its stream has exactly
// one block, which begins at bit 32. Where the block ends is found from the stream's end: no magic is
// searched for, so none can be found by chance inside the data. Of the eight places where the end magic can
// be, at most one can have it, because it differs from itself moved by 1 to 7 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bit_string.hpp"
#include "kept_memory.hpp"

namespace compress {

/// Bytes that a block holds behind the run-length stage, of libbz2's BZ2_bzCompressInit.
constexpr std::size_t block_capacity(int level) { return 100'000 * static_cast<std::size_t>(level) - 19; }

/// How many of the first bytes of `plain` are certain to become one block.
std::size_t one_block_of(std::span<const std::uint8_t> plain, std::size_t capacity);

/// The CRCs of several blocks, combined as the end of a stream has them. To append `blocks` blocks whose own
/// combination is `theirs`, one does not need to know them one by one: each only turns what is there by a
/// bit.
constexpr std::uint32_t append_crc(std::uint32_t combined, std::uint32_t theirs, std::uint64_t blocks) {
  const auto turn = static_cast<unsigned>(blocks % 32);
  return (turn == 0 ? combined : combined << turn | combined >> (32 - turn)) ^ theirs;
}

struct Blocks {
  std::uint64_t count = 0;
  std::uint32_t combined_crc = 0;
};

class BlockMaker {
 public:
  explicit BlockMaker(int level) : level_(level) {}
  BlockMaker(const BlockMaker&) = delete;
  BlockMaker& operator=(const BlockMaker&) = delete;

  /// Appends the blocks of `plain` to `bits`.
  Blocks append(std::span<const std::uint8_t> plain, BitString& bits);

 private:
  void make_stream(std::span<const std::uint8_t> part);

  int level_;
  std::vector<std::uint8_t> stream_;
  KeptMemory memory_;
};

}  // namespace compress
