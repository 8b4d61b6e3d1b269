// SPDX-License-Identifier: BSD-3-Clause
// Halving: a power of two of blocks of ranks share a vector. In round i a block and the one at distance 2^i
// halve what both have, so that in the end each has one part; the same rounds backwards join the parts again.
//
//   4 blocks       round 0: 0-1, 2-3          round 1: 0-2, 1-3
//   block 0        has 0 1 of parts 0 1 2 3   has 0
//   block 1        has 2 3                    has 2        neighbours first: what is combined is always
//   block 2        has 0 1                    has 1        a range of ranks, and rank order is kept
//   block 3        has 2 3                    has 3
//
// R. Rabenseifner, Optimization of collective reduction operations, ICCS 2004, section 2.
#pragma once

#include "algorithm/pattern/aligned_groups.hpp"
#include "algorithm/pattern/partial.hpp"
#include "algorithm/pattern/ring.hpp"

namespace weft {

class Halving {
 public:
  Halving(int rank_count, Bytes bytes, Bytes element)
      : groups_(rank_count, 2), whole_{kOutput, Bytes(0), bytes}, element_(element) {}

  const AlignedGroups& groups() const { return groups_; }
  int rounds() const { return groups_.rounds(); }
  int partner(int block, int round) const { return block ^ (1 << round); }

  // What `block` has after so many rounds.
  Range held(int block, int rounds) const {
    int first = 0;
    int count = groups_.blocks();
    for (int round = 0; round < rounds; ++round) {
      count /= 2;
      if ((block >> round & 1) != 0) first += count;
    }
    return even_parts(whole_, element_, first, first + count, groups_.blocks());
  }

  // What a proxy does: adds its extra ranks' vectors, then gives away half after half until it has the sum of
  // its own part.
  void reduce_scatter(Builder& b, int block, Partial& sum) const {
    for (const int extra : groups_.extras(block)) sum.add_right(extra);
    for (int round = 0; round < rounds(); ++round) {
      const int other = partner(block, round);
      const int peer = groups_.proxy(other);
      const Range given = held(other, round + 1);
      const Range kept = held(block, round + 1);
      b.send(peer, sum.value().part(given.offset, given.size));
      if (kept.size == Bytes(0)) continue;
      if (other > block) sum.add_right(peer, kept.offset, kept.size);
      else sum.add_left(peer, kept.offset, kept.size);
    }
  }

 private:
  AlignedGroups groups_;
  Range whole_;
  Bytes element_;
};

}  // namespace weft
