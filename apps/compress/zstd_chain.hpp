// SPDX-License-Identifier: BSD-3-Clause
// ZstdChain: frames, one after the other.
//
// A frame says in front of each of its blocks where the next one is, and so how long it is, and mostly in its
// header how much comes out; if not, its blocks are counted. A piece is a frame of which neither is too much
// for a rank. All others, which may be as long as the archive, and what is no frame, rank 0 reads itself
// between the rounds, in constant memory.
#pragma once

#include <zstd_errors.h>

#include "chain.hpp"
#include "zstd_frames.hpp"

namespace compress {

class ZstdChain : public Chain {
 public:
  ZstdChain(Window& window, std::string name);

  bool cut(PieceOrder& order) override;
  Verdict join(const PieceOrder& order, const PieceResult& result, std::vector<std::uint8_t>& own) override;
  bool go_on(const Sink& sink) override;

 private:
  bool skip_unread(std::uint64_t byte);
  void read_frame(const Sink& sink);
  [[noreturn]] void refuse_frame(ZSTD_ErrorCode error, std::uint64_t byte) const;

  FrameContext context_;
  std::uint64_t cut_to_ = 0;    ///< the byte behind the last piece
  std::uint64_t position_ = 0;  ///< the byte behind what is joined
};

}  // namespace compress
