// SPDX-License-Identifier: BSD-3-Clause
// NodeSlots: one place per rank in memory that all ranks of the call share: in the rank's own line if what it
// has to say fits there, so that one transfer of a cache line brings both the value and the news that it is
// there; else in a shared buffer, and the line only brings the news.
//
//   bytes <= 56    lines.0   | value 0  #0 | value 1  #1 | …            #r: rank r has arrived
//   else           lines.0   |          #0 |          #1 | …            shared.0   | value 0 | value 1 | …
#pragma once

#include <vector>

#include "schedule/builder.hpp"

namespace weft {

class NodeSlots {
 public:
  NodeSlots(Builder& b, Bytes bytes) : bytes_(bytes), group_(b.group(everybody(b.rank_count()))) {
    lines_ = b.lines(group_);
    if (bytes <= kLineBytes) return;
    stride_ = (bytes + kLineStride - Bytes(1)) / kLineStride * kLineStride;
    shared_ = b.shared(group_, stride_ * b.rank_count());
  }

  Range of(int rank) const { return (in_lines() ? lines_ : shared_).part(stride_ * rank, bytes_); }

  TaskId exchange(Builder& b) const { return b.exchange(lines_, group_, shared_); }
  TaskId fan_in(Builder& b, int leader) const { return b.fan_in(lines_, group_, leader, shared_); }
  TaskId fan_out(Builder& b, int leader) const { return b.fan_out(lines_, group_, leader, shared_); }

  // into = v0 (+) (v1 (+) (v2 (+) v3)): the bracket of Fold, whoever evaluates it.
  void combine(Builder& b, Range into) const {
    b.copy(of(b.rank_count() - 1), into);
    for (int rank = b.rank_count() - 2; rank >= 0; --rank) b.reduce(of(rank), into);
  }

 private:
  static std::vector<Rank> everybody(int count) {
    std::vector<Rank> ranks;
    for (int rank = 0; rank < count; ++rank) ranks.emplace_back(rank);
    return ranks;
  }
  bool in_lines() const { return bytes_ <= kLineBytes; }

  Bytes bytes_;
  Bytes stride_ = kLineStride;
  GroupId group_;
  Range lines_, shared_;
};

}  // namespace weft
