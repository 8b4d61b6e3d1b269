// SPDX-License-Identifier: BSD-3-Clause
// Stitcher: rank 0 puts the pieces together, in order, to one valid file.
//
// bzip2: header, the bits of all pieces without a gap, the end magic and all CRCs combined. zstd: the frames.
#pragma once

#include <cstdint>
#include <span>

#include "checksum.hpp"
#include "output_file.hpp"
#include "piece.hpp"

namespace compress {

struct Totals {
  std::uint64_t plain_bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t pieces = 0;
  Checksum checksum;
};

class Stitcher {
 public:
  Stitcher(Format format, int level, OutputFile& output);
  void append(const PieceHead& head, std::span<const std::uint8_t> piece);
  void finish();
  const Totals& totals() const { return totals_; }

 private:
  void write_whole_bytes();

  Format format_;
  int level_;
  OutputFile& output_;
  BitString bits_;
  std::uint32_t combined_crc_ = 0;
  Totals totals_;
};

}  // namespace compress
