// SPDX-License-Identifier: BSD-3-Clause
#include "planner/decision.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "algorithm/build.hpp"
#include "algorithm/tiers.hpp"
#include "transform/by_rounds.hpp"
#include "transform/in_order.hpp"
#include "transform/size_class.hpp"
#include "transform/sized_schedule.hpp"

namespace weft {
namespace {

Call as_executed(Call call, const SharedSettings& settings) {
  if (settings.reproducible && is_reduction(call.collective)) call.commutative = false;
  return call;
}

Decision decision_on(const Call& call, const Call& structure, Choice choice, bool by_rounds) {
  const bool stays = stays_in_memory(*choice.algorithm, structure, choice.parameters);
  const Order order = stays ? Order::kChain : by_rounds ? Order::kRounds : Order::kDependencies;
  return {.call = call,
          .structure = structure,
          .choice = std::move(choice),
          .order = order,
          .sends_messages = !stays};
}

// Blocks that differ in size share their structure only within a node: no other algorithm scales with them.
std::optional<Bytes> largest_of_class(const Call& call, const Parcels& parcels, const Placement& placement) {
  if (!has_parcels(call.collective)) return largest_of_class(call);
  if (!knows_all_blocks(call.collective) || !placement.one_node) return std::nullopt;
  return largest_of_class(call, parcels.empty() ? example_parcels(call, Rank(0), false) : parcels);
}

}  // namespace

Decision decide(const Call& as_called, const Placement& placement, const SharedSettings& settings,
                const Parcels& parcels) {
  const Call call = as_executed(as_called, settings);
  if (const std::optional<Bytes> largest = largest_of_class(call, parcels, placement)) {
    Call structure = call;
    structure.bytes = *largest;
    Choice choice = choose(structure, placement, settings);
    const bool scales = choice.algorithm->scales(structure, choice.parameters);
    if (scales || structure == call) {
      Decision decision = decision_on(call, structure, std::move(choice), settings.rounds);
      decision.serves_class = scales;
      return decision;
    }
  }
  return decision_on(call, call, choose(call, placement, settings), settings.rounds);
}

Decision decide(const Call& call, const Algorithm& algorithm, const Parameters& parameters, bool by_rounds) {
  return decision_on(call, call, {&algorithm, parameters, "it is asked for"}, by_rounds);
}

std::string sentence(const Decision& decision) {
  const auto& [algorithm, parameters, why] = decision.choice;
  const std::string_view rounds = decision.order == Order::kRounds ? " by rounds" : "";
  return fmt::format("{}{}: {}", label_of(*algorithm, decision.call, parameters), rounds, why);
}

namespace {

// Whether the parcels need no messages, each by itself.
bool go_by_ways(const Decision& decision, Rank self, const Parcels& parcels) {
  const auto& [algorithm, parameters, why] = decision.choice;
  if (!algorithm->may_send || algorithm->ways == nullptr) return false;
  const Ways ways = algorithm->ways(decision.structure, parameters);
  const auto go = [&](const std::vector<Parcel>& list) {
    return std::all_of(list.begin(), list.end(),
                       [&](const Parcel& parcel) { return ways.largest_for(parcel, self).has_value(); });
  };
  return go(parcels.outgoing) && go(parcels.incoming);
}

// The schedule for the structure. Tasks without messages run in their order, so that finding out which of
// them depend on each other, which takes most of the time of building them, is left for those with messages.
Schedule structure_of(const Decision& decision, Rank self, bool in_place, const Parcels& parcels) {
  const Choice& choice = decision.choice;
  const auto built = [&](Builder::Edges edges) {
    return build(*choice.algorithm, decision.structure, choice.parameters, self, in_place, parcels, edges);
  };
  const bool is_chain = decision.order == Order::kChain;
  const bool may_be_chain = is_chain || go_by_ways(decision, self, parcels);
  Schedule schedule = built(may_be_chain ? Builder::Edges::kNone : Builder::Edges::kByAccess);
  if (is_chain || (choice.algorithm->may_send && message_count(schedule) == 0))
    return in_order(std::move(schedule));
  if (may_be_chain)
    schedule = built(Builder::Edges::kByAccess);  // two ranks have several parcels for one another
  return decision.order == Order::kRounds ? by_rounds(schedule) : schedule;
}

}  // namespace

Schedule schedule_of(const Decision& decision, Rank self, bool in_place, const Parcels& parcels) {
  const Call& call = decision.structure;
  if (call.bytes == decision.call.bytes) return structure_of(decision, self, in_place, parcels);
  Parcels of_class;
  if (has_parcels(call.collective))
    take_largest_of_class(call, parcels, self, in_place, call.bytes, of_class);
  const Schedule structure = structure_of(decision, self, in_place, of_class);
  SizedSchedule sized(structure);
  if (has_parcels(call.collective)) sized.resize(parcels);
  else sized.resize(decision.call.bytes);
  return sized.schedule();
}

std::vector<NearerPlace> nearer_places(const Decision& decision, Rank self, const Parcels& of_class,
                                       const Ways& ways) {
  std::vector<NearerPlace> nearer;
  Bytes most;
  for (std::size_t place = 0; ways.at_once[place] < ways.at_once.back(); ++place) {
    if (ways.at_once[place] == most) continue;
    most = ways.at_once[place];
    nearer.emplace_back(most, schedule_of(decision, self, false, through_place(of_class, self, ways, place)));
  }
  return nearer;
}

Schedule example_schedule_of(const Decision& decision, Rank self, bool in_place) {
  const Call& call = decision.call;
  const bool is_there = in_place && can_be_in_place(call, self);
  return schedule_of(decision, self, in_place, example_parcels(call, self, is_there));
}

}  // namespace weft
