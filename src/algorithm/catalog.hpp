// SPDX-License-Identifier: BSD-3-Clause
// Catalog: the one visible table of algorithms: what each is for, when it may be used, what it costs. Its
// entries stand in entries/, by what they do.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "collective/call.hpp"
#include "schedule/builder.hpp"
#include "schedule/schedule.hpp"
#include "topology/hierarchy.hpp"

namespace weft {

// What an exchange between equals saves.
enum class Aim : std::uint8_t { kRounds, kBytes };

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
  int bcast_radix = 0;  // of the way down where that has a degree of its own; 0: that of the way up
  int window = 32;      // messages that may be under way at a time, where an algorithm limits them
  // Of a long message that goes through a node's memory, of each rank, or along a chain: at most so much at a
  // time.
  Bytes fragment{64 << 10};
  int leaders = 0;                   // of a node, each for its part of a message; 0: all its ranks
  Bytes leader_fragment{256 << 10};  // of its part, what a leader sends to other nodes at a time
  Aim leader_aim = Aim::kRounds;     // of those exchanges
  int in_flight = 2;  // fragments of a bcast that the root leaves before the first must have been taken
  Bracketing bracketing = Bracketing::kFold;

  // For algorithms that follow one. null: all ranks are one tier, joined by messages.
  const Hierarchy* hierarchy = nullptr;
  Leader leader = Leader::kLast;
  std::array<TierParameters, Hierarchy::kMostTiers> tiers{};

  auto operator<=>(const Parameters&) const = default;
};

// What the busiest rank pays. Time under LogGP: rounds * (L + 2o) + sent * G + reduced * gamma.
struct Cost {
  int rounds = 0;    // messages one after another on the longest path
  int messages = 0;  // that the busiest rank sends
  Bytes sent;        // by the busiest rank
  Bytes reduced;     // bytes that the busiest rank combines

  friend Cost operator+(const Cost& a, const Cost& b) {
    return {a.rounds + b.rounds, a.messages + b.messages, a.sent + b.sent, a.reduced + b.reduced};
  }
};

struct Algorithm {
  Collective collective;
  std::string_view name;     // by its idea
  std::string_view summary;  // one line for tables
  std::string_view formula;  // the cost as people write it, n ranks, m bytes
  std::string_view source;   // paper and section
  bool has_radix = false;
  bool has_bcast_radix = false;
  bool has_window = false;
  bool within_node = false;        // all ranks must share memory
  bool has_fragments = false;      // cuts long messages at multiples of the parameters' fragment
  bool single_copy = false;        // ranks must be able to reach into each other's memory
  bool follows_hierarchy = false;  // that of the parameters, of any depth
  bool gathers = false;  // all values before it combines any: the hierarchy need not keep rank order
  bool (*eligible)(const Call& call);  // beyond the collective itself
  void (*build)(Builder& builder, const Parameters& parameters);
  Cost (*cost)(const Call& call, const Parameters& parameters);

  // Somebody does a group's work; but what is broadcast climbs nowhere.
  bool has_leaders() const { return follows_hierarchy && !has_columns() && collective != Collective::kBcast; }
  // Long messages travel in parts, see columns.hpp.
  bool has_columns() const { return follows_hierarchy && has_fragments; }
};

std::span<const Algorithm> catalog();

// With nobody to talk to, or nothing to say. A barrier has something to say without bytes; and where nobody
// knows all sizes, each rank sees for itself.
bool nothing_travels(const Call& call);

// The entry, or an error that lists the names there are.
Result<const Algorithm*> find_algorithm(Collective collective, std::string_view name);

// One rank's schedule, with its parcels where the collective has them. Requires algorithm.eligible(call) and
// parameters.radix >= 2. Nothing travels when there is nothing to move: zero bytes (but for the barrier) and
// one rank give schedules without messages.
Schedule build(const Algorithm& algorithm, const Call& call, const Parameters& parameters, Rank self,
               bool in_place, Parcels parcels = {});

// The same for people to look at, and for tests: with example_parcels() where the collective has parcels.
Schedule build_example(const Algorithm& algorithm, const Call& call, const Parameters& parameters, Rank self,
                       bool in_place);

}  // namespace weft
