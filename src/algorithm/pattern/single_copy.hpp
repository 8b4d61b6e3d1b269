// SPDX-License-Identifier: BSD-3-Clause
// SingleCopy: long messages within a node without a stop in shared memory: ranks reach into one another's
// buffers. Everybody who is reached into has come before, and does not leave until that is over.
//
//   exchange      everybody is there, and says where its buffers lie
//   …             copies from and to the others' buffers
//   exchange      nobody touches another's memory any more
#pragma once

#include <vector>

#include "schedule/builder.hpp"

namespace weft {

// One range of each rank that has it, seen by all.
class ExposedRanges {
 public:
  // `own`: this rank's.
  ExposedRanges(Builder& b, GroupId group, Bytes size, Range own) {
    for (int rank = 0; rank < b.rank_count(); ++rank)
      ranges_.push_back(b.exposed(group, rank, size, rank == b.self() ? own : Range{}));
  }
  Range of(int rank) const { return ranges_[static_cast<std::size_t>(rank)]; }
  const std::vector<Range>& all() const { return ranges_; }

 private:
  std::vector<Range> ranges_;
};

class SingleCopy {
 public:
  explicit SingleCopy(Builder& b) : group_(b.group_of(b.members())), lines_(b.lines(group_)) {}

  GroupId group() const { return group_; }
  // Exposes a range of every rank; this rank's is `own`.
  ExposedRanges expose(Builder& b, Range own) {
    ExposedRanges ranges(b, group_, own.size, own);
    covered_.insert(covered_.end(), ranges.all().begin(), ranges.all().end());
    return ranges;
  }
  // Exposes a range of one rank alone.
  Range expose_of(Builder& b, int owner, Bytes size, Range own) {
    covered_.push_back(b.exposed(group_, owner, size, own));
    return covered_.back();
  }

  void exchange(Builder& b) const { cover(b, b.exchange(lines_, group_)); }
  // `lines` are the caller's own, declared after these.
  void fan_in(Builder& b, Range lines, int leader) const { cover(b, b.fan_in(lines, group_, leader)); }
  void fan_out(Builder& b, int leader) const { cover(b, b.fan_out(lines_, group_, leader)); }

 private:
  void cover(Builder& b, TaskId step) const {
    for (const Range& range : covered_) b.cover(step, range);
  }

  GroupId group_;
  Range lines_;
  std::vector<Range> covered_;
};

// Ranks that a schedule has room to expose: each takes a buffer or two of at most 255.
inline bool can_expose_all(const Call& call) { return call.rank_count <= 120; }

}  // namespace weft
