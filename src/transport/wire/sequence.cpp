// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/sequence.hpp"

#include <algorithm>

namespace weft::wire {

// An earlier question that would be answered later does not count: this message may be what it waits for.
bool Sequence::is_to_be_asked(int rank, std::uint64_t operation, Bytes size, std::uint64_t* which) {
  if (ahead(rank, operation) * weight(size) * 2 <= kWindow) return false;
  const std::uint64_t number = number_in(operation);
  const std::uint64_t behind = std::min(number, std::max<std::uint64_t>(1, kWindow / 2 / weight(size)));
  if (number - behind >= other(rank).asked) return false;
  other(rank).asked = number - behind;
  *which = address_of(number - behind);
  return true;
}

void Sequence::was_told(int rank, std::uint64_t begun) {
  has_begun(rank, begun);
  other(rank).asked = kNever;
}

void Sequence::was_asked(int rank, std::uint64_t which) {
  if (other(rank).asks == kNever) ++asking_;
  other(rank).asks = std::min(other(rank).asks, number_in(which));
}

std::span<const int> Sequence::members_to_tell() {
  to_tell_.clear();
  for (std::size_t rank = 0; rank < others_.size(); ++rank) {
    if (others_[rank].asks > begun_) continue;  // kNever is, too
    others_[rank].asks = kNever;
    --asking_;
    to_tell_.push_back(static_cast<int>(rank));
  }
  return to_tell_;
}

}  // namespace weft::wire
