// SPDX-License-Identifier: BSD-3-Clause
#include "decoder.hpp"

#include <bzlib.h>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <unistd.h>
#include <vector>
#include <zstd.h>

#include "format.hpp"
#include "verdict.hpp"
#include "zstd_frames.hpp"

namespace compress {
namespace {

using app::BadInput;

constexpr std::size_t kBufferBytes = 1 << 18;

/// Takes compressed bytes; knows whether it stands between two streams or frames.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Moves `in` behind what it took; returns what came out. An empty message means that all is well.
  virtual std::size_t step(std::span<const std::uint8_t>& in, std::span<std::uint8_t> out,
                           std::string& message) = 0;
  bool between_parts = true;
  std::uint64_t parts = 0;
};

class Bzip2Engine : public Engine {
 public:
  ~Bzip2Engine() override {
    if (!between_parts) BZ2_bzDecompressEnd(&stream_);
  }

  std::size_t step(std::span<const std::uint8_t>& in, std::span<std::uint8_t> out,
                   std::string& message) override {
    if (between_parts) {
      if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
      between_parts = false;
    }
    stream_.next_in = const_cast<char*>(reinterpret_cast<const char*>(in.data()));  // only read from
    stream_.avail_in = static_cast<unsigned>(in.size());
    stream_.next_out = reinterpret_cast<char*>(out.data());
    stream_.avail_out = static_cast<unsigned>(out.size());
    const int code = BZ2_bzDecompress(&stream_);
    in = in.last(stream_.avail_in);
    if (code == BZ_MEM_ERROR) throw std::bad_alloc();
    if (code == BZ_STREAM_END) {
      BZ2_bzDecompressEnd(&stream_);
      between_parts = true;
      ++parts;
    } else if (code == BZ_DATA_ERROR_MAGIC) {
      message = parts == 0 ? "is no bzip2 stream" : "has something else behind the end of the stream";
    } else if (code != BZ_OK) {
      message = "is damaged: a block's structure or CRC is wrong";
    }
    return out.size() - stream_.avail_out;
  }

 private:
  bz_stream stream_{};
};

class ZstdEngine : public Engine {
 public:
  ZstdEngine() { prepare(context_); }

  std::size_t step(std::span<const std::uint8_t>& in, std::span<std::uint8_t> out,
                   std::string& message) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context_.get(), &to, &from);
    in = in.subspan(from.pos);
    if (ZSTD_isError(left) != 0) {
      message = fmt::format("is damaged: {}", ZSTD_getErrorName(left));
      if (between_parts && parts > 0) message = "has something else behind the last frame";
      return 0;
    }
    between_parts = left == 0;
    if (between_parts) ++parts;
    return to.pos;
  }

 private:
  FrameContext context_;
};

std::unique_ptr<Engine> engine_for(Format format) {
  if (format == Format::kBzip2) return std::make_unique<Bzip2Engine>();
  return std::make_unique<ZstdEngine>();
}

std::size_t fill(int file, std::span<std::uint8_t> buffer, const std::string& name, std::uint64_t position) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t count = ::read(file, buffer.data() + filled, buffer.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw BadInput(fmt::format("{}: cannot be read at byte {}: {}", name, position, std::strerror(errno)));
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

}  // namespace

Format format_of(std::span<const std::uint8_t> begin, const std::string& name) {
  if (begin.empty()) throw BadInput(fmt::format("{}: is empty: no archive", name));
  if (begin.size() >= 3 && std::memcmp(begin.data(), "BZh", 3) == 0) return Format::kBzip2;
  if (begin.size() >= 4 && std::memcmp(begin.data(), "\x28\xb5\x2f\xfd", 4) == 0) return Format::kZstd;
  if (is_skippable_frame(begin)) return Format::kZstd;
  throw BadInput(fmt::format("{}: is neither bzip2 nor zstd, by its first bytes", name));
}

Decoded decode(int file, const std::string& name, const Sink& sink,
               const std::function<void(std::uint64_t)>& progress) {
  std::vector<std::uint8_t> in_buffer(kBufferBytes);
  std::vector<std::uint8_t> out_buffer(kBufferBytes);
  Decoded decoded;
  std::unique_ptr<Engine> engine;
  while (true) {
    const std::size_t filled = fill(file, in_buffer, name, decoded.bytes_in);
    std::span<const std::uint8_t> in = std::span(in_buffer).first(filled);
    if (!engine) {
      decoded.format = format_of(in, name);
      engine = engine_for(decoded.format);
    }
    std::size_t came_out = 0;
    while (!in.empty() || came_out == kBufferBytes) {
      if (in.empty() && engine->between_parts) break;
      std::string message;
      const std::size_t before = in.size();
      came_out = engine->step(in, out_buffer, message);
      decoded.bytes_in += before - in.size();
      decoded.plain_bytes += came_out;
      if (!message.empty())
        throw BadInput(fmt::format("{}: {}, found at byte {}, after {} plain bytes", name, message,
                                   decoded.bytes_in, decoded.plain_bytes));
      sink(std::span(out_buffer).first(came_out));
    }
    progress(filled);
    if (filled < kBufferBytes) break;
  }
  if (!engine->between_parts)
    throw BadInput(fmt::format(
        "{}: is cut off: it ends at byte {} in the middle of a {}, after {} plain bytes", name,
        decoded.bytes_in, decoded.format == Format::kZstd ? "frame" : "stream", decoded.plain_bytes));
  decoded.parts = engine->parts;
  return decoded;
}

}  // namespace compress
