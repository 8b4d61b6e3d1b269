// SPDX-License-Identifier: BSD-3-Clause
#include "bzip2_blocks.hpp"

#include <algorithm>
#include <bzlib.h>
#include <new>
#include <stdexcept>
#include <string>

#include "format.hpp"

namespace compress {
namespace {

constexpr int kHeaderBits = 32;
constexpr int kCrcBits = 32;
constexpr std::size_t kLongestRun = 255;

/// The end magic cannot be at two of the places that differ by `shift` bits.
constexpr bool differs_from_itself(int shift) {
  const std::uint64_t overlap = (std::uint64_t{1} << (kMagicBits - shift)) - 1;
  return (kEndMagic >> shift) != (kEndMagic & overlap);
}
static_assert(differs_from_itself(1) && differs_from_itself(2) && differs_from_itself(3) &&
              differs_from_itself(4) && differs_from_itself(5) && differs_from_itself(6) &&
              differs_from_itself(7));

/// Where the end magic is.
std::uint64_t end_of_block(std::span<const std::uint8_t> stream, std::uint32_t crc) {
  const std::uint64_t bits = 8 * static_cast<std::uint64_t>(stream.size());
  for (int zeros = 0; zeros < 8; ++zeros) {
    const std::uint64_t end = bits - static_cast<std::uint64_t>(zeros) - kCrcBits - kMagicBits;
    if (bits_at(stream, end, kMagicBits) != kEndMagic) continue;
    // The combination of one CRC is that CRC; a stream of two blocks would hardly pass.
    if (bits_at(stream, end + kMagicBits, kCrcBits) == crc && bits_at(stream, bits - zeros, zeros) == 0)
      return end;
  }
  throw std::logic_error("libbz2 made more than one block where one was expected");
}

}  // namespace

std::size_t one_block_of(std::span<const std::uint8_t> plain, std::size_t capacity) {
  std::size_t taken = 0;
  std::size_t filled = 0;
  while (taken < plain.size()) {
    const std::size_t longest = std::min(kLongestRun, plain.size() - taken);
    std::size_t run = 1;
    while (run < longest && plain[taken + run] == plain[taken]) ++run;
    const std::size_t takes = run < 4 ? run : 5;
    if (filled + takes > capacity) break;
    filled += takes;
    taken += run;
  }
  return taken;
}

/// The stream of a part that is one block.
void BlockMaker::make_stream(std::span<const std::uint8_t> part) {
  stream_.resize(part.size() + part.size() / 100 + 600);  // what libbz2's manual asks for
  bz_stream state{};
  memory_.give_to(state);
  constexpr int kQuiet = 0;
  constexpr int kUsualWorkFactor = 0;
  if (BZ2_bzCompressInit(&state, level_, kQuiet, kUsualWorkFactor) != BZ_OK) throw std::bad_alloc();
  state.next_in = const_cast<char*>(reinterpret_cast<const char*>(part.data()));  // only read from
  state.avail_in = static_cast<unsigned>(part.size());
  state.next_out = reinterpret_cast<char*>(stream_.data());
  state.avail_out = static_cast<unsigned>(stream_.size());
  const int code = BZ2_bzCompress(&state, BZ_FINISH);
  BZ2_bzCompressEnd(&state);
  if (code != BZ_STREAM_END)
    throw std::logic_error("libbz2 could not compress, code " + std::to_string(code));
  stream_.resize(stream_.size() - state.avail_out);
}

Blocks BlockMaker::append(std::span<const std::uint8_t> plain, BitString& bits) {
  Blocks blocks;
  while (!plain.empty()) {
    const std::size_t length = one_block_of(plain, block_capacity(level_));
    make_stream(plain.first(length));
    if (bits_at(stream_, kHeaderBits, kMagicBits) != kBlockMagic)
      throw std::logic_error("libbz2's stream does not begin with a block");
    const auto crc = static_cast<std::uint32_t>(bits_at(stream_, kHeaderBits + kMagicBits, kCrcBits));
    const std::uint64_t end = end_of_block(stream_, crc);
    bits.append(std::span(stream_).subspan(kHeaderBits / 8), end - kHeaderBits);
    blocks.combined_crc = append_crc(blocks.combined_crc, crc, 1);
    ++blocks.count;
    plain = plain.subspan(length);
  }
  return blocks;
}

}  // namespace compress
