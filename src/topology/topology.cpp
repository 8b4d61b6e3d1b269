// SPDX-License-Identifier: BSD-3-Clause
#include "topology/topology.hpp"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>

namespace weft {

std::string_view name_of(Level level) {
  switch (level) {
    case Level::kNetwork: return "network";
    case Level::kDevice: return "device";
    case Level::kNode: return "node";
    case Level::kSocket: return "socket";
    case Level::kNuma: return "numa";
    case Level::kL3: return "l3";
    case Level::kL2: return "l2";
    case Level::kCore: return "core";
  }
  return "?";
}

std::optional<Level> level_named(std::string_view name) {
  for (const Level level : kLevels)
    if (name_of(level) == name) return level;
  return std::nullopt;
}

int Topology::Layer::run_of(int leaf) const {
  return static_cast<int>(std::upper_bound(begin.begin(), begin.end(), leaf) - begin.begin()) - 1;
}

Topology::Topology(std::vector<Layer> layers) : layers_(std::move(layers)) {
  assert(!layers_.empty());
  for ([[maybe_unused]] const Layer& layer : layers_)
    assert(layer.begin.size() >= 2 && layer.begin.front() == 0 && layer.begin.back() == leaf_count());
  rank_count_ = leaf_count();
}

Level Topology::root() const {
  return layers_.front().level <= Level::kNode ? Level::kNetwork : Level::kNode;
}

Result<Topology> Topology::with_ranks(int rank_count) const {
  if (rank_count < 1) return Error{fmt::format("{} ranks asked for: at least 1 is needed", rank_count)};
  if (rank_count > leaf_count())
    return Error{
        fmt::format("{} ranks do not fit: `{}` has {} place{}; use at most {} ranks or a larger topology",
                    rank_count, text(), leaf_count(), leaf_count() == 1 ? "" : "s", leaf_count())};
  Topology smaller = *this;
  smaller.rank_count_ = rank_count;
  return smaller;
}

Level Topology::nearest(Rank a, Rank b) const {
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer)
    if (layer->run_of(a.value) == layer->run_of(b.value)) return layer->level;
  return root();
}

std::vector<std::vector<Rank>> Topology::groups(Level level) const {
  std::vector<std::vector<Rank>> groups;
  const auto add = [&](int begin, int end) {
    std::vector<Rank> members;
    for (int leaf = begin; leaf < std::min(end, rank_count_); ++leaf) members.emplace_back(leaf);
    if (!members.empty()) groups.push_back(std::move(members));
  };
  const auto layer =
      std::find_if(layers_.begin(), layers_.end(), [&](const Layer& l) { return l.level == level; });
  if (layer != layers_.end()) {
    for (int run = 0; run < layer->count(); ++run) add(layer->begin[run], layer->begin[run + 1]);
  } else if (level == root()) {
    add(0, leaf_count());
  }
  return groups;
}

}  // namespace weft
