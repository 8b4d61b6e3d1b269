// SPDX-License-Identifier: BSD-3-Clause
// Parts: ranks in a line, cut into parts that lie side by side.
//
//   line     0 2 1 3 4 5         part 0    0 2
//   parts   |   |   | | |        part 1    1 3       its place 0 is rank 1, at position 2 of the line
//                                part 2    4
//
// A line in the order of the ranks takes no memory, nor do parts of one rank each.
//
// Immutable. Cost: O(1); O(log n) in parts to find one, O(n) in ranks for what lists them.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace weft {

// All ranks from 0, each once.
class Line {
 public:
  explicit Line(int rank_count) : size_(rank_count) {}  // in their order
  explicit Line(std::vector<Rank> ranks);

  int size() const { return size_; }
  bool is_in_rank_order() const { return ranks_.empty(); }
  Rank rank_at(int position) const {
    return ranks_.empty() ? Rank(position) : ranks_[static_cast<std::size_t>(position)];
  }
  int position_of(Rank rank) const {
    return ranks_.empty() ? rank.value : positions_[static_cast<std::size_t>(rank.value)];
  }

 private:
  int size_;
  std::vector<Rank> ranks_;     // by position; none: in rank order
  std::vector<int> positions_;  // by rank
};

class Parts {
 public:
  explicit Parts(std::shared_ptr<const Line> line) : line_(std::move(line)) {}  // each rank alone
  // Parts that begin at these positions; the last of them is where the last part ends.
  Parts(std::shared_ptr<const Line> line, std::vector<int> begins);

  // The same line, cut at other positions.
  Parts cut_at(std::vector<int> begins) const { return {line_, std::move(begins)}; }

  const Line& line() const { return *line_; }
  int count() const { return begins_.empty() ? line_->size() : static_cast<int>(begins_.size()) - 1; }
  int smallest() const { return smallest_; }
  int largest() const { return largest_; }

  // The positions of a part are those from begin() to before end(), where the next one begins.
  int begin(int part) const { return begins_.empty() ? part : begins_[static_cast<std::size_t>(part)]; }
  int end(int part) const { return begin(part + 1); }
  int size(int part) const { return end(part) - begin(part); }
  Rank rank(int part, int place) const { return line_->rank_at(begin(part) + place); }
  bool has(int part, Rank rank) const {
    const int position = line_->position_of(rank);
    return begin(part) <= position && position < end(part);
  }

  int number_at(int position) const;  // of the part
  int number_of(Rank rank) const { return number_at(line_->position_of(rank)); }
  // Among the ranks of its part.
  int place_of(Rank rank) const { return line_->position_of(rank) - begin(number_of(rank)); }

  std::vector<Rank> ranks(int part) const;

 private:
  std::shared_ptr<const Line> line_;
  std::vector<int> begins_;  // none: each rank alone
  int smallest_ = 1, largest_ = 1;
};

}  // namespace weft
