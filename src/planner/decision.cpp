// SPDX-License-Identifier: BSD-3-Clause
#include "planner/decision.hpp"

#include <fmt/format.h>
#include <utility>

#include "algorithm/tiers.hpp"
#include "transform/by_rounds.hpp"
#include "transform/in_order.hpp"

namespace weft {
namespace {

Call as_executed(Call call, const SharedSettings& settings) {
  if (settings.reproducible && is_reduction(call.collective)) call.commutative = false;
  return call;
}

Decision decision_on(const Call& call, Choice choice, bool by_rounds) {
  const bool stays = stays_in_memory(*choice.algorithm, call, choice.parameters);
  const Order order = stays ? Order::kChain : by_rounds ? Order::kRounds : Order::kDependencies;
  return {call, std::move(choice), order, !stays};
}

}  // namespace

Decision decide(const Call& call, const Placement& placement, const SharedSettings& settings) {
  return decision_on(as_executed(call, settings), choose(call, placement, settings), settings.rounds);
}

Decision decide(const Call& call, const Algorithm& algorithm, const Parameters& parameters, bool by_rounds) {
  return decision_on(call, {&algorithm, parameters, "it is asked for"}, by_rounds);
}

std::string sentence(const Decision& decision) {
  const auto& [algorithm, parameters, why] = decision.choice;
  const std::string_view rounds = decision.order == Order::kRounds ? " by rounds" : "";
  return fmt::format("{}{}: {}", label_of(*algorithm, decision.call, parameters), rounds, why);
}

namespace {

Schedule ordered(Schedule schedule, const Decision& decision) {
  if (decision.order == Order::kChain) return in_order(std::move(schedule));
  return decision.order == Order::kRounds ? by_rounds(schedule) : schedule;
}

}  // namespace

Schedule schedule_of(const Decision& decision, Rank self, bool in_place, Parcels parcels) {
  const auto& [algorithm, parameters, why] = decision.choice;
  return ordered(build(*algorithm, decision.call, parameters, self, in_place, std::move(parcels)), decision);
}

Schedule example_schedule_of(const Decision& decision, Rank self, bool in_place) {
  const auto& [algorithm, parameters, why] = decision.choice;
  return ordered(build_example(*algorithm, decision.call, parameters, self, in_place), decision);
}

}  // namespace weft
