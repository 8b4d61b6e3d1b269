// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <nlohmann/json.hpp>

#include "topology/topology.hpp"

namespace weft {
namespace {

using nlohmann::ordered_json;

// [first, last] of the ranks in a run of leaves; empty if nobody sits there.
ordered_json rank_range(const Topology& topology, int begin, int end) {
  end = std::min(end, topology.rank_count());
  return begin < end ? ordered_json::array({begin, end - 1}) : ordered_json::array();
}

ordered_json children(const Topology& topology, std::size_t layer, int begin, int end) {
  ordered_json list = ordered_json::array();
  if (layer == topology.layers().size()) return list;
  const auto& starts = topology.layers()[layer].begin;
  for (auto run = std::lower_bound(starts.begin(), starts.end(), begin); *run < end; ++run) {
    ordered_json part = {{"level", name_of(topology.layers()[layer].level)},
                         {"ranks", rank_range(topology, *run, *std::next(run))}};
    if (layer + 1 < topology.layers().size())
      part["children"] = children(topology, layer + 1, *run, *std::next(run));
    list.push_back(std::move(part));
  }
  return list;
}

}  // namespace

std::string Topology::json() const {
  const ordered_json all = {{"text", text()},
                            {"places", leaf_count()},
                            {"ranks", rank_count_},
                            {"root", name_of(root())},
                            {"children", children(*this, 0, 0, leaf_count())}};
  return all.dump(2);
}

}  // namespace weft
