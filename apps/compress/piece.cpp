// SPDX-License-Identifier: BSD-3-Clause
#include "piece.hpp"

#include "checksum.hpp"
#include "zstd_frames.hpp"

namespace compress {

std::uint64_t longest_piece(Format format, int level, std::uint64_t plain_bytes) {
  if (format == Format::kZstd) return longest_frame(plain_bytes);
  const std::uint64_t blocks = plain_bytes * 5 / 4 / block_capacity(level) + 2;
  return plain_bytes + plain_bytes / 100 + blocks * 601;
}

PieceHead PieceMaker::make(std::span<const std::uint8_t> plain, BitString& piece) {
  piece.clear();
  PieceHead head;
  head.plain_bytes = plain.size();
  if (plain.empty()) return head;
  head.checksum = checksum_of(plain);
  if (format_ == Format::kBzip2) {
    const Blocks blocks = block_maker_.append(plain, piece);
    head.blocks = blocks.count;
    head.combined_crc = blocks.combined_crc;
  } else {
    make_frame(plain, level_, frame_);
    piece.append(frame_, 8 * frame_.size());
    head.blocks = 1;
  }
  head.bits = piece.bits();
  return head;
}

}  // namespace compress
