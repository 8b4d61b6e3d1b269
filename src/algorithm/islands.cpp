// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/islands.hpp"

#include <utility>

namespace weft {

Islands::Islands(Hierarchy hierarchy, const Parts& all, Rank self)
    : hierarchy_(std::move(hierarchy)),
      all_(&all),
      number_(all.number_of(self)),
      own_(all.ranks(number_)),
      place_(all.place_of(self)),
      representative_(all.place_of(representative_of(number_))) {}

Subgroup Islands::group(const Call& call, Collective collective, Range contribution, Range output) const {
  const int size = static_cast<int>(own().size());
  return {.members = own(),
          .call = call_of_group(call, collective, size, representative(), contribution.size),
          .contribution = contribution,
          .output = output};
}

Members Islands::column(int number) const {
  const auto rank_on = [this, number](int island) {
    const int first = all_->place_of(representative_of(island));
    return all_->rank(island, (first + number) % all_->size(island));
  };
  return {rank_on, number_};
}

}  // namespace weft
