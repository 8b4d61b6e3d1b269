// SPDX-License-Identifier: BSD-3-Clause
// PlanCache: the plans of one communicator by shape of call, so that a schedule is built once and used again.
//
// Open addressing over a power of two that is at most half full: a lookup hashes the shape and looks at one
// entry or two. Beyond kMostPlans the older half of the idle plans goes, so that a program whose sizes never
// repeat stays bounded. A plan's address is stable. One thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mixed.hpp"
#include "collective/parcels.hpp"

namespace weft {

struct PlanKey {
  Call call;
  bool in_place = false;
  bool for_class = false;  // for all sizes of a class, of which the call has the largest (see size_class.hpp)
  Parcels parcels;         // where the collective has them

  bool operator==(const PlanKey&) const = default;

  std::uint64_t hash() const {
    std::uint64_t value = static_cast<std::uint64_t>(call.bytes.value);
    const auto mix = [&value](std::uint64_t more) { value = mixed(value, more); };
    mix(static_cast<std::uint64_t>(call.root.value) << 16 | static_cast<std::uint64_t>(call.collective) << 4 |
        static_cast<std::uint64_t>(for_class) << 3 | static_cast<std::uint64_t>(call.user_defined) << 2 |
        static_cast<std::uint64_t>(call.commutative) << 1 | static_cast<std::uint64_t>(in_place));
    mix(static_cast<std::uint64_t>(call.element_bytes.value));
    for (const auto* list : {&parcels.outgoing, &parcels.incoming})
      for (const Parcel& parcel : *list) {
        mix(static_cast<std::uint64_t>(parcel.offset.value));
        mix(static_cast<std::uint64_t>(parcel.size.value));
      }
    return value;
  }
};

// Plan: bool is_idle() const, false while somebody uses it.
template <class Plan>
class PlanCache {
 public:
  static constexpr std::size_t kMostPlans = 256;

  // The plan of this shape; if there is none, what make() returns (a std::unique_ptr<Plan>). Calls
  // before_removal() where other plans have to go for it.
  template <class Make, class BeforeRemoval>
  Plan& find_or_make(const PlanKey& key, Make make, BeforeRemoval before_removal) {
    const std::uint64_t hash = key.hash();
    Entry* entry = entries_.empty() ? nullptr : &entry_for(hash, key);
    if (entry == nullptr || entry->plan == nullptr) {
      if (used_ >= kMostPlans) {
        before_removal();
        make_room();
      }
      if ((used_ + 1) * 2 > entries_.size()) rehash(std::max(kFirstEntries, entries_.size() * 2));
      std::unique_ptr<Plan> plan = make();
      entry = &entry_for(hash, key);
      *entry = {hash, key, std::move(plan), 0};
      ++used_;
    }
    entry->last_use = ++clock_;
    return *entry->plan;
  }

  bool all_idle() const {
    return std::all_of(entries_.begin(), entries_.end(),
                       [](const Entry& s) { return !s.plan || s.plan->is_idle(); });
  }
  std::size_t size() const { return used_; }

 private:
  static constexpr std::size_t kFirstEntries = 16;
  struct Entry {
    std::uint64_t hash = 0;
    PlanKey key;
    std::unique_ptr<Plan> plan;  // empty entries have none
    std::uint64_t last_use = 0;
  };

  Entry& entry_for(std::uint64_t hash, const PlanKey& key) {
    for (std::uint64_t at = hash;; ++at) {
      Entry& entry = entries_[at & (entries_.size() - 1)];
      if (entry.plan == nullptr || (entry.hash == hash && entry.key == key)) return entry;
    }
  }

  void make_room() {
    std::vector<std::uint64_t> uses;
    for (const Entry& entry : entries_)
      if (entry.plan) uses.push_back(entry.last_use);
    const auto middle = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 2);
    std::nth_element(uses.begin(), middle, uses.end());
    for (Entry& entry : entries_) {
      if (entry.plan == nullptr || entry.last_use > *middle || !entry.plan->is_idle()) continue;
      entry.plan.reset();
      --used_;
    }
    rehash(entries_.size());  // no gaps within a run of occupied entries
  }

  void rehash(std::size_t size) {
    std::vector<Entry> old(size);
    std::swap(old, entries_);
    for (Entry& entry : old)
      if (entry.plan) entry_for(entry.hash, entry.key) = std::move(entry);
  }

  std::vector<Entry> entries_;  // none before the first plan: many communicators never have one
  std::size_t used_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace weft
