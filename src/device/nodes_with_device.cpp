// SPDX-License-Identifier: BSD-3-Clause
#include "device/nodes_with_device.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace weft::device {
namespace {

// Each node that is left, and the others that it does not reach. One that is parted within itself lacks
// itself.
using Lacks = std::map<int, std::set<int>>;

void leave_out(Lacks& nodes, int node) {
  nodes.erase(node);
  for (auto& [one, lacks] : nodes) lacks.erase(node);
}

Lacks::const_iterator worst_of(const Lacks& nodes) {
  const auto is_less = [](const auto& a, const auto& b) {
    return std::pair(a.second.contains(a.first), a.second.size()) <
           std::pair(b.second.contains(b.first), b.second.size());
  };
  auto worst = nodes.begin();
  for (auto at = nodes.begin(); at != nodes.end(); ++at)
    if (!is_less(*at, *worst)) worst = at;
  return worst;
}

}  // namespace

std::vector<char> processes_with_device(std::span<const int> node_of, std::span<const char> has_wire,
                                        std::span<const Parted> parted) {
  const auto node = [&](int process) { return node_of[static_cast<std::size_t>(process)]; };
  Lacks nodes;
  for (const int one : node_of) nodes[one];
  const std::size_t all = nodes.size();
  for (const auto& [one, other] : parted) {
    nodes[node(one)].insert(node(other));
    nodes[node(other)].insert(node(one));
  }
  for (std::size_t process = 0; process < node_of.size(); ++process)
    if (has_wire[process] == 0) leave_out(nodes, node_of[process]);
  while (!nodes.empty()) {
    const auto worst = worst_of(nodes);
    if (worst->second.empty()) break;
    leave_out(nodes, worst->first);
  }
  if (nodes.size() == 1 && all > 1) nodes.clear();
  std::vector<char> has_device;
  has_device.reserve(node_of.size());
  for (const int one : node_of) has_device.push_back(nodes.contains(one) ? 1 : 0);
  return has_device;
}

}  // namespace weft::device
