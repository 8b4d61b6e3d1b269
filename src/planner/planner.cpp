// SPDX-License-Identifier: BSD-3-Clause
#include "planner/planner.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <fmt/format.h>

#include "algorithm/columns.hpp"
#include "algorithm/pattern/dissemination.hpp"
#include "algorithm/tiers.hpp"
#include "planner/room.hpp"
#include "planner/within_node.hpp"

namespace weft {

namespace {

bool always(const Call&, const Placement&) { return true; }
bool is_small_reduce(const Call& call, const Placement& placement) {
  return call.bytes <= placement.thresholds.shallow_tree;
}
bool keeps_order(const Call& call, const Placement&) { return !call.commutative; }
// Where messages are on their way for long, bytes count more than rounds only in longer ones. What is
// combined in which order must not depend on what a clock has measured (drop_in rule 7).
Bytes long_part(const Call& call, const Placement& placement) {
  constexpr int kFar = 8;
  const bool is_longer = placement.is_far && !is_reduction(call.collective);
  return placement.thresholds.long_part * (is_longer ? kFar : 1);
}
bool has_short_parts(const Call& call, const Placement& placement) {
  return call.bytes / call.rank_count < long_part(call, placement);
}
// With fewer ranks the tree sends the message hardly more often than an algorithm that cuts it into parts.
constexpr std::int64_t kFewestForParts = 4;
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

// Whether so many equals send all that they have at once, because messages take long. The values of an
// allreduce are then combined in the same order as otherwise; those of a reduce would not be.
bool may_have_few_rounds(const Call& call, std::int64_t members, const Placement& placement) {
  if (!placement.is_far) return false;
  if (call.collective == Collective::kAllreduce)
    return call.bytes * members <= placement.thresholds.collected;
  return !is_reduction(call.collective);
}

// All values are better sent to everybody than combined round by round, and blocks than handed on.
bool gathers_from_far(const Call& call, const Placement& placement) {
  return has_short_parts(call, placement) && may_have_few_rounds(call, call.rank_count, placement);
}
bool collects_from_far(const Call& call, const Placement& placement) {
  return placement.is_far && has_short_block_for_ring(call, placement);
}
bool collects_parts_from_far(const Call& call, const Placement& placement) {
  return placement.is_far && has_short_parts_for_ring(call, placement);
}

bool has_columns(const Call& call, const Placement& placement) {
  const bool is_long = call.collective == Collective::kAllgather
                           ? !has_short_result(call, placement)
                           : call.bytes >= placement.thresholds.multi_leader;
  return is_long && fits_columns(call, placement);
}

// A ring of n ranks sends n-1 messages to the right neighbour per time around.
bool may_go_around_twice(std::int64_t ranks) { return 2 * (ranks - 1) <= kMessagesPerPair; }
bool fits_two_turns(const Call& call, const Placement&) { return may_go_around_twice(call.rank_count); }
bool fits_long_parts(const Call& call, const Placement& placement) {
  return has_long_parts(call, placement) && fits_two_turns(call, placement);
}
bool fits_one_turn(const Call& call, const Placement&) {
  return std::int64_t{call.rank_count} - 1 <= kMessagesPerPair;
}

bool takes_few_turns(const Call& call, const Placement&) { return call.rank_count <= 3; }

constexpr std::string_view kNodeIsNear = "all ranks share memory, and what each leaves there is short";
constexpr std::string_view kNodeIsNearAndLong =
    "all ranks share memory, and a long message goes through it in fragments that stay in the caches";
constexpr std::string_view kNodeIsCrowded =
    "all ranks share memory, and are so many that values better climb in groups of at most eight";
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
    PlanRule{Collective::kReduce, is_crowded_node, "hierarchical", kUsual, kNodeIsCrowded},
    PlanRule{Collective::kReduce, is_short_in_node, "fan_in", kUsual, kNodeIsNear},
    PlanRule{Collective::kReduce, is_worth_reaching, "single_copy", kUsual, kReachIsNear},
    PlanRule{Collective::kReduce, fits_fragments, "parts", kUsual, kNodeIsNearAndLong},
    PlanRule{Collective::kReduce, has_columns, "multi_leader", kUsual, kNodesAreFarAndPartsLong,
             &Thresholds::multi_leader},
    PlanRule{Collective::kReduce, has_tiers, "hierarchical", kUsual, kNodesAreFar},
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
    PlanRule{Collective::kAllgather, has_columns, "multi_leader", kUsual,
             "ranks share memory with their neighbours only, and above {} in all their blocks go around the "
             "nodes side by side",
             &Thresholds::collected},
    PlanRule{Collective::kAllgather, has_tiers, "hierarchical", kUsual, kNodesAreFar},
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
    PlanRule{Collective::kAlltoall, fits_fragments, "fragments", kUsual, kNodeIsNearAndLong},
    PlanRule{Collective::kAlltoall, has_tiers, "hierarchical", kUsual, kNodesAreFar},
    PlanRule{Collective::kAlltoall, always, "pairwise", kUsual, "every block goes straight to its receiver"},
    PlanRule{Collective::kGather, is_short_among_few, "fan_in", kUsual, kNodeIsNear},
    PlanRule{Collective::kGather, is_worth_reaching, "single_copy", kUsual, kReachIsNear},
    PlanRule{Collective::kGather, has_long_block, "linear", kUsual, kBlocksAreLong, &Thresholds::long_part},
    PlanRule{Collective::kGather, always, "k_nomial", kUsual, kBlocksAreShort, &Thresholds::long_part},
    PlanRule{Collective::kScatter, is_short_among_few, "fan_out", kUsual, kNodeIsNear},
    PlanRule{Collective::kScatter, is_worth_reaching, "single_copy", kUsual, kReachIsNear},
    PlanRule{Collective::kScatter, has_long_block, "linear", kUsual, kBlocksAreLong, &Thresholds::long_part},
    PlanRule{Collective::kScatter, always, "k_nomial", kUsual, kBlocksAreShort, &Thresholds::long_part},
    PlanRule{Collective::kReduceScatterBlock, is_short_among_few, "exchange", kUsual, kNodeIsNear},
    PlanRule{Collective::kReduceScatterBlock, keeps_order, "pairwise", kUsual, kPairsKeepOrder},
    PlanRule{Collective::kReduceScatterBlock, always, "recursive_halving", kUsual, kHalvesAreBest},
    PlanRule{Collective::kReduceScatter, is_short_among_few, "exchange", kUsual, kNodeIsNear},
    PlanRule{Collective::kReduceScatter, keeps_order, "pairwise", kUsual, kPairsKeepOrder},
    PlanRule{Collective::kReduceScatter, always, "recursive_halving", kUsual, kHalvesAreBest},
    PlanRule{Collective::kScan, is_short_among_few, "exchange", kUsual, kNodeIsNear},
    PlanRule{Collective::kScan, has_long_parts, "chain", kUsual, kChainIsFull, &Thresholds::long_part},
    PlanRule{Collective::kScan, always, "recursive_doubling", kUsual, kScanIsShort, &Thresholds::long_part},
    PlanRule{Collective::kExscan, is_short_among_few, "exchange", kUsual, kNodeIsNear},
    PlanRule{Collective::kExscan, has_long_parts, "chain", kUsual, kChainIsFull, &Thresholds::long_part},
    PlanRule{Collective::kExscan, always, "recursive_doubling", kUsual, kScanIsShort, &Thresholds::long_part},
    PlanRule{Collective::kAllgatherv, has_shares_among_few, "delivery", kUsual, kPairsChoose},
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
  const bool is_long_part = rule.threshold == &Thresholds::long_part;
  const Bytes threshold = is_long_part ? long_part(call, placement) : placement.thresholds.*rule.threshold;
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

// Where nothing is combined, the radix is free. Tiers have their own (see follow).
int radix_of(const PlanRule& rule, const Algorithm& algorithm, const Call& call, const Placement& placement) {
  const int usual = placement.thresholds.*rule.radix;
  const bool is_free = !is_reduction(call.collective) && !algorithm.follows_hierarchy;
  return placement.is_far && is_free ? std::max(usual, radix_of_fewest_rounds(call.rank_count)) : usual;
}

// Leaders are whoever arrives last, unless combining a group could keep a rank longer than the 2 us that it
// may work for others (drop_in rule 8): kernels take some 10 bytes a nanosecond from the caches.
constexpr Bytes kMostForOthers{16 << 10};

Leader leader_for(const Call& call, const Hierarchy& hierarchy) {
  if (!is_reduction(call.collective)) return Leader::kLast;
  int widest = 1;
  for (int tier = 0; tier < hierarchy.memory_tiers(); ++tier)
    widest = std::max(widest, hierarchy.largest_group(tier));
  const bool is_bounded = !call.user_defined && call.bytes * widest <= kMostForOthers;
  return is_bounded ? Leader::kLast : Leader::kFixed;
}

// The parameters of an algorithm that follows a hierarchy. Between the representatives of the last tier parts
// of long blocks travel, rather than the whole.
void follow(const Call& call, const Placement& placement, Parameters& parameters) {
  const Hierarchy& hierarchy = *placement.hierarchy;
  parameters.hierarchy = &hierarchy;
  parameters.leader = leader_for(call, hierarchy);
  const std::size_t last = hierarchy.tiers().size() - 1;
  const auto members = std::int64_t{hierarchy.largest_group(static_cast<int>(last))};
  TierParameters& between = parameters.tiers[last];
  const bool is_long = call.bytes / members >= long_part(call, placement);
  if (is_long) between.aim = Aim::kBytes;
  else if (may_have_few_rounds(call, members, placement)) between.aim = Aim::kLatency;
  const bool is_small = call.collective == Collective::kReduce && is_small_reduce(call, placement);
  if (is_small && hierarchy.memory_tiers() <= static_cast<int>(last))
    between.radix = placement.thresholds.shallow_radix;
}

// Every leader's part is long enough for a message, and what travels at a time for several.
void lead_columns(const Call& call, const Placement& placement, Parameters& parameters) {
  const Thresholds& thresholds = placement.thresholds;
  const auto parts = call.bytes / std::max(thresholds.long_part, Bytes(1));
  parameters.leaders = static_cast<int>(std::clamp<std::int64_t>(parts, 1, call.rank_count));
  parameters.leader_fragment = thresholds.leader_fragment;
  if (placement.hierarchy == nullptr) return;
  parameters.fragment = fragment_of_leaders(call, placement);
  const Columns columns(call, call.root, parameters);
  const std::int64_t nodes = columns.nodes().count();
  const bool is_tree_better = is_rooted(call.collective) && nodes < kFewestForParts;
  const bool sends_long = columns.sent().largest() / nodes >= thresholds.long_part;
  if (sends_long && may_go_around_twice(nodes) && !is_tree_better) parameters.leader_aim = Aim::kBytes;
}

}  // namespace

Parameters parameters_for(const Algorithm& algorithm, const Call& call, const Placement& placement,
                          int radix) {
  Parameters parameters{.radix = radix};
  parameters.in_flight = placement.in_flight;
  // Only what goes through a node's memory has to fit there.
  parameters.fragment = algorithm.within_node && !algorithm.single_copy
                            ? fragment_within_node(call, placement)
                            : placement.thresholds.node_fragment;
  if (algorithm.may_send && placement.single_copy) parameters.single_copy_from = placement.single_copy_from;
  if (algorithm.follows_hierarchy && placement.hierarchy != nullptr) follow(call, placement, parameters);
  if (algorithm.gathers) parameters.bracketing = Bracketing::kPinned;
  if (algorithm.has_columns()) lead_columns(call, placement, parameters);
  return parameters;
}

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
