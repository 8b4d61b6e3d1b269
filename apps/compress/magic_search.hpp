// SPDX-License-Identifier: BSD-3-Clause
// Where bzip2's blocks may begin: their 48-bit magic, which stands at any bit.
//
// What is found is a candidate: the same bits may be inside a block by chance (once in 2^48 bits), or
// because somebody made the block so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace compress {

/// The first bit, not before `first`, at which the whole magic of a block stands in `bytes`.
std::optional<std::uint64_t> find_block_magic(std::span<const std::uint8_t> bytes, std::uint64_t first);

}  // namespace compress
