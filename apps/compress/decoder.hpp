// SPDX-License-Identifier: BSD-3-Clause
// Decoder: reads an archive from its beginning to its end, in constant memory and on one rank alone, by
// libbz2 or libzstd: what checks the results of all ranks.
//
// The libraries check what the formats check: structure, the CRC of each block and of the stream; zstd's
// length and checksum of each frame. Several streams or frames one after the other are one archive; anything
// else behind the last one is refused, and so is an end in the middle.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "format.hpp"

namespace compress {

struct Decoded {
  std::uint64_t bytes_in = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t parts = 0;  ///< streams or frames
  Format format = Format::kBzip2;
};

using Sink = std::function<void(std::span<const std::uint8_t>)>;

/// Throws BadInput that begins with `name` where it is neither.
Format format_of(std::span<const std::uint8_t> begin, const std::string& name);

/// What is in the open file goes to `sink`, and how many bytes were read each time to `progress`. The format
/// is known by the first bytes. Throws BadInput that begins with `name` and says at which byte.
Decoded decode(int file, const std::string& name, const Sink& sink,
               const std::function<void(std::uint64_t)>& progress);

}  // namespace compress
