// SPDX-License-Identifier: BSD-3-Clause
// Algorithm: the card of one: what it is for, when it may be used, what it costs, and its builder. It stands
// beside the builder, in <collective>/<idea>.cpp.
#pragma once

#include <array>
#include <string_view>

#include "collective/parcels.hpp"
#include "schedule/builder.hpp"
#include "topology/hierarchy.hpp"

namespace weft {

// What an exchange between equals is to save: rounds and messages (short messages), bytes (long ones), or
// rounds whatever the number of messages (short ones that are on their way for long).
enum class Aim : std::uint8_t { kRounds, kBytes, kLatency };

// Who does the work of a group that shares memory: whoever arrives last, so that nobody's progress is needed,
// or always the same rank. Operators that may take long are not for others to apply (drop_in rule 8).
enum class Leader : std::uint8_t { kLast, kFixed };

// In which order a reduction within a node combines the ranks' values: one after the other, or as the
// algorithms that send messages do with the same radix, so that both give the same bits (drop_in rule 7).
enum class Bracketing : std::uint8_t { kFold, kPinned };

// How a hierarchical algorithm works in one tier that messages join.
struct TierParameters {
  int radix = 0;  // 0: that of the call
  Aim aim = Aim::kRounds;

  auto operator<=>(const TierParameters&) const = default;
};

struct Parameters {
  int radix = 2;        // of trees, recursive k-ing and dissemination; ignored by algorithms without one
  int bcast_radix = 0;  // of the way down, if that has a degree of its own; 0: as radix
  int window = 32;      // messages that may be under way at a time, where an algorithm limits them
  // The most that is moved at a time of a long message: along a chain, or, for each rank, through a node's
  // memory; where blocks have sizes of their own, what each pair's share of that holds.
  Bytes fragment{64 << 10};
  // Where blocks have sizes of their own: what is moved at a time of what does not fit into a pair's share,
  // in whole kLineStrides. 0: such blocks travel as messages.
  Bytes pair_fragment{0};
  Bytes single_copy_from{0};         // blocks that two ranks copy from buffer to buffer instead; 0: none
  int leaders = 0;                   // on each node, each for its part of a message; 0: all its ranks
  Bytes leader_fragment{256 << 10};  // what a leader sends of its part at a time, to other nodes
  Aim leader_aim = Aim::kRounds;     // what the leaders' exchanges are to save
  int in_flight = 4;  // fragments that a root leaves, or is left, before the first must have been taken
  Bracketing bracketing = Bracketing::kFold;

  // The hierarchy of algorithms that follow one. null: all ranks are one tier, joined by messages.
  const Hierarchy* hierarchy = nullptr;
  Leader leader = Leader::kLast;
  std::array<TierParameters, Hierarchy::kMostTiers> tiers{};

  auto operator<=>(const Parameters&) const = default;
};

// What the busiest rank pays. Time under LogGP: rounds * (L + 2o) + sent * G + reduced * gamma.
struct Cost {
  int rounds = 0;    // messages one after another on the longest path
  int messages = 0;  // sent by the busiest rank
  Bytes sent;        // bytes that the busiest rank sends
  Bytes reduced;     // bytes that the busiest rank combines

  friend Cost operator+(const Cost& a, const Cost& b) {
    return {a.rounds + b.rounds, a.messages + b.messages, a.sent + b.sent, a.reduced + b.reduced};
  }
};

inline bool any_call(const Call&) { return true; }
inline bool never(const Call&, const Parameters&) { return false; }
inline bool always(const Call&, const Parameters&) { return true; }
inline bool in_one_fragment(const Call& call, const Parameters& parameters) {
  return call.bytes <= parameters.fragment;
}
inline bool if_commutative(const Call& call) { return call.commutative; }
inline bool is_pair(const Call& call) { return call.rank_count == 2; }

// A card. The letters of its formula: n ranks, m bytes (one rank's block, or what Call::bytes says), radix k,
// k' down, w messages at a time, f a fragment's bytes; L + 2o: a message's latency; G, g: to send, to reduce
// a byte. Tiers: n_t members of a group of tier t, T tiers in memory, n_0 ranks of a node, N nodes. Within a
// node: l: a line's way from core to core; c: to copy a byte, to or from shared memory or another rank.
struct Algorithm {
  Collective collective;
  std::string_view name;     // by its idea
  std::string_view summary;  // one line for tables
  std::string_view formula;  // the cost as people write it
  std::string_view source;   // paper and section
  bool has_radix = false;
  bool has_bcast_radix = false;
  bool has_window = false;
  bool within_node = false;        // all ranks must share memory
  bool may_send = false;           // messages, too, although it works within a node
  bool has_fragments = false;      // cuts long messages at multiples of the parameters' fragment
  bool single_copy = false;        // ranks must be able to reach into each other's memory
  bool follows_hierarchy = false;  // follows the parameters' hierarchy, of any depth
  bool gathers = false;  // all values before it combines any: the hierarchy need not keep rank order
  bool (*eligible)(const Call& call) = any_call;  // beyond the collective itself
  // Whether all places in a schedule for this call are multiples of its block, or shares in whole
  // elements that all ranks cut alike, so that it serves shorter calls, too (see sized_schedule.hpp). Where blocks
  // differ and every rank has all of them, the call stands for one in which all are as long as the longest.
  bool (*scales)(const Call& call, const Parameters& parameters) = never;
  // Where blocks have sizes of their own, schedules whose blocks go by the same ways differ in numbers alone.
  // null: in more than that.
  Ways (*ways)(const Call& call, const Parameters& parameters) = nullptr;
  // Writes a rank's schedule. Called for at least two ranks and, but for the barrier, at least one byte;
  // where ranks have parcels, whose sizes others do not know, always.
  void (*build)(Builder& builder, const Parameters& parameters);
  // What the schedule costs. Exact for the busiest rank, and in rounds never less than the longest path of
  // messages; with parcels never less in either. Over a hierarchy exact where all groups of a tier are of one
  // size, else never less. A property test compares.
  Cost (*cost)(const Call& call, const Parameters& parameters);

  // Whether somebody combines for a group; in a bcast nothing climbs.
  bool has_leaders() const { return follows_hierarchy && !has_columns() && collective != Collective::kBcast; }
  // Long messages travel in parts, see columns.hpp.
  bool has_columns() const { return follows_hierarchy && has_fragments; }
};

// Writes a subgroup's part by an algorithm for a whole call.
inline void build_in(Builder& b, Subgroup group, const Algorithm& algorithm, const Parameters& parameters) {
  const Builder::Frame frame(b, std::move(group));
  algorithm.build(b, parameters);
}

}  // namespace weft
