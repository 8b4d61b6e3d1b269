// SPDX-License-Identifier: BSD-3-Clause
#include "planner/planner.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <fmt/format.h>

#include "algorithm/pattern/dissemination.hpp"
#include "algorithm/tiers.hpp"
#include "planner/among_many.hpp"
#include "planner/lengths.hpp"
#include "planner/room.hpp"
#include "planner/within_node.hpp"

namespace weft {

namespace {

bool always(const Call&, const Placement&) { return true; }
bool is_small_reduce(const Call& call, const Placement& placement) {
  return call.bytes <= placement.thresholds.shallow_tree;
}
bool keeps_order(const Call& call, const Placement&) { return !call.commutative; }
bool has_short_parts(const Call& call, const Placement& placement) {
  return call.bytes / call.rank_count < long_part(call, placement);
}
bool has_long_parts(const Call& call, const Placement& placement) {
  return call.rank_count >= kFewestForParts && !has_short_parts(call, placement);
}
bool keeps_order_of_long(const Call& call, const Placement& placement) {
  return !call.commutative && has_long_parts(call, placement);
}
bool has_long_block(const Call& call, const Placement& placement) {
  return call.bytes >= long_part(call, placement);
}
// Blocks that are too short for the many rounds of a ring: a rank's own, its part of a message, or the
// average.
bool has_short_block_for_ring(const Call& call, const Placement& placement) {
  return call.bytes < placement.thresholds.ring_block;
}
bool has_short_parts_for_ring(const Call& call, const Placement& placement) {
  return call.bytes / call.rank_count < placement.thresholds.ring_block;
}
bool has_parts_for_halving(const Call& call, const Placement& placement) {
  return has_long_parts(call, placement) && has_short_parts_for_ring(call, placement);
}
bool has_parts_for_ring(const Call& call, const Placement& placement) {
  return call.rank_count >= kFewestForParts && !has_short_parts_for_ring(call, placement);
}

// All values are better sent to everybody than combined round by round, and blocks than handed on.
bool gathers_from_far(const Call& call, const Placement& placement) {
  return !is_split_among_many(call, placement) && has_short_parts(call, placement) &&
         may_have_few_rounds(call, call.rank_count, placement);
}
bool collects_from_far(const Call& call, const Placement& placement) {
  return placement.is_far && has_short_block_for_ring(call, placement);
}
bool collects_parts_from_far(const Call& call, const Placement& placement) {
  return placement.is_far && has_short_parts_for_ring(call, placement);
}

bool has_columns(const Call& call, const Placement& placement) {
  return call.bytes >= led_by_several(call, placement) && fits_columns(call, placement);
}
bool has_long_result_for_columns(const Call& call, const Placement& placement) {
  return !is_among_many(call, placement) && !has_short_result(call, placement) &&
         fits_columns(call, placement);
}

bool fits_two_turns(const Call& call, const Placement&) { return may_go_around_twice(call.rank_count); }
bool fits_long_parts(const Call& call, const Placement& placement) {
  return has_long_parts(call, placement) && fits_two_turns(call, placement);
}
bool fits_one_turn(const Call& call, const Placement&) {
  return std::int64_t{call.rank_count} - 1 <= kMessagesPerPair;
}

bool has_small_tiers(const Call& call, const Placement& placement) {
  return is_small_reduce(call, placement) && has_tiers(call, placement);
}
// Only where operands may change places: those in rank order have one bracket for each number of ranks, which
// is that of the other tree.
bool is_small_among_many(const Call& call, const Placement& placement) {
  return is_whole_among_many(call, placement) && call.commutative && is_small_reduce(call, placement);
}
bool has_parts_for_halving_among_many(const Call& call, const Placement& placement) {
  const bool goes_around = call.commutative && has_parts_for_ring(call, placement);
  return is_split_among_many(call, placement) && !goes_around;
}

bool is_among_four(const Call& call, const Placement&) { return call.rank_count <= 4; }
// Where nodes share cores a message takes time from all of them, so that there should be few. Reductions do
// not look at how far nodes are apart: it is measured, and operands are to keep their order.
bool needs_few_messages(const Call& call, const Placement& placement) {
  return placement.shares_cores && call.rank_count > 2 && is_among_four(call, placement);
}
bool may_meet_at_one(const Call& call, const Placement& placement) {
  return needs_few_messages(call, placement) && !placement.is_far;
}

// Ranks that wait for a turn on a core, and of whom only the root has to wait for others: none in between.
bool root_alone_waits_for_turns(const Call& call, const Placement& placement) {
  return placement.crowded && is_short_among_few(call, placement);
}

bool takes_few_turns(const Call& call, const Placement&) { return call.rank_count <= 3; }

constexpr std::string_view kNodeIsNear = "all ranks share memory, and what each leaves there is short";
constexpr std::string_view kNodeIsNearAndLong =
    "all ranks share memory, and a long message goes through it in fragments that stay in the caches";
constexpr std::string_view kNodeIsCrowded =
    "all ranks share memory, and are so many that values better climb in groups of at most eight";
constexpr std::string_view kTurnsAreDear =
    "all ranks share memory and outnumber its cores, and the root alone has to wait for others";
constexpr std::string_view kReachIsNear =
    "all ranks share a node, and a long message is copied once, from buffer to buffer";
constexpr std::string_view kNodesAreFar =
    "ranks share memory with their neighbours only, so that one of each node speaks for the others";
constexpr std::string_view kNodesAreFarAndPartsLong =
    "ranks share memory with their neighbours only, and from {} on several of a node speak for the others, "
    "each for its part";
constexpr std::string_view kGroupsAreAskedFor =
    "all ranks share memory, and the hierarchy that is asked for groups them within it";

using Radix = int Thresholds::*;
constexpr Radix kUsual = &Thresholds::radix;
constexpr Radix kShallow = &Thresholds::shallow_radix;

constexpr std::string_view kPairsKeepOrder =
    "the operator does not commute, and pair by pair operands are added in rank order";
constexpr std::string_view kHalvesAreBest = "it takes the fewest rounds, and sends every byte about once";
constexpr std::string_view kChainIsFull =
    "with at least {} per rank bandwidth counts most, and along the chain every byte is sent once";
constexpr std::string_view kScanIsShort =
    "below {} per rank latency counts most, and this takes the fewest rounds";
constexpr std::string_view kBlocksAreLong =
    "with blocks of at least {} bandwidth counts most, and here every block travels once";
constexpr std::string_view kBlocksAreShort =
    "with blocks below {} latency counts most, and this takes the fewest rounds";
constexpr std::string_view kRingIsLong =
    "a ring of so many ranks needs more messages per pair than a tag can number";
constexpr std::string_view kPairsChoose =
    "all ranks share memory, and each pair, which alone knows what it sends, leaves there what fits";
constexpr std::string_view kNodesAreVeryFar =
    "messages between nodes take much longer than it takes to send them, so that many go at once";
constexpr std::string_view kManySplit =
    "among many ranks from {} on each combines a part of the message, in few rounds";
constexpr std::string_view kManyAreShallow =
    "among many ranks short messages go out several at once, in few rounds";
constexpr std::string_view kManyGoAround =
    "among many ranks long blocks are added up around a ring, on which most neighbours share memory";
constexpr std::string_view kManyGoStraight =
    "among many ranks long blocks are sent straight to their receivers, all at once";
constexpr std::string_view kCoresAreShared =
    "the nodes share one machine's cores, and this takes the fewest messages";
constexpr std::string_view kBlocksAreFew = "so few blocks go straight to the root, in one round";
constexpr std::string_view kNobodyKnows =
    "no rank knows the sizes of all blocks, so that each goes straight to its receiver";

struct PlanRule {
  Collective collective;
  bool (*applies)(const Call& call, const Placement& placement);
  std::string_view algorithm;
  Radix radix;
  std::string_view why;  // {}: the threshold
  Bytes Thresholds::*threshold = nullptr;
};

// The first rule that applies, from top to bottom. The last of each collective always does.
constexpr std::array kRules = {
    PlanRule{Collective::kBarrier, is_crowded_node, "hierarchical", kUsual, kNodeIsCrowded},
    PlanRule{Collective::kBarrier, is_short_in_node, "exchange", kUsual, kNodeIsNear},
    PlanRule{Collective::kBarrier, has_tiers, "hierarchical", kUsual, kNodesAreFar},
    PlanRule{Collective::kBarrier, may_meet_at_one, "k_nomial", kShallow, kCoresAreShared},
    PlanRule{Collective::kBarrier, always, "dissemination", kUsual,
             "it takes the fewest rounds, one message each"},
    PlanRule{Collective::kBcast, is_short_in_node, "fan_out", kUsual, kNodeIsNear},
    PlanRule{Collective::kBcast, is_worth_reaching, "single_copy", kUsual, kReachIsNear},
    PlanRule{Collective::kBcast, fits_fragments, "pipeline", kUsual, kNodeIsNearAndLong},
    PlanRule{Collective::kBcast, has_columns, "multi_leader", kUsual, kNodesAreFarAndPartsLong,
             &Thresholds::multi_leader},
    PlanRule{Collective::kBcast, has_tiers, "hierarchical", kUsual, kNodesAreFar},
    PlanRule{
        Collective::kBcast, fits_long_parts, "scatter_allgather", kUsual,
        "with at least {} per rank bandwidth counts most, and here no rank sends the message more than twice",
        &Thresholds::long_part},
    PlanRule{Collective::kBcast, always, "k_nomial", kUsual,
             "whoever has the message hands it on, in each round"},
    PlanRule{Collective::kReduce, root_alone_waits_for_turns, "fan_in", kUsual, kTurnsAreDear},
    PlanRule{Collective::kReduce, is_crowded_node, "hierarchical", kUsual, kNodeIsCrowded},
    PlanRule{Collective::kReduce, is_short_in_node, "fan_in", kUsual, kNodeIsNear},
    PlanRule{Collective::kReduce, is_worth_reaching, "single_copy", kUsual, kReachIsNear},
    PlanRule{Collective::kReduce, fits_fragments, "parts", kUsual, kNodeIsNearAndLong},
    PlanRule{Collective::kReduce, has_columns, "multi_leader", kUsual, kNodesAreFarAndPartsLong,
             &Thresholds::multi_leader},
    PlanRule{Collective::kReduce, has_small_tiers, "hierarchical", kShallow, kNodesAreFar},
    PlanRule{Collective::kReduce, has_tiers, "hierarchical", kUsual, kNodesAreFar},
    PlanRule{Collective::kReduce, is_split_among_many, "reduce_scatter_gather", kUsual, kManySplit,
             &Thresholds::split},
    PlanRule{Collective::kReduce, is_small_among_many, "k_nomial", kShallow,
             "up to {} among many ranks every rank hands on what it has, in few rounds",
             &Thresholds::shallow_tree},
    PlanRule{Collective::kReduce, has_parts_for_ring, "reduce_scatter_gather", kUsual,
             "with at least {} per rank bandwidth counts most, and here every byte is combined about once",
             &Thresholds::ring_block},
    PlanRule{Collective::kReduce, is_small_reduce, "n_ary_tree", kShallow,
             "up to {} latency counts more than reducing, so the tree is shallow", &Thresholds::shallow_tree},
    PlanRule{Collective::kReduce, always, "n_ary_tree", kUsual,
             "above {} each child's message and reduction counts, so nodes have few children",
             &Thresholds::shallow_tree},
    PlanRule{Collective::kAllreduce, is_crowded_node, "hierarchical", kUsual, kNodeIsCrowded},
    PlanRule{Collective::kAllreduce, is_short_in_node, "exchange", kUsual, kNodeIsNear},
    PlanRule{Collective::kAllreduce, is_worth_reaching, "single_copy", kUsual, kReachIsNear},
    PlanRule{Collective::kAllreduce, fits_fragments, "parts", kUsual, kNodeIsNearAndLong},
    PlanRule{Collective::kAllreduce, has_columns, "multi_leader", kUsual, kNodesAreFarAndPartsLong,
             &Thresholds::multi_leader},
    PlanRule{Collective::kAllreduce, has_tiers, "hierarchical", kUsual, kNodesAreFar},
    PlanRule{Collective::kAllreduce, gathers_from_far, "gathered", kUsual, kNodesAreVeryFar},
    PlanRule{Collective::kAllreduce, has_parts_for_halving_among_many, "reduce_scatter_allgather", kUsual,
             kManySplit, &Thresholds::split},
    PlanRule{Collective::kAllreduce, is_whole_among_many, "recursive_k_ing", kUsual,
             "below {} among many ranks latency counts most, and this takes the fewest rounds",
             &Thresholds::split},
    PlanRule{
        Collective::kAllreduce, keeps_order_of_long, "reduce_scatter_allgather", kUsual,
        "the operator does not commute, and for at least {} per rank this keeps rank order with the fewest "
        "bytes",
        &Thresholds::long_part},
    PlanRule{Collective::kAllreduce, keeps_order, "recursive_k_ing", kUsual,
             "the operator does not commute, and this keeps rank order in the fewest rounds"},
    PlanRule{Collective::kAllreduce, has_short_parts, "recursive_k_ing", kUsual,
             "below {} per rank latency counts most, and this takes the fewest rounds",
             &Thresholds::long_part},
    PlanRule{Collective::kAllreduce, has_parts_for_halving, "reduce_scatter_allgather", kUsual,
             "with at least {} per rank bandwidth counts, and here every byte is sent about twice, in few "
             "rounds",
             &Thresholds::long_part},
    PlanRule{Collective::kAllreduce, fits_two_turns, "ring", kUsual,
             "bandwidth counts most, and here every byte is sent only twice, and to a neighbour"},
    PlanRule{Collective::kAllreduce, always, "reduce_scatter_allgather", kUsual, kRingIsLong},
    PlanRule{Collective::kAllgather, is_short_in_node, "exchange", kUsual, kNodeIsNear},
    PlanRule{Collective::kAllgather, is_worth_reaching, "single_copy", kUsual, kReachIsNear},
    PlanRule{Collective::kAllgather, fits_fragments, "fragments", kUsual, kNodeIsNearAndLong},
    PlanRule{
        Collective::kAllgather, fills_nodes_among_many, "multi_leader", kUsual,
        "ranks share memory with their neighbours only, and what each node brings fills messages, which go "
        "around the nodes side by side"},
    PlanRule{Collective::kAllgather, has_long_result_for_columns, "multi_leader", kUsual,
             "ranks share memory with their neighbours only, and above {} in all their blocks go around the "
             "nodes side by side",
             &Thresholds::collected},
    PlanRule{Collective::kAllgather, has_tiers, "hierarchical", kUsual, kNodesAreFar},
    PlanRule{Collective::kAllgather, has_short_result_among_many, "bruck", kUsual, kManyAreShallow},
    PlanRule{Collective::kAllgather, collects_from_far, "bruck", kUsual, kNodesAreVeryFar},
    PlanRule{Collective::kAllgather, has_short_block_for_ring, "recursive_doubling", kUsual,
             "with blocks below {} this takes the fewest rounds", &Thresholds::ring_block},
    PlanRule{
        Collective::kAllgather, fits_one_turn, "ring", kUsual,
        "with blocks of at least {} bandwidth counts most, and here every byte goes to a neighbour, once",
        &Thresholds::ring_block},
    PlanRule{Collective::kAllgather, always, "recursive_doubling", kUsual, kRingIsLong},
    PlanRule{Collective::kAlltoall, is_short_in_node, "exchange", kUsual, kNodeIsNear},
    PlanRule{Collective::kAlltoall, is_worth_reaching, "single_copy", kUsual, kReachIsNear},
    PlanRule{Collective::kAlltoall, fits_long_fragments, "fragments", kUsual, kNodeIsNearAndLong},
    PlanRule{Collective::kAlltoall, is_forwarded_among_many, "bruck", kUsual,
             "among many ranks blocks up to {} are sent on together, in few rounds",
             &Thresholds::forwarded_block},
    PlanRule{Collective::kAlltoall, has_tiers, "hierarchical", kUsual, kNodesAreFar},
    PlanRule{Collective::kAlltoall, always, "pairwise", kUsual, "every block goes straight to its receiver"},
    PlanRule{Collective::kGather, is_short_among_few, "fan_in", kUsual, kNodeIsNear},
    PlanRule{Collective::kGather, is_worth_reaching, "single_copy", kUsual, kReachIsNear},
    PlanRule{Collective::kGather, fits_fragments_of_few, "fragments", kUsual, kNodeIsNearAndLong},
    PlanRule{Collective::kGather, has_long_block, "linear", kUsual, kBlocksAreLong, &Thresholds::long_part},
    PlanRule{Collective::kGather, is_among_four, "linear", kUsual, kBlocksAreFew},
    PlanRule{Collective::kGather, always, "k_nomial", kUsual, kBlocksAreShort, &Thresholds::long_part},
    PlanRule{Collective::kScatter, is_short_among_few, "fan_out", kUsual, kNodeIsNear},
    PlanRule{Collective::kScatter, is_worth_reaching, "single_copy", kUsual, kReachIsNear},
    PlanRule{Collective::kScatter, fits_two_fragments_of_few, "fragments", kUsual, kNodeIsNearAndLong},
    PlanRule{Collective::kScatter, has_long_block, "linear", kUsual, kBlocksAreLong, &Thresholds::long_part},
    PlanRule{Collective::kScatter, always, "k_nomial", kUsual, kBlocksAreShort, &Thresholds::long_part},
    PlanRule{Collective::kReduceScatterBlock, is_short_among_few, "exchange", kUsual, kNodeIsNear},
    PlanRule{Collective::kReduceScatterBlock, fits_fragments_of_few, "fragments", kUsual, kNodeIsNearAndLong},
    PlanRule{Collective::kReduceScatterBlock, goes_around_among_many, "ring", kUsual, kManyGoAround},
    PlanRule{Collective::kReduceScatterBlock, goes_straight_among_many, "pairwise", kUsual, kManyGoStraight},
    PlanRule{Collective::kReduceScatterBlock, keeps_order, "pairwise", kUsual, kPairsKeepOrder},
    PlanRule{Collective::kReduceScatterBlock, always, "recursive_halving", kUsual, kHalvesAreBest},
    PlanRule{Collective::kReduceScatter, is_short_among_few, "exchange", kUsual, kNodeIsNear},
    PlanRule{Collective::kReduceScatter, fits_fragments_of_few, "fragments", kUsual, kNodeIsNearAndLong},
    PlanRule{Collective::kReduceScatter, goes_around_among_many, "ring", kUsual, kManyGoAround},
    PlanRule{Collective::kReduceScatter, goes_straight_among_many, "pairwise", kUsual, kManyGoStraight},
    PlanRule{Collective::kReduceScatter, keeps_order, "pairwise", kUsual, kPairsKeepOrder},
    PlanRule{Collective::kReduceScatter, always, "recursive_halving", kUsual, kHalvesAreBest},
    PlanRule{Collective::kScan, is_short_among_few, "exchange", kUsual, kNodeIsNear},
    PlanRule{Collective::kScan, fits_fragments_of_few, "parts", kUsual, kNodeIsNearAndLong},
    PlanRule{Collective::kScan, has_long_parts, "chain", kUsual, kChainIsFull, &Thresholds::long_part},
    PlanRule{Collective::kScan, needs_few_messages, "chain", kUsual, kCoresAreShared},
    PlanRule{Collective::kScan, always, "recursive_doubling", kUsual, kScanIsShort, &Thresholds::long_part},
    PlanRule{Collective::kExscan, is_short_among_few, "exchange", kUsual, kNodeIsNear},
    PlanRule{Collective::kExscan, fits_fragments_of_few, "parts", kUsual, kNodeIsNearAndLong},
    PlanRule{Collective::kExscan, has_long_parts, "chain", kUsual, kChainIsFull, &Thresholds::long_part},
    PlanRule{Collective::kExscan, needs_few_messages, "chain", kUsual, kCoresAreShared},
    PlanRule{Collective::kExscan, always, "recursive_doubling", kUsual, kScanIsShort, &Thresholds::long_part},
    PlanRule{Collective::kAllgatherv, has_shares_among_few, "delivery", kUsual, kPairsChoose},
    PlanRule{Collective::kAllgatherv, fits_fragments_of_few, "fragments", kUsual, kNodeIsNearAndLong},
    PlanRule{Collective::kAllgatherv, collects_parts_from_far, "bruck", kUsual, kNodesAreVeryFar},
    PlanRule{Collective::kAllgatherv, takes_few_turns, "ring", kUsual,
             "two or three ranks take as many rounds in a ring as in any other way, and copy nothing"},
    PlanRule{Collective::kAllgatherv, has_short_parts_for_ring, "bruck", kUsual,
             "with less than {} per rank this takes the fewest rounds", &Thresholds::ring_block},
    PlanRule{Collective::kAllgatherv, fits_one_turn, "ring", kUsual,
             "with at least {} per rank bandwidth counts most, and here every byte goes to a neighbour, once",
             &Thresholds::ring_block},
    PlanRule{Collective::kAllgatherv, always, "bruck", kUsual, kRingIsLong},
    PlanRule{Collective::kGatherv, has_shares_among_few, "delivery", kUsual, kPairsChoose},
    PlanRule{Collective::kGatherv, always, "linear", kUsual, kNobodyKnows},
    PlanRule{Collective::kScatterv, has_shares_among_few, "delivery", kUsual, kPairsChoose},
    PlanRule{Collective::kScatterv, always, "linear", kUsual, kNobodyKnows},
    PlanRule{Collective::kAlltoallv, has_shares_among_few, "delivery", kUsual, kPairsChoose},
    PlanRule{Collective::kAlltoallv, always, "linear", kUsual, kNobodyKnows},
    PlanRule{Collective::kAlltoallw, has_shares_among_few, "delivery", kUsual, kPairsChoose},
    PlanRule{Collective::kAlltoallw, always, "linear", kUsual, kNobodyKnows},
    PlanRule{Collective::kNeighborAllgather, has_shares_among_few, "delivery", kUsual, kPairsChoose},
    PlanRule{Collective::kNeighborAllgather, always, "linear", kUsual, kNobodyKnows},
    PlanRule{Collective::kNeighborAllgatherv, has_shares_among_few, "delivery", kUsual, kPairsChoose},
    PlanRule{Collective::kNeighborAllgatherv, always, "linear", kUsual, kNobodyKnows},
    PlanRule{Collective::kNeighborAlltoall, has_shares_among_few, "delivery", kUsual, kPairsChoose},
    PlanRule{Collective::kNeighborAlltoall, always, "linear", kUsual, kNobodyKnows},
    PlanRule{Collective::kNeighborAlltoallv, has_shares_among_few, "delivery", kUsual, kPairsChoose},
    PlanRule{Collective::kNeighborAlltoallv, always, "linear", kUsual, kNobodyKnows},
    PlanRule{Collective::kNeighborAlltoallw, has_shares_among_few, "delivery", kUsual, kPairsChoose},
    PlanRule{Collective::kNeighborAlltoallw, always, "linear", kUsual, kNobodyKnows},
};

// "8 KiB", "100 bytes".
std::string in_words(Bytes size) {
  constexpr Bytes kKibi{1 << 10};
  return size.value % kKibi.value == 0 ? fmt::format("{} KiB", size / kKibi)
                                       : fmt::format("{} bytes", size.value);
}

std::string in_words(const PlanRule& rule, const Call& call, const Placement& placement) {
  if (rule.threshold == nullptr) return std::string(rule.why);
  Bytes threshold = placement.thresholds.*rule.threshold;
  if (rule.threshold == &Thresholds::long_part) threshold = long_part(call, placement);
  if (rule.threshold == &Thresholds::multi_leader) threshold = led_by_several(call, placement);
  return fmt::format(fmt::runtime(rule.why), in_words(threshold));
}

std::string reason(const PlanRule& rule, const Choice& choice, const Call& call, const Placement& placement) {
  if (!choice.algorithm->follows_hierarchy) return in_words(rule, call, placement);
  if (is_grouped(placement)) return std::string(kGroupsAreAskedFor);
  const auto& tiers = choice.parameters.tiers;
  const bool is_at_once = std::any_of(tiers.begin(), tiers.end(),
                                      [](const TierParameters& tier) { return tier.aim == Aim::kLatency; });
  return in_words(rule, call, placement) + (is_at_once ? "; " + std::string(kNodesAreVeryFar) : "");
}

// Where nothing is combined, the radix is free. Tiers of far nodes have their own (see follow).
int radix_of(const PlanRule& rule, const Algorithm& algorithm, const Call& call, const Placement& placement) {
  const int usual = placement.thresholds.*rule.radix;
  if (is_shallow_among_many(call, placement)) return std::max(usual, placement.thresholds.shallow_radix);
  const bool is_free = !is_reduction(call.collective) && !algorithm.follows_hierarchy;
  return placement.is_far && is_free ? std::max(usual, radix_of_fewest_rounds(call.rank_count)) : usual;
}

}  // namespace

Choice choose(const Call& call, const Placement& placement) {
  for (const PlanRule& rule : kRules) {
    if (rule.collective != call.collective || !rule.applies(call, placement)) continue;
    const auto algorithm = find_algorithm(rule.collective, rule.algorithm);
    assert(algorithm.ok() && (*algorithm)->eligible(call) &&
           "a rule names an algorithm that the catalog lacks");
    const int radix = radix_of(rule, **algorithm, call, placement);
    Choice choice{*algorithm, parameters_for(**algorithm, call, placement, radix), ""};
    choice.why = reason(rule, choice, call, placement);
    return choice;
  }
  assert(false && "every collective has a rule that always applies");
  return {};
}

}  // namespace weft
