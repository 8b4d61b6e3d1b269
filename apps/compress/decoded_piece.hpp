// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 gives a rank to decompress, a block of bzip2 or a frame of zstd, and what the rank says of it.
#pragma once

#include <cstdint>

namespace compress {

/// Sent as bytes: between like machines.
struct PieceOrder {
  std::uint64_t first_bit = 0;  ///< of the archive
  std::uint64_t bytes = 0;      ///< from the byte with that bit on; 0: nothing to do
  std::uint64_t level = 0;      ///< of bzip2, 1 to 9; 0: zstd
  std::uint64_t last = 0;       ///< 1: this round has no pieces, and none comes behind it
};

enum class PieceState : std::uint64_t {
  kSound,
  kDamaged,
  kUnfinished,  ///< what it was given ends before it does
};

/// Sent as bytes.
struct PieceResult {
  PieceState state = PieceState::kUnfinished;
  std::uint64_t bytes = 0;  ///< of the archive that were taken, or after which it was found to be damaged
  std::uint64_t plain_bytes = 0;
  std::uint64_t error = 0;  ///< of zstd, a ZSTD_ErrorCode
};

}  // namespace compress
