// SPDX-License-Identifier: BSD-3-Clause
// Expressions: which contributions a value consists of, and how they were combined. Equal expressions have
// equal numbers, so that comparing two of any size is one comparison.
//
// Cost: a combination is one look-up, whatever it contains. Only result checks and texts walk a tree.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "executor/verifier/rank_set.hpp"

namespace weft::verifier {

class Expressions {
 public:
  using Id = std::uint32_t;

  static constexpr Id kUndefined = 0;  // nobody has put anything there
  static constexpr Id kSpoiled = 1;    // what follows from a finding that is reported already

  Expressions();

  Id leaf(Rank rank);
  Id combine(Id left, Id right);  // spoiled if either operand is no value

  static bool is_value(Id id) { return id > kSpoiled; }
  bool is_leaf(Id id) const { return terms_[id].left == kUndefined; }

  // Contributions in it, doubles counted.
  std::int64_t leaf_count(Id id) const { return terms_[id].leaf_count; }

  // Whether the value combines the ranks first(), first() + 1, … last() in this order, each once.
  bool in_rank_order(Id id) const { return terms_[id].in_rank_order; }
  Rank first(Id id) const { return terms_[id].first; }
  Rank last(Id id) const { return terms_[id].last; }

  // How often each rank's contribution occurs, for at least `rank_count` ranks. Walks at most `limit` leaves.
  std::vector<int> occurrences(Id id, int rank_count, std::int64_t limit) const;
  RankSet ranks(Id id) const;

  // "((0+1)+(2+3))"; beyond 64 contributions only the upper part of the tree: "((0..63)+(64..127))".
  std::string text(Id id) const;

 private:
  struct Term {
    Id left = kUndefined;  // kUndefined: a leaf
    Id right = kUndefined;
    Rank first;
    Rank last;
    bool in_rank_order = false;
    std::int64_t leaf_count = 0;
  };

  template <class Visit>
  void for_leaves(Id id, std::int64_t limit, Visit visit) const;
  std::string text(Id id, std::int64_t parts) const;

  std::vector<Term> terms_;
  std::vector<Id> leaves_;  // by rank; kUndefined: not made yet
  std::unordered_map<std::uint64_t, Id> combined_;
};

}  // namespace weft::verifier
