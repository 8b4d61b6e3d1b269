// SPDX-License-Identifier: BSD-3-Clause
#include "bzip2_chain.hpp"

#include <algorithm>
#include <string_view>

#include "bit_string.hpp"
#include "bzip2_blocks.hpp"
#include "magic_search.hpp"

namespace compress {
namespace {

constexpr int kBlockCrcBits = 32;
constexpr std::size_t kMagicBytes = kMagicBits / 8;
constexpr std::string_view kHeader = "BZh";
// A block has at most 900000 symbols of 20 bits, a selector of 6 bits for each 50 of them, and its tables.
constexpr std::uint64_t kLongestBlockBytes = 2'500'000;
constexpr std::size_t kSearchBytes = 1 << 16;

/// Two magics cannot stand at two places that differ by `shift` bits.
constexpr bool exclude_each_other(std::uint64_t first, std::uint64_t second, int shift) {
  const std::uint64_t overlap = (std::uint64_t{1} << (kMagicBits - shift)) - 1;
  return (second >> shift) != (first & overlap);
}
constexpr bool magics_exclude_each_other() {
  for (const std::uint64_t first : {kBlockMagic, kEndMagic})
    for (const std::uint64_t second : {kBlockMagic, kEndMagic})
      for (int shift = 1; shift < 8; ++shift)
        if (!exclude_each_other(first, second, shift)) return false;
  return true;
}
static_assert(magics_exclude_each_other(), "within 8 bits there is one place at most where a block can end");

const char* const kDamaged = "is damaged: a block's structure or CRC is wrong";

}  // namespace

Bzip2Chain::Bzip2Chain(Window& window, std::string name, bool wanted)
    : Chain(window, std::move(name)), decoder_(wanted) {
  decoded_.format = Format::kBzip2;
}

// --- cutting

/// Looks at so much that a block, if there is one, begins in it.
std::optional<std::uint64_t> Bzip2Chain::magic_from(std::uint64_t bit) {
  const std::uint64_t limit = bit / 8 + kLongestBlockBytes;
  for (std::uint64_t byte = bit / 8; byte < limit; byte += kSearchBytes) {
    std::span<const std::uint8_t> bytes = window_.from(byte, kSearchBytes + kMagicBytes);
    bytes = bytes.first(std::min(bytes.size(), kSearchBytes + kMagicBytes));
    const auto found = find_block_magic(bytes, bit > 8 * byte ? bit - 8 * byte : 0);
    if (found) return 8 * byte + *found;
    if (bytes.size() < kSearchBytes + kMagicBytes) break;
  }
  return std::nullopt;
}

/// That of the stream whose first block this is, by its header; else that of the block before.
std::uint64_t Bzip2Chain::level_before(std::uint64_t bit) {
  constexpr std::uint64_t kHeaderBits = 32;
  std::uint64_t header = 0;
  if (bit < decoded_.bytes_in * 8 + kHeaderBits || bit % 8 != 0) return level_ahead_;
  window_.bits(bit - kHeaderBits, kHeaderBits, header);
  const std::uint64_t level = (header & 0xff) - '0';
  const bool is_header = header >> 8 == ('B' << 16 | 'Z' << 8 | 'h') && level >= 1 && level <= 9;
  return is_header ? level : level_ahead_;
}

bool Bzip2Chain::cut(PieceOrder& order) {
  // What began before is joined already, and may have gone from the window.
  searched_ = std::max(searched_, position_);
  const auto first = magic_from(searched_);
  if (!first) return false;
  level_ahead_ = level_before(*first);
  const auto next = magic_from(*first + 1);  // one that is false may reach into a true one
  const std::uint64_t byte = *first / 8;
  const std::uint64_t end = next ? *next / 8 + 2 : byte + kLongestBlockBytes;  // with all bits before it
  order.first_bit = *first;
  order.bytes = std::min<std::uint64_t>(window_.from(byte, end - byte).size(), end - byte);
  order.level = level_ahead_;
  searched_ = next ? *next : std::max(*first + 1, 8 * end);
  return true;
}

// --- joining

void Bzip2Chain::read_header() {
  const std::uint64_t byte = position_ / 8;
  const std::span<const std::uint8_t> there = window_.from(byte, kHeader.size() + 1);
  for (std::size_t i = 0; i < std::min(there.size(), kHeader.size() + 1); ++i) {
    const bool as_expected = i < kHeader.size() ? there[i] == static_cast<std::uint8_t>(kHeader[i])
                                                : there[i] >= '1' && there[i] <= '9';
    if (!as_expected)
      refuse(decoded_.parts == 0 ? "is no bzip2 stream" : "has something else behind the end of the stream",
             byte + i + 1);
  }
  if (there.size() <= kHeader.size()) refuse_as_cut_off();
  level_ = there[kHeader.size()] - std::uint64_t{'0'};
  combined_crc_ = 0;
  in_stream_ = true;
  position_ += 8 * (kHeader.size() + 1);
}

void Bzip2Chain::read_end() {
  std::uint64_t crc = 0;
  if (window_.bits(position_ + kMagicBits, kBlockCrcBits, crc) < kBlockCrcBits) refuse_as_cut_off();
  position_ = (position_ + kMagicBits + kBlockCrcBits + 7) / 8 * 8;
  if (crc != combined_crc_) refuse(kDamaged, position_ / 8);
  in_stream_ = false;
  ++decoded_.parts;
}

/// Goes on to the next block; false at the archive's end.
bool Bzip2Chain::find_block() {
  while (true) {
    move_to_byte(position_ / 8);
    if (!in_stream_) {
      if (window_.from(position_ / 8, 1).empty()) return false;
      read_header();
    }
    std::uint64_t magic = 0;
    const int bits = window_.bits(position_, kMagicBits, magic);
    const bool may_be_block = magic == kBlockMagic >> (kMagicBits - bits);
    const bool may_be_end = magic == kEndMagic >> (kMagicBits - bits);
    if (!may_be_block && !may_be_end) refuse(kDamaged, position_ / 8 + 1);
    if (bits < kMagicBits) refuse_as_cut_off();
    if (may_be_block) return true;
    read_end();
  }
}

PieceResult Bzip2Chain::decode_here(std::vector<std::uint8_t>& plain) {
  const std::span<const std::uint8_t> there = window_.from(position_ / 8, kLongestBlockBytes);
  const PieceOrder order{.first_bit = position_, .bytes = there.size(), .level = level_};
  return decoder_.decode(order, there.first(std::min<std::size_t>(there.size(), kLongestBlockBytes)), plain);
}

void Bzip2Chain::take_block(const PieceResult& result) {
  const std::uint64_t byte = position_ / 8;
  if (result.state == PieceState::kDamaged) refuse(kDamaged, byte + result.bytes);
  if (result.state == PieceState::kUnfinished) {
    if (window_.input_ended()) refuse_as_cut_off();
    refuse(kDamaged, byte + kLongestBlockBytes);  // longer than any block
  }
  std::uint64_t crc = 0;
  window_.bits(position_ + kMagicBits, kBlockCrcBits, crc);
  combined_crc_ = append_crc(combined_crc_, static_cast<std::uint32_t>(crc), 1);
  decoded_.plain_bytes += result.plain_bytes;
  const std::uint64_t end = position_ + 8 * result.bytes;  // or up to seven bits before
  for (position_ = end - 7; position_ <= end; ++position_) {
    std::uint64_t magic = 0;
    if (window_.bits(position_, kMagicBits, magic) < kMagicBits) refuse_as_cut_off();
    if (magic == kBlockMagic || magic == kEndMagic) return;
  }
  refuse(kDamaged, end / 8);
}

Chain::Verdict Bzip2Chain::join(const PieceOrder& order, const PieceResult& result,
                                std::vector<std::uint8_t>& own) {
  if (!find_block() || order.first_bit != position_) return Verdict::kDropped;
  const bool as_asked_for = result.state == PieceState::kSound && order.level == level_;
  if (as_asked_for) {
    take_block(result);
  } else {
    take_block(decode_here(own));
  }
  find_block();
  return as_asked_for ? Verdict::kTaken : Verdict::kReplaced;
}

bool Bzip2Chain::go_on(const Sink& sink) {
  std::vector<std::uint8_t> plain;
  while (find_block()) {
    if (position_ >= searched_) {
      searched_ = position_;
      return true;
    }
    take_block(decode_here(plain));
    sink(plain);
  }
  return false;
}

}  // namespace compress
