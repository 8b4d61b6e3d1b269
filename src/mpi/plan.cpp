// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/plan.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>

#include "algorithm/catalog.hpp"
#include "base/log.hpp"
#include "executor/verifier/verify.hpp"
#include "planner/planner.hpp"

namespace weft::mpi {
namespace {

// One order of operands for every size, root and operator: the plan of a short call whose operator does not
// commute, which is a function of the number of ranks alone (drop_in rule 7).
Call pinned(Call call) {
  call.bytes = call.element_bytes;
  call.commutative = false;
  return call;
}

// The planner's choice, unless rank 0's WEFT_ALGORITHM names another that is eligible.
Choice choose_for(const Call& call, const SharedSettings& settings) {
  if (settings.reproducible && is_reduction(call.collective)) return choose(pinned(call));
  Choice choice = choose(call);
  const auto setting = settings.algorithms.find(std::string(name_of(call.collective)));
  if (setting == settings.algorithms.end()) return choice;
  const std::string& text = setting->second;
  const std::size_t slash = text.find('/');
  const auto algorithm = find_algorithm(call.collective, text.substr(0, slash));
  if (!algorithm || !(*algorithm)->eligible(call)) return choice;
  choice.algorithm = *algorithm;
  if (slash != std::string::npos)
    std::from_chars(text.data() + slash + 1, text.data() + text.size(), choice.parameters.radix);
  choice.parameters.radix = std::max(choice.parameters.radix, 2);
  return choice;
}

// The debug build proves every plan before it is used.
void prove([[maybe_unused]] const Choice& choice, [[maybe_unused]] const Call& call) {
#ifndef NDEBUG
  constexpr int kMostRanks = 64;
  if (call.rank_count > kMostRanks) return;
  std::vector<Schedule> all;
  for (int rank = 0; rank < call.rank_count; ++rank)
    all.push_back(build(*choice.algorithm, call, choice.parameters, Rank(rank), false));
  const Report report = verify(all);
  for (const Finding& finding : report.findings) log_message(finding.message);
  assert(report.proved());
#endif
}

Schedule build_for(Call call, bool in_place, Rank self, const SharedSettings& settings) {
  if (settings.reproducible) call.commutative = false;
  const Choice choice = choose_for(call, settings);
  prove(choice, call);
  return build(*choice.algorithm, call, choice.parameters, self, in_place);
}

std::uint64_t hash_of(const Call& call, bool in_place) {
  std::uint64_t hash = static_cast<std::uint64_t>(call.bytes.value);
  const auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15u; hash ^= hash >> 29; };
  mix(static_cast<std::uint64_t>(call.root.value) << 8 | static_cast<std::uint64_t>(call.collective) << 2 |
      static_cast<std::uint64_t>(call.commutative) << 1 | static_cast<std::uint64_t>(in_place));
  mix(static_cast<std::uint64_t>(call.element_bytes.value));
  return hash;
}

}  // namespace

Plan::Plan(const Call& of, bool place, Rank self, const SharedSettings& settings)
    : call(of), in_place(place), schedule(build_for(of, place, self, settings)) {}

Flight& Plan::idle_flight() {
  for (std::size_t tried = 0; tried < flights.size(); ++tried) {
    next = next + 1 < flights.size() ? next + 1 : 0;
    if (flights[next]->is_idle()) return *flights[next];
  }
  flights.push_back(std::make_unique<Flight>(schedule));
  return *flights.back();
}

bool Plan::is_idle() const {
  return std::all_of(flights.begin(), flights.end(), [](const auto& flight) { return flight->is_idle(); });
}

PlanCache::Slot& PlanCache::slot_for(std::uint64_t hash, const Call& call, bool in_place) {
  for (std::size_t at = hash;; ++at) {
    Slot& slot = slots_[at & (slots_.size() - 1)];
    if (slot.plan == nullptr) return slot;
    if (slot.hash == hash && slot.plan->call == call && slot.plan->in_place == in_place) return slot;
  }
}

Plan& PlanCache::find_or_build(const Call& call, bool in_place, Rank self, const SharedSettings& settings) {
  const std::uint64_t hash = hash_of(call, in_place);
  Slot* slot = &slot_for(hash, call, in_place);
  if (slot->plan == nullptr) {
    if (used_ >= kMostPlans) make_room();
    if ((used_ + 1) * 2 > slots_.size()) grow();
    slot = &slot_for(hash, call, in_place);
    slot->hash = hash;
    slot->plan = std::make_unique<Plan>(call, in_place, self, settings);
    ++used_;
  }
  slot->plan->last_use = ++clock_;
  return *slot->plan;
}

bool PlanCache::all_idle() const {
  return std::all_of(slots_.begin(), slots_.end(), [](const Slot& s) { return !s.plan || s.plan->is_idle(); });
}

// Drops the older half of the idle plans, so that a program whose sizes never repeat pays for this rarely.
void PlanCache::make_room() {
  std::vector<Slot> all = std::move(slots_);
  slots_ = std::vector<Slot>(all.size());
  std::sort(all.begin(), all.end(), [](const Slot& a, const Slot& b) {
    return (a.plan ? a.plan->last_use : 0) > (b.plan ? b.plan->last_use : 0);
  });
  used_ = 0;
  for (Slot& slot : all) {
    if (slot.plan == nullptr || (used_ >= kMostPlans / 2 && slot.plan->is_idle())) continue;
    Slot& place = slot_for(slot.hash, slot.plan->call, slot.plan->in_place);
    place = std::move(slot);
    ++used_;
  }
}

void PlanCache::grow() {
  std::vector<Slot> old = std::move(slots_);
  slots_ = std::vector<Slot>(old.size() * 2);
  for (Slot& slot : old)
    if (slot.plan != nullptr) slot_for(slot.hash, slot.plan->call, slot.plan->in_place) = std::move(slot);
}

}  // namespace weft::mpi
