// SPDX-License-Identifier: BSD-3-Clause
#include "piece_decoder.hpp"

#include <algorithm>
#include <new>
#include <zstd_errors.h>

namespace compress {
namespace {

constexpr std::size_t kStreamHeaderBytes = 4;
constexpr std::size_t kLeastRoom = 1 << 18;

/// A libbz2 decompression that ends with the scope.
struct Decompression {
  explicit Decompression(KeptMemory& memory) {
    memory.give_to(stream);
    constexpr int kQuiet = 0;
    constexpr int kFast = 0;
    if (BZ2_bzDecompressInit(&stream, kQuiet, kFast) != BZ_OK) throw std::bad_alloc();
  }
  ~Decompression() { BZ2_bzDecompressEnd(&stream); }
  Decompression(const Decompression&) = delete;
  Decompression& operator=(const Decompression&) = delete;

  /// The code of libbz2.
  int step(std::span<std::uint8_t> out) {
    stream.next_out = reinterpret_cast<char*>(out.data());
    stream.avail_out = static_cast<unsigned>(out.size());
    const int code = BZ2_bzDecompress(&stream);
    if (code == BZ_MEM_ERROR) throw std::bad_alloc();
    return code;
  }

  bz_stream stream{};
};

}  // namespace

/// Where the next plain bytes go: behind those that there are, or over them where nobody wants them.
std::span<std::uint8_t> PieceDecoder::room_behind(std::uint64_t plain_bytes,
                                                  std::vector<std::uint8_t>& plain) {
  const auto kept = static_cast<std::size_t>(wanted_ ? plain_bytes : 0);
  std::vector<std::uint8_t>& to = wanted_ ? plain : unwanted_;
  if (to.size() < kept + kLeastRoom) to.resize(std::max(2 * kept, kept + kLeastRoom));
  return std::span(to).subspan(kept);
}

/// A stream's header, and `bytes` moved so that the order's first bit is the next one.
void PieceDecoder::make_stream(const PieceOrder& order, std::span<const std::uint8_t> bytes) {
  const unsigned shift = order.first_bit % 8;
  stream_.resize(kStreamHeaderBytes + bytes.size());
  stream_[0] = 'B';
  stream_[1] = 'Z';
  stream_[2] = 'h';
  stream_[3] = static_cast<std::uint8_t>('0' + order.level);
  std::uint8_t* to = stream_.data() + kStreamHeaderBytes;
  if (shift == 0) {
    std::copy(bytes.begin(), bytes.end(), to);
    return;
  }
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i)
    to[i] = static_cast<std::uint8_t>(bytes[i] << shift | bytes[i + 1] >> (8 - shift));
  stream_.pop_back();  // of the last byte only some bits are left, which belong to nothing here
}

PieceResult PieceDecoder::decode_block(const PieceOrder& order, std::span<const std::uint8_t> bytes,
                                       std::vector<std::uint8_t>& plain) {
  make_stream(order, bytes);
  Decompression decompression(memory_);
  bz_stream& stream = decompression.stream;
  stream.next_in = reinterpret_cast<char*>(stream_.data());
  stream.avail_in = static_cast<unsigned>(stream_.size());
  PieceResult result;
  int code = decompression.step(room_behind(0, plain).first(0));
  stream.avail_in = 0;  // of the next block nothing may be taken
  const std::size_t taken = stream.total_in_lo32;
  result.bytes = taken - std::min(taken, kStreamHeaderBytes);
  while (code == BZ_OK) {
    const std::span<std::uint8_t> room = room_behind(result.plain_bytes, plain);
    code = decompression.step(room);
    const std::size_t came_out = room.size() - stream.avail_out;
    result.plain_bytes += came_out;
    if (stream.avail_out > 0) break;
  }
  // A block has a byte at least.
  if (code != BZ_OK) result.state = PieceState::kDamaged;
  else result.state = result.plain_bytes > 0 ? PieceState::kSound : PieceState::kUnfinished;
  return result;
}

/// libzstd is given so many bytes at a time; of those at which it stumbles it does not say at which.
PieceResult PieceDecoder::decode_frame(std::span<const std::uint8_t> bytes, std::size_t at_a_time,
                                       std::vector<std::uint8_t>& plain) {
  prepare(context_);
  ZSTD_inBuffer from{bytes.data(), 0, 0};
  PieceResult result;
  while (true) {
    if (from.pos == from.size) from.size = std::min(bytes.size(), from.size + at_a_time);
    const std::span<std::uint8_t> room = room_behind(result.plain_bytes, plain);
    ZSTD_outBuffer to{room.data(), room.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context_.get(), &to, &from);
    result.bytes = from.pos;
    result.plain_bytes += to.pos;
    const bool is_too_much = result.plain_bytes > kMostPlainBytes;
    if (ZSTD_isError(left) != 0 || is_too_much) {
      result.state = PieceState::kDamaged;
      result.error =
          static_cast<std::uint64_t>(is_too_much ? ZSTD_error_corruption_detected : ZSTD_getErrorCode(left));
      return result;
    }
    if (left == 0) {
      result.state = PieceState::kSound;
      return result;
    }
    if (from.pos == bytes.size() && to.pos < to.size) return result;
  }
}

PieceResult PieceDecoder::decode(const PieceOrder& order, std::span<const std::uint8_t> bytes,
                                 std::vector<std::uint8_t>& plain) {
  constexpr std::size_t kToFindWhere = 1 << 12;
  PieceResult result =
      order.level == 0 ? decode_frame(bytes, bytes.size(), plain) : decode_block(order, bytes, plain);
  if (order.level == 0 && result.state == PieceState::kDamaged)
    result = decode_frame(bytes, kToFindWhere, plain);
  plain.resize(static_cast<std::size_t>(wanted_ ? result.plain_bytes : 0));
  return result;
}

}  // namespace compress
