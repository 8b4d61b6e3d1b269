// SPDX-License-Identifier: BSD-3-Clause
// AlignedGroups: the shape of recursive k-ing for any number of ranks: a power of k of proxies, who meet in
// aligned groups of k, and beside each proxy the extra ranks that it speaks for.
//
//   k = 3, 11 ranks, 9 blocks        block     0    1    2   3   4   5   6   7   8
//                                    ranks    0 1  2 3   4   5   6   7   8   9   10
//                                    proxy    0    2     4   5   6   7   8   9   10
//   round 0: blocks (0,1,2) (3,4,5) (6,7,8)         round 1: (0,3,6) (1,4,7) (2,5,8)
//
// A block is a range of ranks, and what a group has combined is a range of blocks. So everything that is ever
// combined are neighbours, and rank order is kept. Groups are aligned, not counted modulo n from each rank as
// in Cheetah's text (section IV): all members of a group see the same places and can evaluate one bracket.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithm/pattern/even_parts.hpp"

namespace weft {

class AlignedGroups {
 public:
  AlignedGroups(int rank_count, int radix) : rank_count_(rank_count), radix_(radix) {
    while (std::int64_t{blocks_} * radix_ <= rank_count_) {
      blocks_ *= radix_;
      ++rounds_;
    }
  }

  int rounds() const { return rounds_; }
  int blocks() const { return blocks_; }
  bool has_extras() const { return blocks_ < rank_count_; }

  // Block b is the ranks from proxy(b) to before proxy(b + 1).
  int proxy(int block) const { return parts().begin(block); }
  int block_size(int block) const { return proxy(block + 1) - proxy(block); }
  int block_of(int rank) const { return parts().part_of(rank); }

  std::vector<int> block_members(int block) const {
    std::vector<int> ranks(static_cast<std::size_t>(block_size(block)));
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = proxy(block) + static_cast<int>(i);
    return ranks;
  }

  // The extra ranks that the block's proxy speaks for.
  std::vector<int> extras(int block) const {
    std::vector<int> ranks;
    for (int rank = proxy(block) + 1; rank < proxy(block + 1); ++rank) ranks.push_back(rank);
    return ranks;
  }

  // A round's group of `block`: the blocks that agree with it in all digits (base k) but the round's.
  int place(int block, int round) const { return block / stride(round) % radix_; }
  int first_of_group(int block, int round) const { return block - place(block, round) * stride(round); }
  std::vector<int> group_proxies(int block, int round) const {
    std::vector<int> ranks(static_cast<std::size_t>(radix_));
    for (std::size_t i = 0; i < ranks.size(); ++i)
      ranks[i] = proxy(first_of_group(block, round) + static_cast<int>(i) * stride(round));
    return ranks;
  }
  // The others in it, from the next one on: if each sends in that order, no two send to the same one at the
  // same time.
  std::vector<int> other_proxies(int block, int round) const {
    std::vector<int> ranks = group_proxies(block, round);
    std::rotate(ranks.begin(), ranks.begin() + place(block, round), ranks.end());
    ranks.erase(ranks.begin());
    return ranks;
  }
  int stride(int round) const {
    int stride = 1;
    for (int i = 0; i < round; ++i) stride *= radix_;
    return stride;
  }

 private:
  EvenParts parts() const { return {rank_count_, blocks_}; }

  int rank_count_;
  int radix_;
  int blocks_ = 1;
  int rounds_ = 0;
};

}  // namespace weft
