// SPDX-License-Identifier: BSD-3-Clause
#include "planner/planner.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "algorithm/pattern/single_copy.hpp"

namespace weft {

namespace {

// A transport may have only so many bits to tell the messages of one operation between two ranks apart; 13
// bits in a message tag is the narrowest. So no plan sends more than this from one rank to another.
constexpr std::int64_t kMessagesPerPair = 8191;

// From where on the ring's 2 (n-1) short messages cost less than log n long ones: latency and bandwidth of
// today's nodes and networks weigh alike at some kilobytes.
constexpr Bytes kRingBlock{8 << 10};
constexpr Bytes kDoublingTotal{64 << 10};
constexpr Bytes kShallowTree{4 << 10};
constexpr Bytes kFragment{64 << 10};

bool always(const Call&, const Placement&) { return true; }
bool is_small_reduce(const Call& call, const Placement&) { return call.bytes <= kShallowTree; }
bool keeps_order(const Call& call, const Placement&) { return !call.commutative; }
bool has_short_blocks(const Call& call, const Placement&) {
  return call.bytes / call.rank_count < kRingBlock;
}
bool has_short_result(const Call& call, const Placement&) {
  return call.bytes * call.rank_count <= kDoublingTotal;
}

// Within a node: short messages are left whole, long ones go through in fragments. Short is what one core
// copies while another waits for two more lines (4 KiB), or, where each of n ranks would combine all n of
// them, less.
constexpr Bytes kWhole{4 << 10};
constexpr std::int64_t kMostPieces = std::int64_t{1} << 22;  // a schedule names each: some hundred bytes

Bytes left_by_each(const Call& call) {
  return call.collective == Collective::kAlltoall ? call.bytes * call.rank_count : call.bytes;
}
bool is_short_in_node(const Call& call, const Placement& placement) {
  return placement.one_node &&
         left_by_each(call) <= std::max(std::min(kWhole, placement.slot_bytes), kLineBytes);
}

// The largest fragment for which each algorithm's pieces fit into the slots of all ranks.
Bytes largest_fragment(const Call& call, const Placement& placement) {
  const std::int64_t n = call.rank_count;
  const Bytes all = placement.slot_bytes * n;
  const std::int64_t pieces = is_reduction(call.collective)               ? 2 * (n + 1)
                              : call.collective == Collective::kBcast     ? placement.in_flight
                              : call.collective == Collective::kAllgather ? 2 * n
                                                                          : 2 * n * n;
  return std::min(kFragment, all / pieces / kLineStride * kLineStride);
}
bool fits_fragments(const Call& call, const Placement& placement) {
  if (!placement.one_node) return false;
  const Bytes fragment = largest_fragment(call, placement) / call.element_bytes * call.element_bytes;
  return fragment > Bytes(0) && call.bytes / fragment < kMostPieces / call.rank_count;
}

// What a rank moves to or from another, in one piece, is worth a system call.
bool is_worth_reaching(const Call& call, const Placement& placement) {
  return placement.one_node && placement.single_copy && placement.single_copy_from > Bytes(0) &&
         call.bytes >= placement.single_copy_from && can_expose_all(call);
}

// What a hierarchical algorithm takes of a node's memory, for each of its ranks.
Bytes taken_by_tiers(const Call& call) {
  const Bytes block = call.bytes <= kLineBytes ? Bytes(0) : whole_lines(call.bytes);
  switch (call.collective) {
    case Collective::kAllgather: return block + whole_lines(call.bytes * call.rank_count);
    case Collective::kAlltoall: return 2 * whole_lines(call.bytes * call.rank_count);
    default: return block;
  }
}
bool has_tiers(const Call& call, const Placement& placement) {
  if (placement.hierarchy == nullptr || taken_by_tiers(call) > placement.slot_bytes) return false;
  if (!call.commutative && !placement.hierarchy->keeps_rank_order()) return false;
  const auto hierarchical = find_algorithm(call.collective, "hierarchical");
  return hierarchical.ok() && (*hierarchical)->eligible(call);
}

// More ranks than should read one another's lines, and what climbs is short.
bool is_crowded_node(const Call& call, const Placement& placement) {
  return call.rank_count > Hierarchy::kMostAtOneLine && is_short_in_node(call, placement) &&
         has_tiers(call, placement);
}

// A ring of n ranks sends n-1 messages to the right neighbour per time around.
bool fits_two_turns(const Call& call, const Placement&) {
  return 2 * (std::int64_t{call.rank_count} - 1) <= kMessagesPerPair;
}
bool fits_one_turn(const Call& call, const Placement&) {
  return std::int64_t{call.rank_count} - 1 <= kMessagesPerPair;
}

constexpr std::string_view kNodeIsNear = "all ranks share memory, and what each leaves there is short";
constexpr std::string_view kNodeIsNearAndLong =
    "all ranks share memory, and a long message goes through it in fragments that stay in the caches";
constexpr std::string_view kNodeIsCrowded =
    "all ranks share memory, and are so many that values better climb in groups of at most eight";
constexpr std::string_view kReachIsNear =
    "all ranks share a node, and a long message is copied once, from buffer to buffer";
constexpr std::string_view kNodesAreFar =
    "ranks share memory with their neighbours only, so that one of each node speaks for the others";

struct Rule {
  Collective collective;
  bool (*applies)(const Call& call, const Placement& placement);
  std::string_view algorithm;
  int radix;
  std::string_view why;
};

// The first rule that applies, from top to bottom. The last of each collective always does.
constexpr std::array kRules = {
    Rule{Collective::kBarrier, is_crowded_node, "hierarchical", 2, kNodeIsCrowded},
    Rule{Collective::kBarrier, is_short_in_node, "exchange", 2, kNodeIsNear},
    Rule{Collective::kBarrier, has_tiers, "hierarchical", 2, kNodesAreFar},
    Rule{Collective::kBarrier, always, "dissemination", 2, "it takes the fewest rounds, one message each"},
    Rule{Collective::kBcast, is_short_in_node, "fan_out", 2, kNodeIsNear},
    Rule{Collective::kBcast, is_worth_reaching, "single_copy", 2, kReachIsNear},
    Rule{Collective::kBcast, fits_fragments, "pipeline", 2, kNodeIsNearAndLong},
    Rule{Collective::kBcast, has_tiers, "hierarchical", 2, kNodesAreFar},
    Rule{Collective::kBcast, always, "k_nomial", 2,
         "the binomial tree doubles in each round who has the message"},
    Rule{Collective::kReduce, is_crowded_node, "hierarchical", 2, kNodeIsCrowded},
    Rule{Collective::kReduce, is_short_in_node, "fan_in", 2, kNodeIsNear},
    Rule{Collective::kReduce, is_worth_reaching, "single_copy", 2, kReachIsNear},
    Rule{Collective::kReduce, fits_fragments, "parts", 2, kNodeIsNearAndLong},
    Rule{Collective::kReduce, has_tiers, "hierarchical", 2, kNodesAreFar},
    Rule{Collective::kReduce, is_small_reduce, "n_ary_tree", 4,
         "up to 4 KiB latency counts more than reducing, so the tree is shallow"},
    Rule{Collective::kReduce, always, "n_ary_tree", 2,
         "above 4 KiB each child's message and reduction counts, so nodes have few children"},
    Rule{Collective::kAllreduce, is_crowded_node, "hierarchical", 2, kNodeIsCrowded},
    Rule{Collective::kAllreduce, is_short_in_node, "exchange", 2, kNodeIsNear},
    Rule{Collective::kAllreduce, is_worth_reaching, "single_copy", 2, kReachIsNear},
    Rule{Collective::kAllreduce, fits_fragments, "parts", 2, kNodeIsNearAndLong},
    Rule{Collective::kAllreduce, has_tiers, "hierarchical", 2, kNodesAreFar},
    Rule{Collective::kAllreduce, keeps_order, "recursive_k_ing", 2,
         "the operator does not commute, and this keeps rank order in the fewest rounds"},
    Rule{Collective::kAllreduce, has_short_blocks, "recursive_k_ing", 2,
         "below 8 KiB per rank latency counts most, and this takes the fewest rounds"},
    Rule{Collective::kAllreduce, fits_two_turns, "ring", 2,
         "with at least 8 KiB per rank bandwidth counts most, and here every byte is sent only twice"},
    Rule{
        Collective::kAllreduce, always, "recursive_k_ing", 2,
        "a ring of more than 4,096 ranks needs more than 8,191 messages per pair, all that a tag can number"},
    Rule{Collective::kAllgather, is_short_in_node, "exchange", 2, kNodeIsNear},
    Rule{Collective::kAllgather, is_worth_reaching, "single_copy", 2, kReachIsNear},
    Rule{Collective::kAllgather, fits_fragments, "fragments", 2, kNodeIsNearAndLong},
    Rule{Collective::kAllgather, has_tiers, "hierarchical", 2, kNodesAreFar},
    Rule{Collective::kAllgather, has_short_result, "recursive_doubling", 2,
         "up to 64 KiB in all latency counts most, and this takes the fewest rounds"},
    Rule{Collective::kAllgather, fits_one_turn, "ring", 2,
         "above 64 KiB in all bandwidth counts most, and here every byte goes to a neighbour, once"},
    Rule{
        Collective::kAllgather, always, "recursive_doubling", 2,
        "a ring of more than 8,192 ranks needs more than 8,191 messages per pair, all that a tag can number"},
    Rule{Collective::kAlltoall, is_short_in_node, "exchange", 2, kNodeIsNear},
    Rule{Collective::kAlltoall, is_worth_reaching, "single_copy", 2, kReachIsNear},
    Rule{Collective::kAlltoall, fits_fragments, "fragments", 2, kNodeIsNearAndLong},
    Rule{Collective::kAlltoall, has_tiers, "hierarchical", 2, kNodesAreFar},
    Rule{Collective::kAlltoall, always, "pairwise", 2, "every block goes straight to its receiver"},
};

}  // namespace

namespace {

// Leaders are whoever arrives last, unless combining a group could keep a rank longer than the 2 us that it
// may work for others (drop_in rule 8): kernels take some 10 bytes a nanosecond from the caches.
constexpr Bytes kMostForOthers{16 << 10};

Leader leader_for(const Call& call, const Hierarchy& hierarchy) {
  if (!is_reduction(call.collective)) return Leader::kLast;
  std::size_t widest = 1;
  for (const Hierarchy::Tier& tier : hierarchy.tiers())
    for (const auto& group : tier.groups)
      if (tier.joined == Joined::kMemory) widest = std::max(widest, group.size());
  const bool is_bounded =
      !call.user_defined && call.bytes * static_cast<std::int64_t>(widest) <= kMostForOthers;
  return is_bounded ? Leader::kLast : Leader::kFixed;
}

// Between the last representatives, long blocks are better sent around than exchanged whole.
void follow(const Call& call, const Hierarchy& hierarchy, Parameters& parameters) {
  parameters.hierarchy = &hierarchy;
  parameters.leader = leader_for(call, hierarchy);
  const std::size_t last = hierarchy.tiers().size() - 1;
  const auto members = static_cast<std::int64_t>(hierarchy.tiers()[last].groups.front().size());
  if (call.bytes / members >= kRingBlock) parameters.tiers[last].aim = Aim::kBytes;
}

}  // namespace

Choice choose(const Call& call, const Placement& placement) {
  for (const Rule& rule : kRules) {
    if (rule.collective != call.collective || !rule.applies(call, placement)) continue;
    const auto algorithm = find_algorithm(rule.collective, rule.algorithm);
    assert(algorithm.ok() && (*algorithm)->eligible(call) &&
           "a rule names an algorithm that the catalog lacks");
    Parameters parameters{.radix = rule.radix};
    parameters.in_flight = placement.in_flight;
    parameters.fragment = (*algorithm)->single_copy ? kFragment : largest_fragment(call, placement);
    if ((*algorithm)->follows_hierarchy) follow(call, *placement.hierarchy, parameters);
    return {*algorithm, parameters, std::string(rule.why)};
  }
  assert(false && "every collective has a rule that always applies");
  return {};
}

Choice choose_reproducible(Call call, const Placement& placement) {
  call.commutative = false;
  if (!is_reduction(call.collective)) return choose(call, placement);
  Placement flat = placement;
  flat.hierarchy = nullptr;
  const Choice choice = choose(call, flat);
  // The plan of a short message over a network. Others must evaluate its bracket; those of a hierarchy's
  // depth have brackets of their own.
  call.bytes = call.element_bytes = Bytes(1);
  Choice pinned = choose(call);
  if (!choice.algorithm->within_node) return pinned;
  pinned.algorithm = choice.algorithm;
  pinned.parameters.fragment = choice.parameters.fragment;
  pinned.parameters.in_flight = choice.parameters.in_flight;
  pinned.parameters.bracketing = Bracketing::kPinned;
  pinned.why = choice.why + "; operands in the order that all plans for this number of ranks have";
  return pinned;
}

}  // namespace weft
