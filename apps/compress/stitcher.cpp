// SPDX-License-Identifier: BSD-3-Clause
#include "stitcher.hpp"

#include "bzip2_blocks.hpp"
#include "zstd_frames.hpp"

namespace compress {

Stitcher::Stitcher(Format format, int level, OutputFile& output)
    : format_(format), level_(level), output_(output) {
  if (format != Format::kBzip2) return;
  constexpr std::uint64_t kHeader = 'B' << 24 | 'Z' << 16 | 'h' << 8 | '0';
  bits_.append_number(kHeader + static_cast<std::uint64_t>(level), 32);
}

void Stitcher::append(const PieceHead& head, std::span<const std::uint8_t> piece) {
  if (head.plain_bytes == 0) return;
  bits_.append(piece, head.bits);
  combined_crc_ = append_crc(combined_crc_, static_cast<std::uint32_t>(head.combined_crc), head.blocks);
  totals_.plain_bytes += head.plain_bytes;
  totals_.blocks += head.blocks;
  ++totals_.pieces;
  totals_.checksum.add(head.checksum);
  write_whole_bytes();
}

void Stitcher::finish() {
  if (format_ == Format::kBzip2) {
    bits_.append_number(kEndMagic, kMagicBits);
    bits_.append_number(combined_crc_, 32);
  } else if (totals_.pieces == 0) {  // a file of no frames at all is refused by zstd
    std::vector<std::uint8_t> frame;
    make_frame({}, level_, frame);
    bits_.append(frame, 8 * frame.size());
  }
  write_whole_bytes();
  output_.write(bits_.bytes());
}

void Stitcher::write_whole_bytes() {
  output_.write(std::span(bits_.bytes()).first(bits_.bits() / 8));
  bits_.drop_whole_bytes();
}

}  // namespace compress
