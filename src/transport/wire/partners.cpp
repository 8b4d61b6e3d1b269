// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/partners.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

namespace weft::wire {
namespace {

bool is_there(std::span<const char> are_there, std::size_t process) {
  return are_there.empty() || are_there[process] != 0;
}

// Each node's processes, in their order; and the nodes in the order of their first ones. All processes of a
// node are there, or none.
std::vector<std::vector<int>> nodes_of(std::span<const int> node_of, std::span<const char> are_there) {
  std::vector<std::vector<int>> nodes;
  std::vector<std::size_t> place(node_of.size());
  for (std::size_t process = 0; process < node_of.size(); ++process) {
    if (!is_there(are_there, process)) continue;
    const auto first = static_cast<std::size_t>(node_of[process]);
    if (first == process) {
      place[first] = nodes.size();
      nodes.emplace_back();
    }
    nodes[place[first]].push_back(static_cast<int>(process));
  }
  return nodes;
}

// Calls `take` with those of `count` places on a ring that are 1, 2, 4, … from `self`, either way around.
template <class Take>
void for_each_near(std::size_t self, std::size_t count, Take take) {
  for (std::size_t distance = 1; distance < count; distance *= 2) {
    take((self + distance) % count);
    take((self + count - distance) % count);
  }
}

// Trees, dissemination, recursive doubling and rings send over distances that are powers of two, from
// representative to representative; long messages go in parts from each rank of a node to those with the same
// place on others. Those near it on its own node are of use where nobody speaks for them, and so that news
// reaches everybody. The relation is mutual.
std::vector<int> likely_partners(int self, std::span<const int> node_of, std::span<const char> are_there) {
  const auto nodes = nodes_of(node_of, are_there);
  const auto is_own = [&](const std::vector<int>& node) {
    return node.front() == node_of[static_cast<std::size_t>(self)];
  };
  const auto node =
      static_cast<std::size_t>(std::find_if(nodes.begin(), nodes.end(), is_own) - nodes.begin());
  const std::vector<int>& mates = nodes[node];
  const auto place = static_cast<std::size_t>(std::find(mates.begin(), mates.end(), self) - mates.begin());
  std::set<int> found;
  for_each_near(node, nodes.size(), [&](std::size_t other) {
    if (place < nodes[other].size()) found.insert(nodes[other][place]);
  });
  for_each_near(place, mates.size(), [&](std::size_t other) { found.insert(mates[other]); });
  found.erase(self);
  return {found.begin(), found.end()};
}

}  // namespace

Partners partners_of(int self, std::span<const int> node_of, int most_proved,
                     std::span<const char> are_there) {
  Partners partners;
  std::vector<int> all;
  for (std::size_t process = 0; process < node_of.size(); ++process)
    if (is_there(are_there, process)) all.push_back(static_cast<int>(process));
  partners.are_all = static_cast<int>(all.size()) <= most_proved;
  if (!partners.are_all) partners.confidants = likely_partners(self, node_of, are_there);
  if (most_proved > 0) partners.met = partners.are_all ? std::move(all) : partners.confidants;
  std::erase(partners.met, self);
  return partners;
}

}  // namespace weft::wire
