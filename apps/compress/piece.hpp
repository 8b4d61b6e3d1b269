// SPDX-License-Identifier: BSD-3-Clause
// Piece: what one rank makes of its part of the input in one round, and the head that goes ahead of it to
// rank 0.
//
// The head says how long the piece is, so that rank 0 can gather the pieces themselves, and what is needed to
// put them together without looking into them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bit_string.hpp"
#include "bzip2_blocks.hpp"
#include "format.hpp"

namespace compress {

/// Sent as bytes: between like machines.
struct PieceHead {
  std::uint64_t bits = 0;         ///< of the piece; zstd: 8 x its bytes
  std::uint64_t plain_bytes = 0;  ///< that it was made of
  std::uint64_t blocks = 0;       ///< of bzip2; frames of zstd
  std::uint64_t combined_crc = 0;
  std::uint64_t checksum = 0;  ///< of the plain bytes
  std::uint64_t failed = 0;    ///< 1: this rank could not read its part, and all shall end

  std::uint64_t bytes() const { return (bits + 7) / 8; }
};

/// The most bytes that a piece of so many plain bytes can have.
std::uint64_t longest_piece(Format format, int level, std::uint64_t plain_bytes);

class PieceMaker {
 public:
  PieceMaker(Format format, int level) : format_(format), level_(level), block_maker_(level) {}
  /// Leaves the piece in `piece`.
  PieceHead make(std::span<const std::uint8_t> plain, BitString& piece);

 private:
  Format format_;
  int level_;
  BlockMaker block_maker_;
  std::vector<std::uint8_t> frame_;  // kept, so that memory is asked for once
};

}  // namespace compress
