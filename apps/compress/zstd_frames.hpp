// SPDX-License-Identifier: BSD-3-Clause
// zstd frames: each stands alone, with its length and a checksum, and a file is any number of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>
#include <zstd.h>

namespace compress {

/// What decodes frames, one at a time; kept, since it is large.
struct ReleaseFrameContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
using FrameContext = std::unique_ptr<ZSTD_DCtx, ReleaseFrameContext>;

/// Makes one where there is none, and makes it ready for the next frame.
void prepare(FrameContext& context);

std::uint64_t longest_frame(std::uint64_t plain_bytes);

/// One that decoders pass over, by the first bytes.
bool is_skippable_frame(std::span<const std::uint8_t> begin);

/// More does not come out of a frame that a rank is given; one from which it does says a wrong length.
/// `--block` can be so much.
inline constexpr std::uint64_t kMostPlainBytes = 64 << 20;

/// How much may come out of a whole and well-formed frame: its length, if it says one, else what its blocks
/// hold at most.
std::uint64_t most_plain_bytes(std::span<const std::uint8_t> frame);

void make_frame(std::span<const std::uint8_t> plain, int level, std::vector<std::uint8_t>& frame);

}  // namespace compress
