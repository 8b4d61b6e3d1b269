// SPDX-License-Identifier: BSD-3-Clause
#include "npy.hpp"

#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace app {
namespace {

static_assert(std::endian::native == std::endian::little, "the numbers go out as they are in memory");
constexpr std::size_t kPrelude = 10;

/// What stands behind `key` in the dictionary, up to, with, a closing bracket or quote.
std::string_view entry_of(std::string_view text, std::string_view key, char close) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  const auto end = text.find(close, 1);
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end + 1);
}

}  // namespace

std::string npy_header(const std::string& type, const std::vector<std::size_t>& shape) {
  constexpr std::size_t kMultiple = 64;
  std::string sizes;
  for (const std::size_t size : shape) sizes += fmt::format("{}, ", size);
  if (shape.size() > 1) sizes.resize(sizes.size() - 2);
  std::string header = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({}), }}", type, sizes);
  header.append(kMultiple - (kPrelude + header.size() + 1) % kMultiple, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header;
}

std::optional<NpyArray> parse_npy_header(std::string_view beginning) {
  if (beginning.size() < kPrelude || !beginning.starts_with("\x93NUMPY\x01")) return std::nullopt;
  const auto byte = [&](int at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(beginning[at]));
  };
  const std::size_t end = kPrelude + byte(8) + 256 * byte(9);
  if (beginning.size() < end) return std::nullopt;
  const std::string_view text = beginning.substr(kPrelude, end - kPrelude);
  const std::string_view type = entry_of(text, "'descr': ", '\'');
  std::string_view shape = entry_of(text, "'shape': (", ')');
  if (type.size() < 2 || shape.empty() || text.find("'fortran_order': False") == std::string_view::npos)
    return std::nullopt;
  NpyArray array{std::string(type.substr(1, type.size() - 2)), {}, end};
  while (!shape.empty()) {
    std::size_t size = 0;
    const auto [behind, error] = std::from_chars(shape.data(), shape.data() + shape.size(), size);
    if (error == std::errc()) array.shape.push_back(size);
    shape.remove_prefix(error == std::errc() ? behind - shape.data() : 1);
  }
  return array;
}

}  // namespace app
