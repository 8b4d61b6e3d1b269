// SPDX-License-Identifier: BSD-3-Clause
// Window: the part of an archive that rank 0 has in memory, by the numbers of its bytes.
//
// It is read from the beginning to the end, once: the input may be a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "input.hpp"

namespace compress {

class Window {
 public:
  explicit Window(Input& input) : input_(input) {}
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// What there is from byte `first` on: at least `count` bytes, or all to the end of the input. Valid until
  /// the next call. Throws BadInput.
  std::span<const std::uint8_t> from(std::uint64_t first, std::size_t count);
  /// Nobody asks for what is before this byte any more.
  void drop_before(std::uint64_t byte);
  /// `count` bits, or fewer at the end of the input, moved to the lower end of `value`; returns how many.
  int bits(std::uint64_t first, int count, std::uint64_t& value);

  std::uint64_t end() const { return dropped_ + bytes_.size(); }  ///< of what has been read
  bool input_ended() const { return ended_; }                     ///< and nothing comes behind that

 private:
  void read_to(std::uint64_t byte);

  Input& input_;
  std::vector<std::uint8_t> bytes_;
  std::uint64_t dropped_ = 0;  ///< bytes of the archive before bytes_
  std::uint64_t wanted_ = 0;   ///< the first byte that somebody may still ask for
  bool ended_ = false;
};

}  // namespace compress
