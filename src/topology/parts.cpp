// SPDX-License-Identifier: BSD-3-Clause
#include "topology/parts.hpp"

#include <algorithm>
#include <cassert>

namespace weft {

Line::Line(std::vector<Rank> ranks) : size_(static_cast<int>(ranks.size())) {
  if (std::is_sorted(ranks.begin(), ranks.end())) return;
  ranks_ = std::move(ranks);
  positions_.resize(ranks_.size());
  for (int position = 0; position < size_; ++position)
    positions_[static_cast<std::size_t>(rank_at(position).value)] = position;
}

Parts::Parts(std::shared_ptr<const Line> line, std::vector<int> begins)
    : line_(std::move(line)), begins_(std::move(begins)) {
  assert(begins_.size() >= 2 && begins_.front() == 0 && begins_.back() == line_->size());
  smallest_ = largest_ = size(0);
  for (int part = 1; part < count(); ++part) {
    smallest_ = std::min(smallest_, size(part));
    largest_ = std::max(largest_, size(part));
  }
}

int Parts::number_at(int position) const {
  if (begins_.empty()) return position;
  return static_cast<int>(std::upper_bound(begins_.begin(), begins_.end(), position) - begins_.begin()) - 1;
}

std::vector<Rank> Parts::ranks(int part) const {
  std::vector<Rank> ranks;
  ranks.reserve(static_cast<std::size_t>(size(part)));
  for (int place = 0; place < size(part); ++place) ranks.push_back(rank(part, place));
  return ranks;
}

}  // namespace weft
