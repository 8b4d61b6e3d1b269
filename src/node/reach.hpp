// SPDX-License-Identifier: BSD-3-Clause
// Reach: copying from and to the memory of another process of this node, which takes no part in it: the
// kernel does it in one go (cross memory attach) where both run as the same user and nothing forbids it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace weft::node {

using Process = std::int64_t;  // its number

Process this_process();

// Within this process they are plain copies. False if the other process has gone, or may not be reached.
bool pull(Process from, const std::byte* there, std::byte* here, Bytes size);
bool push(const std::byte* here, Process to, std::byte* there, Bytes size);

}  // namespace weft::node
