// SPDX-License-Identifier: BSD-3-Clause
// Bzip2Chain: streams of blocks, one stream after the other.
//
// A piece is what lies between the magics of two blocks, as they are found at any bit. A magic that is in a
// block by chance makes two pieces of it: the first ends too early, the second is none. So the chain goes by
// what it reads itself, headers, ends and each block's magic and CRC, and by where libbz2 says that a block
// ends; a piece that begins elsewhere is dropped, and one that was cut too short, or for a stream of another
// level, is decoded here once more. Invariant: each block that is taken begins where the one before it ended.
#pragma once

#include <optional>

#include "chain.hpp"
#include "piece_decoder.hpp"

namespace compress {

class Bzip2Chain : public Chain {
 public:
  Bzip2Chain(Window& window, std::string name, bool wanted);

  bool cut(PieceOrder& order) override;
  Verdict join(const PieceOrder& order, const PieceResult& result, std::vector<std::uint8_t>& own) override;
  bool go_on(const Sink& sink) override;

 private:
  std::optional<std::uint64_t> magic_from(std::uint64_t bit);
  std::uint64_t level_before(std::uint64_t bit);
  bool find_block();
  void read_header();
  void read_end();
  void take_block(const PieceResult& result);
  PieceResult decode_here(std::vector<std::uint8_t>& plain);

  PieceDecoder decoder_;
  // cutting
  std::uint64_t searched_ = 0;  ///< no magic that has not been cut at begins before this bit
  std::uint64_t level_ahead_ = 9;
  // joining
  std::uint64_t position_ = 0;  ///< a bit
  bool in_stream_ = false;
  std::uint64_t level_ = 0;
  std::uint32_t combined_crc_ = 0;
};

}  // namespace compress
