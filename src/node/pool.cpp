// SPDX-License-Identifier: BSD-3-Clause
#include "node/pool.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace weft::node {
namespace {

// Most programs that have persistent operations have a few per communicator, for which nothing is too much.
// Further ones are many, each of which is started seldom and does not run ahead of itself: so they get few
// slots, and large rooms for two fragments of 64 KiB. Those with lines alone make up the number that every
// communicator has.
constexpr int kBerthsOfAll = 64, kSlotsOfModest = 8;
struct WithRooms {
  int full, modest;
};
// The first for which an eighth of what is free suffices.
constexpr std::array<WithRooms, 10> kBerthsWithRooms{
    {{4, 252}, {4, 124}, {4, 60}, {4, 28}, {4, 12}, {4, 0}, {0, 28}, {0, 12}, {0, 4}, {0, 0}}};
constexpr int kShareOfFree = 8;

// What a member says that does not know what it has left there.
constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

}  // namespace

void leave(const Area& first, int member, std::optional<std::uint64_t> next_number) {
  first.left(member).store(next_number.value_or(kUnknown), std::memory_order_release);
}

// What a member of an earlier communicator said there is not greater than `behind`.
std::optional<std::uint64_t> Pool::behind_all(const Left& left) const {
  std::uint64_t behind = left.grant.behind;
  if (left.is_unused) return behind;
  std::byte* const area = left.grant.first_area(*segment_);
  for (int member = 0; member < left.grant.shape.members; ++member) {
    const std::uint64_t last_word = Area::left_in(area, member).load(std::memory_order_acquire);
    if (last_word <= left.grant.behind) return std::nullopt;
    behind = std::max(behind, last_word);
  }
  return behind;
}

std::optional<Grant> Pool::take(std::span<const AreaShape> wanted, Choice choice) {
  std::optional<Grant> grant = take_areas_of_one(wanted, choice);
  if (grant && grant->berths.count() == 0) grant->berths = book_berths(grant->shape);
  return grant;
}

// What somebody has left, if it is no smaller than what there might be memory for: it needs no clearing.
std::optional<Grant> Pool::take_areas_of_one(std::span<const AreaShape> wanted, Choice choice) {
  const Bytes in_use = arena_.taken() - left_bytes_;
  const std::span<const AreaShape> all = std::exchange(wanted, still_wanted(wanted, in_use, size_));
  if (choice == Choice::kBest) {
    if (wanted.size() < all.size()) return std::nullopt;
    const auto again = take_areas_again(wanted.front());
    return again ? again : take_areas(wanted.front());
  }
  for (const AreaShape& shape : wanted) {
    if (auto grant = take_areas_again(shape)) return grant;
    if (may_take(shape, in_use, size_)) break;
  }
  take_back_what_is_left();
  for (const AreaShape& shape : wanted)
    if (auto grant = take_areas(shape)) return grant;
  return std::nullopt;
}

std::optional<Grant> Pool::take_areas(const AreaShape& shape) {
  Grant grant{.shape = shape, .offset = {}, .berths = {}};
  const auto piece = may_take(shape, arena_.taken(), size_) ? arena_.take(grant.bytes()) : std::nullopt;
  if (!piece) return std::nullopt;
  grant.offset = piece->offset;
  if (piece->is_new) return grant;
  for (const Area& area : grant.areas(*segment_)) area.clear();
  grant.letters(*segment_).clear();
  return grant;
}

std::optional<Grant> Pool::take_areas_again(const AreaShape& shape) {
  const auto alike = left_.find(shape);
  if (alike == left_.end()) return std::nullopt;
  for (auto left = alike->second.begin(); left != alike->second.end(); ++left) {
    const auto behind = behind_all(*left);
    if (!behind || *behind == kUnknown) continue;
    clear_berths(*left);
    const Grant grant{shape, left->grant.offset, *behind, left->grant.berths};
    left_bytes_ -= Arena::whole_pages(grant.bytes());
    alike->second.erase(left);
    return grant;
  }
  return std::nullopt;
}

AreaShape Berths::shape_of(BerthKind kind) const {
  const int usual = std::min(areas.slots, kUsualSlots), few = std::min(areas.slots, kSlotsOfModest);
  switch (kind) {
    case BerthKind::kFull: return {areas.members, usual, areas.rank_bytes};
    case BerthKind::kModest: return {areas.members, few, std::min(areas.rank_bytes, kModestRoom)};
    case BerthKind::kLines: return {areas.members, few, Bytes(0)};
  }
  return {};
}

Berths::Place Berths::place_of(int berth) const {
  Bytes begin = offset;
  for (const BerthKind kind : kBerthKinds) {
    const int here = count_of[static_cast<std::size_t>(kind)];
    if (berth < here) return {kind, begin + shape_of(kind).size() * berth};
    begin += shape_of(kind).size() * here;
    berth -= here;
  }
  return {BerthKind::kLines, begin};
}

// Rooms where memory is only taken as it is touched: elsewhere those that are never used would be too many.
Berths Pool::book_berths(const AreaShape& shape) {
  const Bytes share = (size_ - berths_.taken()) / kShareOfFree;
  Berths berths{.areas = shape};
  for (const auto& [full, modest] : kBerthsWithRooms) {
    berths.count_of = {full, modest, std::max(kBerthsOfAll - full - modest, 0)};
    const bool has_rooms = full + modest > 0;
    if (has_rooms && (shape.rank_bytes == Bytes(0) || berths.bytes() > share)) continue;
    if (modest > 0 && !segment_->grows_by_itself()) continue;
    if (const auto piece = berths_.take(berths.bytes())) {
      berths.offset = piece->offset;
      return berths;
    }
  }
  return {};
}

void Pool::give_back(Grant grant, int used) {
  grant.berths.touched = std::max(grant.berths.touched, used);
  keep({.grant = grant, .used_berths = used});
}

void Pool::give_back_unused(const Grant& grant) { keep({.grant = grant, .is_unused = true}); }

void Pool::keep(const Left& left) {
  left_[left.grant.shape].push_back(left);
  left_bytes_ += Arena::whole_pages(left.grant.bytes());
}

// Not every berth that has a number was made, and memory may have run out since.
void Pool::clear_berths(const Left& left) {
  for (int berth = 0; berth < left.used_berths; ++berth) {
    const auto& [kind, begin] = left.grant.berths.place_of(berth);
    const AreaShape shape = left.grant.berths.shape_of(kind);
    if (segment_->reserve(begin, shape.rooms_begin())) left.grant.berths.area(*segment_, berth).clear();
    else segment_->release(begin, shape.size());
  }
}

void Pool::take_back_berths(const Berths& berths) {
  if (berths.touched > 0)
    segment_->release(berths.offset, berths.place_of(berths.touched).offset - berths.offset);
  if (berths.count() > 0) berths_.give_back(berths.offset, berths.bytes());
}

void Pool::take_back_what_is_left() {
  const auto take_back = [&](const Left& left) {
    if (!behind_all(left)) return false;
    arena_.give_back(left.grant.offset, left.grant.bytes());
    left_bytes_ -= Arena::whole_pages(left.grant.bytes());
    take_back_berths(left.grant.berths);
    return true;
  };
  for (auto& [shape, alike] : left_) std::erase_if(alike, take_back);
}

Bytes Pool::taken() {
  take_back_what_is_left();
  return arena_.taken();
}

}  // namespace weft::node
