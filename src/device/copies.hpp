// SPDX-License-Identifier: BSD-3-Clause
// What of an operation that stays within a node is worth an agent's while.
#pragma once

#include <limits>

#include "base/config.hpp"

namespace weft::device {

// Whether agents are to copy within a node although ranks outnumber the cores there.
inline bool copies_in_a_crowd(const Settings& settings) {
  return settings.given.contains("WEFT_AGENT_BYTES");
}

// From so many bytes on that a rank has to copy in a node's memory, that is its agent's: less takes about as
// long as waking one. Where ranks outnumber cores, there is none for it.
inline Bytes agent_copies_from(const Settings& settings, bool is_crowded) {
  constexpr Bytes kNever{std::numeric_limits<std::int64_t>::max()};
  return is_crowded && !copies_in_a_crowd(settings) ? kNever : settings.local.agent_bytes;
}

}  // namespace weft::device
