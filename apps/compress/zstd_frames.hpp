// SPDX-License-Identifier: BSD-3-Clause
// zstd frames: each stands alone, with its length and a checksum, and a file is any number of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace compress {

std::uint64_t longest_frame(std::uint64_t plain_bytes);

void make_frame(std::span<const std::uint8_t> plain, int level, std::vector<std::uint8_t>& frame);

}  // namespace compress
