// SPDX-License-Identifier: BSD-3-Clause
// What the entries of the catalog share, and the letters of their formulas:
//
// n ranks, m bytes (one rank's block, or what Call::bytes says), radix k, k' down, w messages at a time, f a
// fragment's bytes; L + 2o: a message's latency; G, g: to send, to reduce a byte. Tiers: n_t members of a
// group of tier t, T tiers in memory, n_0 ranks of a node, N nodes. Within a node: l: a line's way from core
// to core; c: to copy a byte, to or from shared memory or another rank.
#pragma once

#include <array>

#include "algorithm/builders.hpp"
#include "algorithm/pattern/single_copy.hpp"

namespace weft::entries {

inline bool always(const Call&) { return true; }
inline bool if_commutative(const Call& call) { return call.commutative; }

template <Cost (*kCost)(const Call&, const Parameters&)>
Cost card(const Call& call, const Parameters& parameters) {
  return nothing_travels(call) ? Cost{} : kCost(call, parameters);
}

}  // namespace weft::entries
