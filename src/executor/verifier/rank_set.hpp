// SPDX-License-Identifier: BSD-3-Clause
// RankSet: a set of ranks as disjoint runs. Collectives make few runs, so that joining two sets is cheap.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"

namespace weft::verifier {

class RankSet {
 public:
  RankSet() = default;
  explicit RankSet(Rank rank) : runs_{{rank.value, rank.value + 1}} {}

  bool empty() const { return runs_.empty(); }
  int size() const;
  bool contains(Rank rank) const;
  void insert(const RankSet& other);
  void insert(Rank rank) { insert(RankSet(rank)); }

  // The smallest rank below `rank_count` that is not in the set; rank_count if there is none.
  int first_missing(int rank_count) const;

  // "0-2", "3", "{1,4}", "{0-3,8}", "-".
  std::string text() const;

  bool operator==(const RankSet&) const = default;

 private:
  struct Run {
    int begin;
    int end;
    bool operator==(const Run&) const = default;
  };
  std::vector<Run> runs_;  // ascending; no two touch
};

}  // namespace weft::verifier
