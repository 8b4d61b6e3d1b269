// SPDX-License-Identifier: BSD-3-Clause
#include "zstd_frames.hpp"

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

std::uint64_t longest_frame(std::uint64_t plain_bytes) {
  return ZSTD_compressBound(plain_bytes) + 4;  // the checksum
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
