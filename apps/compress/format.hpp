// SPDX-License-Identifier: BSD-3-Clause
// Format: what the compressed file is, and the magic numbers by which it is known.
//
// bzip2: one stream. "BZh" and a digit; blocks, each of them a 48-bit magic, the CRC-32 of its plain bytes
// and what the block sort and the Huffman coder made; the 48-bit end magic, and all CRCs combined. Blocks
// begin at any bit. zstd: frames, one after the other (RFC 8878, section 3).
#pragma once

#include <cstdint>

namespace compress {

enum class Format { kBzip2, kZstd };

inline const char* name_of(Format format) { return format == Format::kBzip2 ? "bzip2" : "zstd"; }

inline constexpr int kMagicBits = 48;
inline constexpr std::uint64_t kBlockMagic = 0x314159265359;
inline constexpr std::uint64_t kEndMagic = 0x177245385090;

}  // namespace compress
