// SPDX-License-Identifier: BSD-3-Clause
// How much a rank leaves where the others of its node read it, if it leaves its whole part at once.
#pragma once

#include "collective/call.hpp"

namespace weft {

inline Bytes left_by_each(const Call& call) {
  switch (call.collective) {
    case Collective::kAlltoall:
    case Collective::kScatter:
    case Collective::kReduceScatterBlock: return call.bytes * call.rank_count;
    default: return call.bytes;
  }
}

}  // namespace weft
