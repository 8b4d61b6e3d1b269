// SPDX-License-Identifier: BSD-3-Clause
// Distance: the level of the nearest thing that two ranks share, quickly where every part of a level has as
// many ranks as the others.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/topology.hpp"

namespace weft::simulator {

class Distance {
 public:
  // Null: each rank is on a node of its own.
  explicit Distance(const Topology* topology, bool adapter_per_node) {
    if (topology == nullptr) return;
    topology_ = topology;
    for (const Topology::Layer& layer : topology->layers()) {
      const int size = layer.begin[1] - layer.begin[0];
      bool is_even = true;
      for (std::size_t i = 1; i < layer.begin.size(); ++i)
        is_even &= layer.begin[i] - layer.begin[i - 1] == size;
      even_ &= is_even;
      layers_.push_back({layer.level, size});
      if (layer.level == Level::kNode && adapter_per_node) node_ = &layer;
    }
    root_ = topology->root();
  }

  Level nearest(int a, int b) const {
    if (topology_ == nullptr) return Level::kNetwork;
    if (!even_) return topology_->nearest(Rank(a), Rank(b));
    Level level = root_;
    for (const auto& [next, size] : layers_) {
      if (a / size != b / size) break;
      level = next;
    }
    return level;
  }

  // The rank in whose name the adapter of this one's stands.
  std::uint32_t adapter_of(std::uint32_t rank) const {
    if (node_ == nullptr) return rank;
    const int run = node_->run_of(static_cast<int>(rank));
    return static_cast<std::uint32_t>(node_->begin[static_cast<std::size_t>(run)]);
  }

 private:
  struct Even {
    Level level;
    int size;
  };
  const Topology* topology_ = nullptr;
  const Topology::Layer* node_ = nullptr;
  std::vector<Even> layers_;
  Level root_ = Level::kNetwork;
  bool even_ = true;
};

}  // namespace weft::simulator
