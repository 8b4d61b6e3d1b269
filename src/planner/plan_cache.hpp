// SPDX-License-Identifier: BSD-3-Clause
// PlanCache: the plans of one communicator by shape of call, so that a schedule is built once and used again.
//
// Open addressing over a power of two that is at most half full: a lookup hashes the shape and looks at one
// slot or two. Beyond kMostPlans the older half of the idle plans goes, so that a program whose sizes never
// repeat stays bounded. A plan's address is stable. One thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "collective/parcels.hpp"

namespace weft {

struct PlanKey {
  Call call;
  bool in_place = false;
  Parcels parcels;  // where the collective has them

  bool operator==(const PlanKey&) const = default;

  std::uint64_t hash() const {
    std::uint64_t value = static_cast<std::uint64_t>(call.bytes.value);
    const auto mix = [&value](std::uint64_t more) {
      value = (value ^ more) * 0x9E3779B97F4A7C15u;
      value ^= value >> 29;
    };
    mix(static_cast<std::uint64_t>(call.root.value) << 8 | static_cast<std::uint64_t>(call.collective) << 3 |
        static_cast<std::uint64_t>(call.user_defined) << 2 |
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

  // The plan of this shape; if there is none, what make() returns (a std::unique_ptr<Plan>).
  template <class Make>
  Plan& find_or_make(const PlanKey& key, Make make) {
    const std::uint64_t hash = key.hash();
    Slot* slot = slots_.empty() ? nullptr : &slot_for(hash, key);
    if (slot == nullptr || slot->plan == nullptr) {
      if (used_ >= kMostPlans) make_room();
      if ((used_ + 1) * 2 > slots_.size()) rehash(std::max(kFirstSlots, slots_.size() * 2));
      std::unique_ptr<Plan> plan = make();
      slot = &slot_for(hash, key);
      *slot = {hash, key, std::move(plan), 0};
      ++used_;
    }
    slot->last_use = ++clock_;
    return *slot->plan;
  }

  bool all_idle() const {
    return std::all_of(slots_.begin(), slots_.end(),
                       [](const Slot& s) { return !s.plan || s.plan->is_idle(); });
  }
  std::size_t size() const { return used_; }

 private:
  static constexpr std::size_t kFirstSlots = 16;
  struct Slot {
    std::uint64_t hash = 0;
    PlanKey key;
    std::unique_ptr<Plan> plan;  // empty slots have none
    std::uint64_t last_use = 0;
  };

  Slot& slot_for(std::uint64_t hash, const PlanKey& key) {
    for (std::uint64_t at = hash;; ++at) {
      Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.plan == nullptr || (slot.hash == hash && slot.key == key)) return slot;
    }
  }

  void make_room() {
    std::vector<std::uint64_t> uses;
    for (const Slot& slot : slots_)
      if (slot.plan) uses.push_back(slot.last_use);
    const auto middle = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 2);
    std::nth_element(uses.begin(), middle, uses.end());
    for (Slot& slot : slots_) {
      if (slot.plan == nullptr || slot.last_use > *middle || !slot.plan->is_idle()) continue;
      slot.plan.reset();
      --used_;
    }
    rehash(slots_.size());  // no gaps within a run of occupied slots
  }

  void rehash(std::size_t size) {
    std::vector<Slot> old(size);
    std::swap(old, slots_);
    for (Slot& slot : old)
      if (slot.plan) slot_for(slot.hash, slot.key) = std::move(slot);
  }

  std::vector<Slot> slots_;  // none before the first plan: many communicators never have one
  std::size_t used_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace weft
