// SPDX-License-Identifier: BSD-3-Clause
// Islands: the ranks of a call as memory joins them, and who speaks for each island to the others. A rank
// that shares memory with nobody is an island.
//
//   2 islands of 4    island 0    0    1    2    3        0 and 4 represent their islands: column 0
//                     island 1    4    5    6    7
//                     column      0    1    2    3        column 2: ranks 2 and 6
//
// Between islands messages travel from representative to representative, tier by tier (tiers.hpp), or, in
// parts, each along a column (columns.hpp).
#pragma once

#include <vector>

#include "schedule/builder.hpp"
#include "topology/hierarchy.hpp"

namespace weft {

class Islands {
 public:
  // As this rank sees them: parts of this hierarchy, each represented as there.
  Islands(Hierarchy hierarchy, const Parts& all, Rank self);

  int count() const { return all_->count(); }
  const Parts& all() const { return *all_; }
  Rank representative_of(int island) const { return hierarchy_.representative(*all_, island); }

  // This rank's island.
  int number() const { return number_; }
  const std::vector<Rank>& own() const { return own_; }
  bool is_alone() const { return own().size() == 1; }
  bool has(Rank rank) const { return all_->has(number_, rank); }
  int place() const { return place_; }                    // of this rank on it
  int representative() const { return representative_; }  // place
  Rank representative_rank() const { return own()[static_cast<std::size_t>(representative())]; }
  bool represents() const { return place_ == representative(); }
  // Its ranks as those of a collective, rooted at its representative.
  Subgroup group(const Call& call, Collective collective, Range contribution, Range output) const;

  // On each island the rank so many places behind the representative, around the island: this one on its own.
  // For as long as these islands live.
  Members column(int number) const;

 private:
  Hierarchy hierarchy_;
  const Parts* all_;  // of the hierarchy
  int number_;
  std::vector<Rank> own_;
  int place_;
  int representative_;
};

}  // namespace weft
