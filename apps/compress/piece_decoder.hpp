// SPDX-License-Identifier: BSD-3-Clause
// PieceDecoder: a single block of bzip2, which begins at any bit, or a single frame of zstd, by libbz2 and
// libzstd.
//
// libbz2 decodes streams: it is given a header, and the block moved to the next bit. Where the block ends it
// knows by itself, since it takes no byte before it needs its bits: when it has the whole block and has given
// out none of it, the block ends within the last byte that it took.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoded_piece.hpp"
#include "kept_memory.hpp"
#include "zstd_frames.hpp"

namespace compress {

class PieceDecoder {
 public:
  /// `wanted`: whether somebody wants what comes out, or only whether it does.
  explicit PieceDecoder(bool wanted) : wanted_(wanted) {}
  PieceDecoder(const PieceDecoder&) = delete;
  PieceDecoder& operator=(const PieceDecoder&) = delete;

  /// `bytes`: of the piece, from the byte on that has its first bit. `plain`: what comes out, if wanted.
  PieceResult decode(const PieceOrder& order, std::span<const std::uint8_t> bytes,
                     std::vector<std::uint8_t>& plain);

 private:
  PieceResult decode_block(const PieceOrder& order, std::span<const std::uint8_t> bytes,
                           std::vector<std::uint8_t>& plain);
  PieceResult decode_frame(std::span<const std::uint8_t> bytes, std::size_t at_a_time,
                           std::vector<std::uint8_t>& plain);
  std::span<std::uint8_t> room_behind(std::uint64_t plain_bytes, std::vector<std::uint8_t>& plain);
  void make_stream(const PieceOrder& order, std::span<const std::uint8_t> bytes);

  bool wanted_;
  std::vector<std::uint8_t> stream_, unwanted_;
  KeptMemory memory_;
  FrameContext context_;
};

}  // namespace compress
