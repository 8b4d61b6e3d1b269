// SPDX-License-Identifier: BSD-3-Clause
#include "planner/room.hpp"

#include <algorithm>

#include "algorithm/tiers.hpp"

namespace weft {

namespace {

// With less for each rank messages become very many fragments, if there is anything at all.
constexpr Bytes kLeastRoomForFragments{16 << 10};

// What goes one way is written and read at the same time only from the second fragment on, so that fragments
// are shorter, and so is what goes in one.
Bytes fragment_of_one_way(const Placement& placement) {
  return std::max(placement.thresholds.node_fragment / 2 / kLineStride * kLineStride, kLineStride);
}

Bytes largest_fragment(const Call& call, const Placement& placement) {
  const Bytes one =
      is_rooted(call.collective) ? fragment_of_one_way(placement) : placement.thresholds.node_fragment;
  return one * placement.larger_fragments;
}

constexpr std::int64_t kMostFragments = std::int64_t{1} << 22;  // a schedule names each: some hundred bytes

// What a hierarchical algorithm takes of a node's memory, for each of its ranks. Where several ranks share a
// cell it may be longer than what may lie beside others, although the part of each is not.
Bytes taken_by_tiers(const Call& call) {
  const Bytes block = call.bytes <= kLineBytes ? Bytes(0) : cell_stride(call.bytes);
  switch (call.collective) {
    case Collective::kAllgather: return block + stride_apart(call.bytes * call.rank_count);
    case Collective::kAlltoall: return 2 * stride_apart(call.bytes * call.rank_count);
    default: return block;
  }
}

// Numbers of ranks: on the smallest node with several, and on the fullest node.
struct NodeSizes {
  std::int64_t fewest = 0, most = 1;
};
NodeSizes sizes_of(const Hierarchy& hierarchy) {
  const Parts& nodes = hierarchy.nodes();
  NodeSizes sizes{.most = nodes.largest()};
  for (int node = 0; node < nodes.count(); ++node) {
    const std::int64_t size = nodes.size(node);
    if (size > 1) sizes.fewest = sizes.fewest == 0 ? size : std::min(sizes.fewest, size);
  }
  return sizes;
}

}  // namespace

bool has_tiers(const Call& call, const Placement& placement) {
  if (placement.hierarchy == nullptr || taken_by_tiers(call) > placement.rank_bytes) return false;
  if (!call.commutative && !placement.hierarchy->keeps_rank_order()) return false;
  if (call.collective == Collective::kAlltoall && call.bytes > placement.thresholds.bundle_block)
    return false;
  const auto hierarchical = find_algorithm(call.collective, "hierarchical");
  return hierarchical.ok() && (*hierarchical)->eligible(call);
}

bool has_short_result(const Call& call, const Placement& placement) {
  return call.bytes * call.rank_count <= placement.thresholds.collected;
}

std::int64_t ranks_of_fullest_node(const Placement& placement) {
  return placement.hierarchy == nullptr ? 1 : placement.hierarchy->nodes().largest();
}
std::int64_t node_count(const Call& call, const Placement& placement) {
  return placement.hierarchy == nullptr ? call.rank_count : placement.hierarchy->nodes().count();
}

bool is_grouped(const Placement& placement) {
  if (!placement.one_node || placement.hierarchy == nullptr) return false;
  const auto& tiers = placement.hierarchy->tiers();
  return std::any_of(tiers.begin(), tiers.end(), [](const auto& tier) { return tier.level > Level::kNode; });
}
bool climbs_groups(const Call& call, const Placement& placement) {
  return is_grouped(placement) && has_tiers(call, placement);
}

bool had_better_reach(const Call& call, const Placement& placement) {
  if (!placement.one_node || !placement.single_copy || placement.single_copy_from == Bytes(0)) return false;
  const bool by_agents = placement.has_agents && call.rank_count == 2;
  return placement.kernel_is_faster || by_agents || placement.rank_bytes < kLeastRoomForFragments;
}

Bytes largest_left_at_once(const Call& call, const Placement& placement) {
  const bool reach = call.rank_count == 2 && had_better_reach(call, placement);
  const Bytes most = reach ? placement.single_copy_from - Bytes(1) : fragment_of_one_way(placement);
  return std::min(most, largest_cell(placement.rank_bytes) /
                            (call.collective == Collective::kScatter ? call.rank_count : 1));
}

Bytes share_of_pair(const Call& call, const Placement& placement) {
  const Bytes share = std::min(largest_left_at_once(call, placement),
                               largest_cell(placement.rank_bytes) / shares_of_rank(call));
  return share / kLineStride * kLineStride;
}

namespace {

// In turns everything is copied twice. That is faster where the kernel, which copies the host's messages
// once, would look up the same memory for many others; neighbours have blocks of their own for few. A ring of
// two neighbours each on two cores, 64 KiB to 4 MiB: 0.5 to 0.8 of the messages' time on 6 ranks, 0.6 to 1.0
// on 8, 0.7 to 1.2 on 10, 1.0 to 1.9 on 16.
bool are_messages_faster(const Call& call, const Placement& placement) {
  constexpr int kMostNeighborsInTurns = 8;
  const bool few_partners = is_neighborly(call.collective) && !has_one_for_all(call.collective);
  return kernel_copies_messages(placement) ||
         (placement.single_copy && few_partners && call.rank_count > kMostNeighborsInTurns);
}

}  // namespace

// Each pair has room for two.
Bytes fragment_of_pair(const Call& call, const Placement& placement) {
  if (are_messages_faster(call, placement)) return Bytes(0);
  if (call.rank_count == 2 && had_better_reach(call, placement)) return Bytes(0);
  const Bytes room = largest_cell(placement.rank_bytes * (scatters(call.collective) ? call.rank_count : 1));
  const Bytes fragment = std::min(largest_fragment(call, placement),
                                  room / shares_of_rank(call) / 2 / kLineStride * kLineStride);
  static_assert(kLeastFragment * kMostTurns >= kMostInTurns);
  return fragment < kLeastFragment ? Bytes(0) : fragment;
}

namespace {

// How many cells there are in a node's memory at a time.
std::int64_t cells_for_fragments(const Call& call, const Placement& placement) {
  const std::int64_t n = call.rank_count;
  switch (call.collective) {
    case Collective::kBcast: return placement.in_flight;
    case Collective::kReduce: return n == 2 ? placement.in_flight : 2 * n;
    case Collective::kScan:
    case Collective::kExscan: return 3 * n;
    default: return 2 * n;
  }
}
// How many fragments each of them holds: where ranks have blocks for one another, one for each.
std::int64_t fragments_of_cell(const Call& call) {
  switch (call.collective) {
    case Collective::kAlltoall:
    case Collective::kReduceScatter:
    case Collective::kReduceScatterBlock: return call.rank_count;
    default: return 1;
  }
}

}  // namespace

Bytes fragment_within_node(const Call& call, const Placement& placement) {
  const Bytes all = placement.rank_bytes * call.rank_count;
  return std::min(largest_fragment(call, placement),
                  largest_cell(all / cells_for_fragments(call, placement)) / fragments_of_cell(call) /
                      kLineStride * kLineStride);
}
bool fits_fragments(const Call& call, const Placement& placement) {
  if (!placement.one_node || climbs_groups(call, placement)) return false;
  const Bytes fragment = fragment_within_node(call, placement) / call.element_bytes * call.element_bytes;
  return fragment > Bytes(0) && call.bytes / fragment < kMostFragments / call.rank_count;
}

// There are two sets of cells, one for each rank of the node; an allgather has one for each rank of the
// fullest node, in the memory of all nodes.
Bytes fragment_of_leaders(const Call& call, const Placement& placement) {
  Bytes room = placement.rank_bytes / 2;
  if (call.collective == Collective::kAllgather) {
    const NodeSizes sizes = sizes_of(*placement.hierarchy);
    room = room * sizes.fewest / sizes.most;
  }
  return std::min(largest_fragment(call, placement), largest_cell(room));
}

bool fits_columns(const Call& call, const Placement& placement) {
  if (placement.hierarchy == nullptr || placement.one_node) return false;
  const std::int64_t nodes = nodes_of(call, {.hierarchy = placement.hierarchy}, Rank(0)).count();
  const std::int64_t most = sizes_of(*placement.hierarchy).most;
  const bool goes_around = call.collective == Collective::kAllgather;  // at worst by one rank of a node
  if (nodes == call.rank_count || (goes_around && (nodes - 1) * most > kMessagesPerPair)) return false;
  const Bytes fragment = fragment_of_leaders(call, placement);
  const std::int64_t at_a_time = goes_around ? call.rank_count : most;
  return fragment >= call.element_bytes * most && call.bytes / fragment < kMostFragments / at_a_time;
}

bool has_room(const Algorithm& algorithm, const Call& call, const Placement& placement) {
  if (algorithm.has_columns()) return fits_columns(call, placement);
  if (!algorithm.gathers) return has_tiers(call, placement);
  return has_tiers(call_of_group(call, Collective::kAllgather, call.rank_count, 0, call.bytes), placement);
}

}  // namespace weft
