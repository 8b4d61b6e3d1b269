// SPDX-License-Identifier: BSD-3-Clause
#include "window.hpp"

#include <algorithm>
#include <stdexcept>

#include "bit_string.hpp"

namespace compress {
namespace {
constexpr std::size_t kAtLeast = 1 << 18;
}

std::span<const std::uint8_t> Window::from(std::uint64_t first, std::size_t count) {
  if (first < wanted_) throw std::logic_error("a part of the archive is asked for that has been dropped");
  read_to(first + count);
  if (first >= end()) return {};
  return std::span(bytes_).subspan(static_cast<std::size_t>(first - dropped_));
}

void Window::drop_before(std::uint64_t byte) {
  wanted_ = std::max(wanted_, std::min(byte, end()));
  const auto unwanted = static_cast<std::size_t>(wanted_ - dropped_);
  if (unwanted < kAtLeast || unwanted < bytes_.size() / 2) return;  // moving the rest takes time, too
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(unwanted));
  dropped_ = wanted_;
}

int Window::bits(std::uint64_t first, int count, std::uint64_t& value) {
  const std::span<const std::uint8_t> there = from(first / 8, (static_cast<std::size_t>(count) + 14) / 8);
  const auto most = static_cast<std::int64_t>(8 * there.size()) - static_cast<std::int64_t>(first % 8);
  count = static_cast<int>(std::clamp<std::int64_t>(most, 0, count));
  value = bits_at(there, first % 8, count);
  return count;
}

void Window::read_to(std::uint64_t byte) {
  while (!ended_ && end() < byte) {
    const std::size_t before = bytes_.size();
    bytes_.resize(before + std::max<std::size_t>(kAtLeast, static_cast<std::size_t>(byte - end())));
    const std::size_t asked = bytes_.size() - before;
    const std::size_t count = input_.read(std::span(bytes_).subspan(before));
    bytes_.resize(before + count);
    ended_ = count < asked;
  }
}

}  // namespace compress
