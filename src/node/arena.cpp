// SPDX-License-Identifier: BSD-3-Clause
#include "node/arena.hpp"

#include <algorithm>
#include <iterator>

namespace weft::node {

std::optional<Arena::Piece> Arena::take(Bytes size) {
  size = whole_pages(size);
  const auto fits =
      std::find_if(free_.begin(), free_.end(), [&](const auto& piece) { return piece.second >= size; });
  if (fits != free_.end()) {
    const auto [offset, free_size] = *fits;
    free_.erase(fits);
    taken_ += size;
    if (free_size > size) free_.emplace(offset + size, free_size - size);
    return Piece{offset, false};
  }
  if (size > limit_ - end_) return std::nullopt;
  if (reserved_ == Reserved::kWhenTaken && !segment_->reserve(end_, size)) return std::nullopt;
  const Bytes offset = end_;
  end_ += size;
  taken_ += size;
  return Piece{offset, true};
}

void Arena::give_back(Bytes offset, Bytes size) {
  auto piece = free_.emplace(offset, whole_pages(size)).first;
  taken_ -= piece->second;
  if (const auto next = std::next(piece);
      next != free_.end() && piece->first + piece->second == next->first) {
    piece->second += next->second;
    free_.erase(next);
  }
  if (piece == free_.begin()) return;
  const auto before = std::prev(piece);
  if (before->first + before->second != piece->first) return;
  before->second += piece->second;
  free_.erase(piece);
}

}  // namespace weft::node
