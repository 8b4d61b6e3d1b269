// SPDX-License-Identifier: BSD-3-Clause
#include "zstd_frames.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <zstd.h>

namespace compress {
namespace {

struct Release {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

ZSTD_CCtx* context() {
  static const std::unique_ptr<ZSTD_CCtx, Release> only(ZSTD_createCCtx());
  if (!only) throw std::bad_alloc();
  return only.get();
}

}  // namespace

void prepare(FrameContext& context) {
  if (!context) context.reset(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_only);
}

std::uint64_t longest_frame(std::uint64_t plain_bytes) {
  return ZSTD_compressBound(plain_bytes) + 4;  // the checksum
}

bool is_skippable_frame(std::span<const std::uint8_t> begin) {
  constexpr std::array<std::uint8_t, 3> kRest{0x2a, 0x4d, 0x18};  // behind a byte from 0x50 to 0x5f
  return begin.size() > kRest.size() && (begin[0] & 0xf0) == 0x50 &&
         std::equal(kRest.begin(), kRest.end(), begin.begin() + 1);
}

std::uint64_t most_plain_bytes(std::span<const std::uint8_t> frame) {
  const unsigned long long said = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (said != ZSTD_CONTENTSIZE_UNKNOWN && said != ZSTD_CONTENTSIZE_ERROR) return said;
  // RFC 8878, section 3.1.1: magic, descriptor, window unless the frame is one segment, dictionary, length.
  constexpr std::array<std::size_t, 4> kDictionaryBytes{0, 1, 2, 4};
  constexpr std::array<std::size_t, 4> kLengthBytes{0, 2, 4, 8};
  const std::uint8_t descriptor = frame[4];
  const bool is_one_segment = (descriptor & 0x20) != 0;
  std::size_t at =
      5 + (is_one_segment ? 0 : 1) + kDictionaryBytes[descriptor & 3] + kLengthBytes[descriptor >> 6];
  constexpr std::size_t kBlockHeaderBytes = 3;
  std::uint64_t blocks = 0;
  for (bool is_last = false; !is_last && at + kBlockHeaderBytes <= frame.size(); ++blocks) {
    const std::size_t header = frame[at] | frame[at + 1] << 8 | frame[at + 2] << 16;
    const bool is_one_byte_repeated = (header >> 1 & 3) == 1;
    is_last = (header & 1) != 0;
    at += kBlockHeaderBytes + (is_one_byte_repeated ? 1 : header >> 3);
  }
  return blocks * ZSTD_BLOCKSIZE_MAX;
}

void make_frame(std::span<const std::uint8_t> plain, int level, std::vector<std::uint8_t>& frame) {
  ZSTD_CCtx_setParameter(context(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context(), ZSTD_c_checksumFlag, 1);
  frame.resize(longest_frame(plain.size()));
  const std::size_t length =
      ZSTD_compress2(context(), frame.data(), frame.size(), plain.data(), plain.size());
  if (ZSTD_isError(length) != 0)
    throw std::logic_error(std::string("libzstd could not compress: ") + ZSTD_getErrorName(length));
  frame.resize(length);
}

}  // namespace compress
