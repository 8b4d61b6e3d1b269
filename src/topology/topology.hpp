// SPDX-License-Identifier: BSD-3-Clause
// Topology: who is near whom. A tree of levels whose leaves are the places where ranks sit, filled in order.
//
//   node:2 socket:2 core:4        2 nodes, 2 sockets in each, 4 cores in each: 16 places
//   socket:2 core:4,2             counts that differ are listed, one per parent
//
// The leaves are numbered from left to right, so that every level is a partition of them into runs: that is
// all that is stored. The root is not written: it is the network, or the node if the text begins below it.
// Parts of the network (leaf switches, `network:3 node:8`) may be written; they have its name, and what goes
// from one to another counts as network as well. Nodes that a device joins, one that executes communication
// by itself, are a level of their own (`device:2 node:4`): Cheetah's IBNET beside its P2P.
//
// Cost: nearest() O(levels * log n), groups() O(n).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft {

// The levels, from far to near.
enum class Level : std::uint8_t { kNetwork, kDevice, kNode, kSocket, kNuma, kL3, kL2, kCore };

inline constexpr std::array kLevels = {Level::kNetwork, Level::kDevice, Level::kNode, Level::kSocket,
                                       Level::kNuma,    Level::kL3,     Level::kL2,   Level::kCore};

// "network", "device", "node", "socket", "numa", "l3", "l2", "core".
std::string_view name_of(Level level);
std::optional<Level> level_named(std::string_view name);

class Topology {
 public:
  // One level: run i are the leaves from begin[i] up to begin[i + 1]; the last entry is the number of leaves.
  struct Layer {
    Level level;
    std::vector<int> begin;

    int count() const { return static_cast<int>(begin.size()) - 1; }
    int run_of(int leaf) const;
    bool operator==(const Layer&) const = default;
  };

  // Layers from far to near, each a refinement of the one before, the last one with one leaf per run.
  explicit Topology(std::vector<Layer> layers);

  // Errors name line and column, and what is allowed.
  static Result<Topology> parse(std::string_view text);

  const std::vector<Layer>& layers() const { return layers_; }
  int leaf_count() const { return layers_.back().count(); }
  int rank_count() const { return rank_count_; }
  Level root() const;  // what everything has in common: kNetwork or kNode

  // The same machine with this many ranks on the first places. More ranks than places is an error.
  Result<Topology> with_ranks(int rank_count) const;

  // The level of the nearest thing that both ranks are in; for a == b the lowest level there is.
  Level nearest(Rank a, Rank b) const;

  // The ranks in each run of the level, empty runs left out. The root's level gives one group of all; a level
  // that this topology does not have gives none.
  std::vector<std::vector<Rank>> groups(Level level) const;

  std::string text() const;  // parse(text()) has the same layers
  std::string json()
      const;  // {"text": …, "ranks": n, "root": level, "children": [{"level", "ranks", "children"}]}
  std::string tree() const;  // an indented drawing with the ranks of each part

  bool operator==(const Topology&) const = default;

 private:
  std::vector<Layer> layers_;
  int rank_count_;
};

}  // namespace weft
