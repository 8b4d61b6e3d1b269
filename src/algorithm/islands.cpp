// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/islands.hpp"

#include <algorithm>

namespace weft {

namespace {

int place_in(const std::vector<Rank>& group, Rank rank) {
  return static_cast<int>(std::find(group.begin(), group.end(), rank) - group.begin());
}

}  // namespace

int largest_of(const std::vector<std::vector<Rank>>& groups) {
  std::size_t most = 0;
  for (const auto& group : groups) most = std::max(most, group.size());
  return static_cast<int>(most);
}

std::size_t number_of(const std::vector<std::vector<Rank>>& groups, Rank rank) {
  const auto has_it = [&](const auto& group) {
    return std::find(group.begin(), group.end(), rank) != group.end();
  };
  return static_cast<std::size_t>(std::find_if(groups.begin(), groups.end(), has_it) - groups.begin());
}

Islands::Islands(std::vector<std::vector<Rank>> all, const Hierarchy& hierarchy, Rank self)
    : all_(std::move(all)), number_(number_of(self)), place_(place_in(own(), self)) {
  for (const auto& island : all_)
    representatives_.push_back(place_in(island, hierarchy.representative(island)));
}

Subgroup Islands::group(const Call& call, Collective collective, Range contribution, Range output) const {
  const int size = static_cast<int>(own().size());
  return {.members = own(),
          .call = call_of_group(call, collective, size, representative(), contribution.size),
          .contribution = contribution,
          .output = output};
}

std::vector<Rank> Islands::column(int number) const {
  std::vector<Rank> column;
  for (std::size_t island = 0; island < all_.size(); ++island)
    column.push_back(
        all_[island][static_cast<std::size_t>(representatives_[island] + number) % all_[island].size()]);
  return column;
}

}  // namespace weft
