// SPDX-License-Identifier: BSD-3-Clause
#include "transform/size_class.hpp"

#include <algorithm>
#include <bit>

#include "collective/left_by_each.hpp"

namespace weft {
namespace {

constexpr Bytes kSmallest{8}, kLargest{16 << 20};  // behind that a call takes longer than a plan by far

// As many elements as a power of two; of a long block a power of two, or a quarter, half or three quarters of
// the way to it.
Bytes rounded_up(Bytes bytes, Bytes element) {
  const auto elements = static_cast<std::uint64_t>(bytes / element);
  const std::uint64_t power = std::bit_ceil(elements);
  const std::uint64_t step = bytes > kLargestOfPowers ? std::max<std::uint64_t>(power / 8, 1) : power;
  return element * static_cast<std::int64_t>((elements + step - 1) / step * step);
}

bool are_different(const std::vector<Parcel>& parcels) {
  bool grow = true;
  for (std::size_t i = 1; i < parcels.size(); ++i) grow = grow && parcels[i - 1].peer < parcels[i].peer;
  if (grow) return true;
  constexpr std::size_t kMost = 64;  // the others are as fast made anew
  if (parcels.size() > kMost) return false;
  for (auto one = parcels.begin(); one != parcels.end(); ++one)
    if (std::any_of(parcels.begin(), one, [&](const Parcel& other) { return other.peer == one->peer; }))
      return false;
  return true;
}

}  // namespace

std::optional<Bytes> largest_of_class(const Call& call) {
  if (has_parcels(call.collective) || call.bytes <= Bytes(0)) return std::nullopt;
  const Bytes element = call.element_bytes;
  const Bytes rounded = rounded_up(std::max(call.bytes, kSmallest), element);
  if (rounded > kLargest) return std::nullopt;
  // What fits into a line stays there. All of that is one class, but for the shortest, which many programs
  // have alone.
  if (left_by_each(call) <= kLineBytes && rounded > kSmallest)
    return kLineBytes / (left_by_each(call) / call.bytes) / element * element;
  return call.bytes <= kLineBytes && rounded > kLineBytes ? kLineBytes / element * element : rounded;
}

// Rounded up; but blocks that all fit into lines stay there. In a line of an allgatherv lies one rank's
// block, in one of a reduce_scatter are the blocks of all.
std::optional<Bytes> largest_of_class(const Call& call, const Parcels& parcels) {
  Bytes longest;
  for (const Parcel& parcel : all_blocks(call.collective, parcels)) longest = std::max(longest, parcel.size);
  if (longest == Bytes(0) || longest > kLargest) return std::nullopt;
  const Bytes element = call.element_bytes;
  const Bytes room =
      call.collective == Collective::kAllgatherv ? kDeliveredLineBytes : kLineBytes / call.rank_count;
  const Bytes in_line = room / element * element;
  if (longest <= in_line) return in_line * call.rank_count;
  return rounded_up(std::max(longest, kSmallest), element) * call.rank_count;
}

void take_largest_of_class(const Call& call, const Parcels& parcels, Rank self, bool in_place, Bytes bytes,
                           Parcels& of_class) {
  of_class = parcels;
  const bool gathers = call.collective == Collective::kAllgatherv;
  std::vector<Parcel>& all = gathers ? of_class.incoming : of_class.outgoing;
  std::vector<Parcel>& own = gathers ? of_class.outgoing : of_class.incoming;
  const Bytes longest = bytes / call.rank_count;
  Bytes end;
  for (Parcel& parcel : all) {
    parcel.offset = end;
    parcel.size = longest;
    end += longest;
  }
  const bool stays = gathers && in_place;  // where it will be
  for (Parcel& parcel : own) {
    parcel.offset = stays ? all[static_cast<std::size_t>(self.value)].offset : Bytes(0);
    parcel.size = longest;
  }
}

bool largest_of_class(const Call& call, const Parcels& parcels, Rank self, const Ways& ways,
                      Parcels& of_class) {
  if (!are_different(parcels.outgoing) || !are_different(parcels.incoming)) return false;
  const auto list = [&](const std::vector<Parcel>& from, bool one_for_all, std::vector<Parcel>& into) {
    into.clear();
    Bytes end;
    for (const Parcel& parcel : from) {
      const std::optional<Bytes> size = ways.largest_for(parcel, self);
      if (!size) return false;
      into.push_back({parcel.peer, one_for_all ? Bytes(0) : end, *size});
      end += *size;
    }
    return true;
  };
  return list(parcels.outgoing, has_one_for_all(call.collective), of_class.outgoing) &&
         list(parcels.incoming, false, of_class.incoming);
}

Parcels through_place(const Parcels& of_class, Rank self, const Ways& ways, std::size_t place) {
  const auto is_at_once = [&](const Parcel& parcel) {
    return parcel.peer != self && parcel.size == ways.at_once.back();
  };
  Parcels parcels = of_class;
  for (auto* list : {&parcels.outgoing, &parcels.incoming})
    for (Parcel& parcel : *list) parcel.size = is_at_once(parcel) ? ways.at_once[place] : Bytes(0);
  return parcels;
}

bool are_of_class(const Parcels& parcels, const Schedule& structure, const std::optional<Ways>& ways) {
  const Call& call = structure.call;
  if (knows_all_blocks(call.collective)) return largest_of_class(call, parcels) == call.bytes;
  const auto are = [&](const std::vector<Parcel>& now, const std::vector<Parcel>& then) {
    if (now.size() != then.size()) return false;
    for (std::size_t i = 0; i < now.size(); ++i)
      if (!ways->are_alike(now[i], structure.self, then[i].size)) return false;
    return true;
  };
  return ways && are(parcels.outgoing, structure.parcels.outgoing) &&
         are(parcels.incoming, structure.parcels.incoming);
}

}  // namespace weft
