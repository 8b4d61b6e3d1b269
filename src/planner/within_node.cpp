// SPDX-License-Identifier: BSD-3-Clause
#include "planner/within_node.hpp"

#include <algorithm>

#include "algorithm/pattern/single_copy.hpp"
#include "collective/left_by_each.hpp"
#include "planner/room.hpp"

namespace weft {

namespace {

// Longer blocks that are left at once to be combined leave the nearest cache before they are read; and in a
// scan everybody combines what all before it have left, which is as much work as the square of the ranks.
constexpr Bytes kLongestOperand{16 << 10};

// In a gather or scatter nobody waits for more than its own block, nor in a scan for those behind, and in a
// reduce_scatter everybody reads its own block of each vector alone: so longer ones may be left at once.
Bytes largest_whole(const Call& call, const Placement& placement) {
  const Bytes usual = std::min(placement.thresholds.node_whole, largest_cell(placement.rank_bytes));
  const Bytes block = largest_left_at_once(call, placement);
  switch (call.collective) {
    case Collective::kGather: return std::max(usual, block);
    case Collective::kScatter: return std::max(usual, block * call.rank_count);
    case Collective::kReduceScatterBlock:
    case Collective::kReduceScatter:
      return std::max(usual, std::min(std::min(block, kLongestOperand) * call.rank_count,
                                      largest_cell(placement.rank_bytes)));
    case Collective::kScan:
    case Collective::kExscan: return std::max(usual, std::min(block, kLongestOperand));
    default: return usual;
  }
}
// In gather, scatter, scans, reduce_scatter and blocks of any size nobody else can read for a rank, so that
// it reads the lines of all, one after the other; among more ranks messages up and down a tree are faster.
constexpr int kFew = 32;
static_assert(kFew <= kMostDelivered, "blocks whose sizes differ would not be noticed");

// From how many times the size at which it is worth a system call between two ranks it is among several:
// those who read the memory of the same rank wait for one another in the kernel. 0: from none that was
// measured (decision 4).
std::int64_t more_among_several(Collective collective) {
  switch (collective) {
    case Collective::kAlltoall: return 4;
    case Collective::kReduce: return 16;
    default: return 0;
  }
}

Bytes usual_block(const Call& call) {
  return call.collective == Collective::kReduceScatter ? call.bytes / call.rank_count : call.bytes;
}

}  // namespace

bool is_short_in_node(const Call& call, const Placement& placement) {
  if (!placement.one_node || climbs_groups(call, placement)) return false;
  return left_by_each(call) <= std::max(largest_whole(call, placement), kLineBytes);
}

bool is_short_among_few(const Call& call, const Placement& placement) {
  return call.rank_count <= kFew && is_short_in_node(call, placement);
}

bool is_worth_reaching(const Call& call, const Placement& placement) {
  if (!had_better_reach(call, placement) || !can_expose_all(call)) return false;
  const Bytes from =
      placement.single_copy_from * (call.rank_count == 2 ? 1 : more_among_several(call.collective));
  return from > Bytes(0) && call.bytes >= from;
}

bool fits_long_fragments(const Call& call, const Placement& placement) {
  return fits_fragments(call, placement) &&
         fragment_within_node(call, placement) >= std::min(usual_block(call), kLeastFragment);
}

// Where the kernel copies faster, the host's messages, which it copies, are faster as well. But what is
// combined in which order must not depend on what was measured; of two ranks' values there is one order.
bool fits_fragments_of_few(const Call& call, const Placement& placement) {
  const bool is_ordered = is_reduction(call.collective) && call.rank_count > 2;
  return call.rank_count <= kFew && (is_ordered || !kernel_copies_messages(placement)) &&
         left_by_each(call) > placement.thresholds.node_whole && fits_long_fragments(call, placement);
}

// The root alone leaves blocks. What does not fit into both sets of cells several others had better fetch,
// side by side, from its buffer.
bool fits_two_fragments_of_few(const Call& call, const Placement& placement) {
  const bool fits = call.bytes <= fragment_within_node(call, placement) * 2;
  return fits_fragments_of_few(call, placement) && (fits || call.rank_count == 2);
}

bool has_shares_among_few(const Call& call, const Placement& placement) {
  if (!placement.one_node || call.rank_count > kFew) return false;
  if (!knows_all_blocks(call.collective) || is_worth_reaching(call, placement)) return true;
  return call.bytes / call.rank_count <= std::max(share_of_pair(call, placement), kLineBytes);
}

bool is_crowded_node(const Call& call, const Placement& placement) {
  return call.rank_count > Hierarchy::kMostAtOneLine && is_short_in_node(call, placement) &&
         has_tiers(call, placement);
}

}  // namespace weft
