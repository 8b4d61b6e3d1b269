// SPDX-License-Identifier: BSD-3-Clause
#include "planner/within_node.hpp"

#include <algorithm>

#include "planner/room.hpp"

namespace weft {

namespace {

Bytes left_by_each(const Call& call) {
  switch (call.collective) {
    case Collective::kAlltoall:
    case Collective::kScatter:
    case Collective::kReduceScatterBlock: return call.bytes * call.rank_count;
    default: return call.bytes;
  }
}
// Longer blocks that are left at once to be combined leave the nearest cache before they are read; and in a
// scan everybody combines what all before it have left, which is as much work as the square of the ranks.
constexpr Bytes kLongestOperand{16 << 10};

// In a gather or scatter nobody waits for more than its own block, nor in a scan for those behind, and in a
// reduce_scatter everybody reads its own block of each vector alone: so longer ones may be left at once.
Bytes largest_whole(const Call& call, const Placement& placement) {
  const Bytes usual = std::min(placement.thresholds.node_whole, placement.rank_bytes);
  const Bytes block = largest_left_at_once(call, placement);
  switch (call.collective) {
    case Collective::kGather: return std::max(usual, block);
    case Collective::kScatter: return std::max(usual, block * call.rank_count);
    case Collective::kReduceScatterBlock:
    case Collective::kReduceScatter:
      return std::max(usual,
                      std::min(std::min(block, kLongestOperand) * call.rank_count, placement.rank_bytes));
    case Collective::kScan:
    case Collective::kExscan: return std::max(usual, std::min(block, kLongestOperand));
    default: return usual;
  }
}
// In gather, scatter, scans, reduce_scatter and blocks of any size nobody else can read for a rank, so that
// it reads the lines of all, one after the other; among more ranks messages up and down a tree are faster.
constexpr int kFew = 32;
static_assert(kFew <= kMostDelivered, "blocks whose sizes differ would not be noticed");

// Shorter fragments are not worth the steps.
constexpr Bytes kLeastFragment{2 << 10};

}  // namespace

bool is_short_in_node(const Call& call, const Placement& placement) {
  if (!placement.one_node || climbs_groups(call, placement)) return false;
  return left_by_each(call) <= std::max(largest_whole(call, placement), kLineBytes);
}

bool is_short_among_few(const Call& call, const Placement& placement) {
  return call.rank_count <= kFew && is_short_in_node(call, placement);
}

// Several ranks wait for one another in the kernel when they read the memory of the same one (decision 4).
bool is_worth_reaching(const Call& call, const Placement& placement) {
  if (!placement.one_node || !placement.single_copy || call.rank_count != 2) return false;
  return placement.single_copy_from > Bytes(0) && call.bytes >= placement.single_copy_from;
}

bool fits_fragments_of_few(const Call& call, const Placement& placement) {
  return call.rank_count <= kFew && left_by_each(call) > placement.thresholds.node_whole &&
         fits_fragments(call, placement) && fragment_within_node(call, placement) >= kLeastFragment;
}

// The root alone leaves blocks. What does not fit into both sets of cells the others had better fetch, side
// by side, from its buffer.
bool fits_two_fragments_of_few(const Call& call, const Placement& placement) {
  return fits_fragments_of_few(call, placement) && call.bytes <= fragment_within_node(call, placement) * 2;
}

bool has_shares_among_few(const Call& call, const Placement& placement) {
  if (!placement.one_node || call.rank_count > kFew) return false;
  if (is_worth_reaching(call, placement)) return true;
  return call.bytes / call.rank_count <= std::max(share_of_pair(call, placement), kLineBytes);
}

bool is_crowded_node(const Call& call, const Placement& placement) {
  return call.rank_count > Hierarchy::kMostAtOneLine && is_short_in_node(call, placement) &&
         has_tiers(call, placement);
}

}  // namespace weft
