// SPDX-License-Identifier: BSD-3-Clause
// Uneven blocks: builders for blocks of one size write for blocks of any size inside a frame that says where
// each begins. Every rank has all sizes.
#pragma once

#include <vector>

#include "algorithm/algorithm.hpp"

namespace weft {

// Where blocks of these sizes begin side by side, and where the last ends.
inline std::vector<Bytes> block_begins(const std::vector<Parcel>& parcels) {
  std::vector<Bytes> begins{Bytes(0)};
  for (const Parcel& parcel : parcels) begins.push_back(begins.back() + parcel.size);
  return begins;
}

// The whole call with these blocks, by an algorithm for blocks of one size.
inline void build_with_blocks(Builder& b, const Algorithm& even, const Parameters& parameters,
                              const std::vector<Parcel>& blocks, Range contribution, Range output) {
  const auto begin_of = [begins = block_begins(blocks)](int block) {
    return begins[static_cast<std::size_t>(block)];
  };
  Subgroup all{.members = b.everybody(),
               .call = b.call(),
               .contribution = contribution,
               .output = output,
               .block_begin = begin_of};
  all.call.collective = even.collective;
  build_in(b, std::move(all), even, parameters);
}

}  // namespace weft
