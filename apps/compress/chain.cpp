// SPDX-License-Identifier: BSD-3-Clause
#include "chain.hpp"

#include <fmt/format.h>

#include "bzip2_chain.hpp"
#include "verdict.hpp"
#include "zstd_chain.hpp"

namespace compress {

std::unique_ptr<Chain> Chain::of(Window& window, const std::string& name, bool wanted) {
  constexpr std::size_t kMagicBytes = 4;
  const Format format = format_of(window.from(0, kMagicBytes), name);
  if (format == Format::kBzip2) return std::make_unique<Bzip2Chain>(window, name, wanted);
  return std::make_unique<ZstdChain>(window, name);
}

void Chain::refuse(const std::string& what, std::uint64_t byte) const {
  throw app::BadInput(
      fmt::format("{}: {}, found at byte {}, after {} plain bytes", name_, what, byte, decoded_.plain_bytes));
}

void Chain::refuse_as_cut_off() const {
  throw app::BadInput(fmt::format(
      "{}: is cut off: it ends at byte {} in the middle of a {}, after {} plain bytes", name_, window_.end(),
      decoded_.format == Format::kZstd ? "frame" : "stream", decoded_.plain_bytes));
}

}  // namespace compress
