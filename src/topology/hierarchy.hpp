// SPDX-License-Identifier: BSD-3-Clause
// Hierarchy: the ranks of a call in groups, the groups' representatives in groups again, and so on until one
// group is left. What algorithms climb and descend.
//
//   socket+node on node:2 socket:2 core:2
//
//   tier 2   network   messages   0───────4           one representative of each node
//   tier 1   node      memory     0───2   4───6       one representative of each socket
//   tier 0   socket    memory     0─1 2─3 4─5 6─7     all ranks
//
// A depth is a word: `flat`, or levels of the topology from near to far, joined by +. What all ranks have in
// common stands on top without being named; a level that joins nobody (one member in each group) makes no
// tier.
//
// The group that the leader is in is represented by the leader, every other one by its first member. The
// leader is rank 0, or the root of a rooted collective: led_by() moves the representatives, never the groups.
//
// Invariants
//  1. Tier 0 has every rank once; tier i + 1 has the representative of each group of tier i once; the last
//     tier has one group.
//  2. Members are listed in the order of the ranks that they stand for, wherever the leader is. The ranks of
//     a group need not be neighbours: see keeps_rank_order().
//  3. Tiers whose groups share memory come first, and they are at most kMostMemoryTiers.
//
// Immutable. Copies share all but the leader.
// Cost: O(log n) in ranks for what is about one rank or one group, O(n) for lists and to make one; flat()
// O(1).
//
// Cheetah (2013), section III: subgroups.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "topology/parts.hpp"
#include "topology/topology.hpp"

namespace weft {

// What joins the members of a group: memory, a device, or plain messages. Groups that a device joins stand
// apart from those that messages join: the level `device` groups the former, `network` the latter.
enum class Joined : std::uint8_t { kMemory, kDevice, kMessages };

// "memory", "device", "messages".
std::string_view name_of(Joined joined);

// The levels of a depth, from near to far, none for `flat`; whether a topology has them is not asked. Errors
// say what is allowed.
Result<std::vector<Level>> levels_named(std::string_view depth);
// Whether that is a depth, and one of its levels parts ranks of one node.
bool names_levels_within_node(std::string_view depth);

class Hierarchy {
 public:
  // A tier for each level, and one for the root of a topology that divides the network.
  static constexpr std::size_t kMostTiers = kLevels.size() + 1;
  // Each tier in memory needs lines of its own on a node, and so does the way down.
  static constexpr int kMostMemoryTiers = 3;

  struct Tier {
    Level level;  // of the nearest thing that the members of a group have in common
    Joined joined;
  };

  // A group of a tier, as one of its members sees it.
  struct Seat {
    int tier = 0;
    int first = 0;  // of the parts that the members stand for: those side by side from here
    int size = 0;
    int place = 0;           // of the member
    int representative = 0;  // place of the one that goes on to the next tier

    bool represents() const { return place == representative; }
  };

  // All ranks in one group, joined by messages.
  static Hierarchy flat(int rank_count);

  // The ranks sit on the topology's first places, or rank r on leaf places[r] where that is given. Errors
  // name the depth, what is wrong with it, and what is allowed.
  static Result<Hierarchy> make(const Topology& topology, std::string_view depth,
                                std::span<const int> places = {});

  // As make(), but levels that the topology does not have are left out.
  static Result<Hierarchy> make_from_what_is_there(const Topology& topology, std::string_view depth,
                                                   std::span<const int> places = {});

  // The most ranks that count themselves in at one counter (drop_in rule 6), or read one another's lines.
  static constexpr int kMostAtOneLine = 8;
  // The same ranks, where wider groups in memory are first joined in parts of at most kMostAtOneLine
  // neighbours, as far as there may be more tiers.
  Hierarchy in_narrow_groups() const;

  const std::string& depth() const { return structure_->depth; }
  int rank_count() const { return structure_->nodes.line().size(); }
  const std::vector<Tier>& tiers() const { return structure_->tiers; }
  int memory_tiers() const;

  Hierarchy led_by(Rank leader) const;  // of a hierarchy that make() or flat() returned

  // The seat in a tier of the rank, or of the member that stands for it there.
  Seat seat(int tier, Rank rank) const;
  // The rank's own seat in each tier in which it takes part, from near to far.
  std::vector<Seat> seats(Rank rank) const;
  Rank member(const Seat& seat, int place) const {
    return representative(parts(seat.tier), seat.first + place);
  }
  std::vector<Rank> members(const Seat& seat) const;
  int largest_group(int tier) const { return structure_->largest_groups[static_cast<std::size_t>(tier)]; }
  std::vector<std::vector<Rank>> groups(int tier) const;  // their members

  // What the members of tier `tier` stand for: each part the ranks of one of them, themselves in tier 0.
  // parts(tiers().size()) is one part, all ranks. Valid as long as any copy of this hierarchy.
  const Parts& parts(int tier) const { return structure_->parts[static_cast<std::size_t>(tier)]; }
  // The ranks that share memory, whether a tier joins them or not, each node in the order of order(), the
  // nodes by their first ranks there. Valid as long as any copy of this hierarchy.
  const Parts& nodes() const { return structure_->nodes; }
  std::vector<Rank> node_of(Rank rank) const { return nodes().ranks(nodes().number_of(rank)); }
  // Who stands for one of these parts.
  Rank representative(const Parts& parts, int part) const {
    return parts.has(part, leader_) ? leader_ : parts.rank(part, 0);
  }

  // All ranks as parts list them, and the drawing.
  std::vector<Rank> order() const { return parts(static_cast<int>(tiers().size())).ranks(0); }
  // order() is that of the ranks: only then may operators that do not commute climb (drop_in rule 7).
  bool keeps_rank_order() const { return parts(0).line().is_in_rank_order(); }

  std::string text() const;  // the drawing, one line per tier from far to near; counts where it gets too wide

 private:
  struct Structure {
    std::string depth;
    std::vector<Tier> tiers;
    std::vector<Parts> parts;  // by tier, and what the last representative stands for
    Parts nodes;
    std::vector<int> largest_groups{};  // by tier

    Seat group(int tier, int number) const;
  };
  explicit Hierarchy(Structure structure);

  std::shared_ptr<const Structure> structure_;
  Rank leader_{0};
};

}  // namespace weft
