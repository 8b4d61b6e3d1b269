// SPDX-License-Identifier: BSD-3-Clause
#include "zstd_chain.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace compress {
namespace {

constexpr std::size_t kReadBytes = 1 << 18;
constexpr std::size_t kMostFrameBytes = kMostPlainBytes + (1 << 20);

/// Of a frame that a rank can be given. Looks at more and more of the archive, as long as that may help.
std::optional<std::size_t> frame_bytes(Window& window, std::uint64_t first) {
  for (std::size_t count = kReadBytes;; count *= 4) {
    const std::span<const std::uint8_t> there = window.from(first, std::min(count, kMostFrameBytes));
    if (there.empty() || is_skippable_frame(there)) return std::nullopt;
    const std::size_t bytes = ZSTD_findFrameCompressedSize(there.data(), there.size());
    if (ZSTD_isError(bytes) == 0) {
      const bool is_too_much = most_plain_bytes(there.first(bytes)) > kMostPlainBytes;
      return is_too_much ? std::nullopt : std::optional(bytes);
    }
    const bool may_be_longer = ZSTD_getErrorCode(bytes) == ZSTD_error_srcSize_wrong;
    if (!may_be_longer || window.input_ended() || count >= kMostFrameBytes) return std::nullopt;
  }
}

}  // namespace

ZstdChain::ZstdChain(Window& window, std::string name) : Chain(window, std::move(name)) {
  decoded_.format = Format::kZstd;
}

/// pzstd puts a skippable frame in front of each of its frames.
bool ZstdChain::skip_unread(std::uint64_t byte) {
  constexpr std::size_t kHeaderBytes = 8;
  const std::span<const std::uint8_t> there = window_.from(byte, kHeaderBytes);
  if (there.size() < kHeaderBytes || !is_skippable_frame(there)) return false;
  const std::uint64_t content = there[4] | there[5] << 8 | there[6] << 16 | std::uint64_t{there[7]} << 24;
  if (content > kReadBytes || window_.from(byte, kHeaderBytes + content).size() < kHeaderBytes + content)
    return false;
  cut_to_ = byte + kHeaderBytes + content;
  return true;
}

bool ZstdChain::cut(PieceOrder& order) {
  const std::uint64_t begin = cut_to_;
  while (skip_unread(cut_to_))
    if (cut_to_ - begin > kReadBytes) return false;  // go_on() lets the window follow
  const auto bytes = frame_bytes(window_, cut_to_);
  if (!bytes) return false;
  order = {.first_bit = 8 * cut_to_, .bytes = *bytes};
  cut_to_ += *bytes;
  return true;
}

Chain::Verdict ZstdChain::join(const PieceOrder& order, const PieceResult& result,
                               std::vector<std::uint8_t>&) {
  const std::uint64_t first = order.first_bit / 8;
  if (result.state == PieceState::kDamaged)
    refuse_frame(static_cast<ZSTD_ErrorCode>(result.error), first + result.bytes);
  if (result.state == PieceState::kUnfinished || result.bytes != order.bytes)
    refuse_frame(ZSTD_error_corruption_detected, first + result.bytes);
  decoded_.plain_bytes += result.plain_bytes;
  ++decoded_.parts;
  position_ = first + order.bytes;
  move_to_byte(position_);
  return Verdict::kTaken;
}

void ZstdChain::refuse_frame(ZSTD_ErrorCode error, std::uint64_t byte) const {
  if (error == ZSTD_error_prefix_unknown && decoded_.parts > 0)
    refuse("has something else behind the last frame", byte);
  refuse(fmt::format("is damaged: {}", ZSTD_getErrorString(error)), byte);
}

void ZstdChain::read_frame(const Sink& sink) {
  prepare(context_);
  std::vector<std::uint8_t> plain(kReadBytes);
  const bool counts = !is_skippable_frame(window_.from(position_, 4));
  while (true) {
    const std::span<const std::uint8_t> there = window_.from(position_, kReadBytes);
    ZSTD_inBuffer from{there.data(), std::min(there.size(), kReadBytes), 0};
    ZSTD_outBuffer to{plain.data(), plain.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context_.get(), &to, &from);
    position_ += from.pos;
    if (ZSTD_isError(left) != 0) refuse_frame(ZSTD_getErrorCode(left), position_);
    decoded_.plain_bytes += to.pos;
    sink(std::span(plain).first(to.pos));
    move_to_byte(position_);
    if (left == 0) break;
    if (from.size == from.pos && to.pos < to.size && window_.from(position_, 1).empty()) refuse_as_cut_off();
  }
  if (counts) ++decoded_.parts;
}

bool ZstdChain::go_on(const Sink& sink) {
  position_ = cut_to_;
  move_to_byte(position_);
  if (window_.from(position_, 1).empty()) return false;
  read_frame(sink);
  cut_to_ = position_;
  return true;
}

}  // namespace compress
