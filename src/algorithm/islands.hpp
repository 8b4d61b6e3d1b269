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

// About groups of ranks: the size of the largest, and which one a rank is in.
int largest_of(const std::vector<std::vector<Rank>>& groups);
std::size_t number_of(const std::vector<std::vector<Rank>>& groups, Rank rank);

class Islands {
 public:
  // As this rank sees them, each represented as in the hierarchy.
  Islands(std::vector<std::vector<Rank>> all, const Hierarchy& hierarchy, Rank self);

  int count() const { return static_cast<int>(all_.size()); }
  const std::vector<std::vector<Rank>>& all() const { return all_; }
  std::size_t number_of(Rank rank) const { return weft::number_of(all_, rank); }

  // This rank's island.
  std::size_t number() const { return number_; }
  const std::vector<Rank>& own() const { return all_[number_]; }
  bool is_alone() const { return own().size() == 1; }
  bool has(Rank rank) const { return number_of(rank) == number_; }
  int place() const { return place_; }                              // of this rank on it
  int representative() const { return representatives_[number_]; }  // place
  Rank representative_rank() const { return own()[static_cast<std::size_t>(representative())]; }
  bool represents() const { return place_ == representative(); }
  // Its ranks as those of a collective, rooted at its representative.
  Subgroup group(const Call& call, Collective collective, Range contribution, Range output) const;

  // On each island the rank so many places behind the representative, around the island.
  std::vector<Rank> column(int number) const;

 private:
  std::vector<std::vector<Rank>> all_;
  std::vector<int> representatives_;  // per island: place
  std::size_t number_;
  int place_;
};

}  // namespace weft
