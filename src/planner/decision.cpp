// SPDX-License-Identifier: BSD-3-Clause
#include "planner/decision.hpp"

#include <fmt/format.h>
#include <utility>

#include "algorithm/build.hpp"
#include "algorithm/tiers.hpp"
#include "transform/by_rounds.hpp"
#include "transform/in_order.hpp"
#include "transform/resize.hpp"

namespace weft {
namespace {

Call as_executed(Call call, const SharedSettings& settings) {
  if (settings.reproducible && is_reduction(call.collective)) call.commutative = false;
  return call;
}

Decision decision_on(const Call& call, const Call& structure, Choice choice, bool by_rounds) {
  const bool stays = stays_in_memory(*choice.algorithm, structure, choice.parameters);
  const Order order = stays ? Order::kChain : by_rounds ? Order::kRounds : Order::kDependencies;
  return {call, structure, std::move(choice), order, !stays};
}

}  // namespace

Decision decide(const Call& as_called, const Placement& placement, const SharedSettings& settings) {
  const Call call = as_executed(as_called, settings);
  if (const std::optional<Bytes> largest = largest_of_class(call)) {
    Call structure = call;
    structure.bytes = *largest;
    Choice choice = choose(structure, placement, settings);
    if (structure == call || choice.algorithm->scales(structure, choice.parameters))
      return decision_on(call, structure, std::move(choice), settings.rounds);
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

Schedule finished(Schedule schedule, const Decision& decision) {
  const bool none_here = decision.choice.algorithm->may_send && message_count(schedule) == 0;
  if (decision.order == Order::kChain || none_here) schedule = in_order(std::move(schedule));
  else if (decision.order == Order::kRounds) schedule = by_rounds(schedule);
  if (decision.call.bytes != decision.structure.bytes) {
    const Schedule structure = schedule;
    resize(schedule, structure, decision.call.bytes);
  }
  return schedule;
}

}  // namespace

Schedule schedule_of(const Decision& decision, Rank self, bool in_place, Parcels parcels) {
  const auto& [algorithm, parameters, why] = decision.choice;
  return finished(build(*algorithm, decision.structure, parameters, self, in_place, std::move(parcels)),
                  decision);
}

Schedule example_schedule_of(const Decision& decision, Rank self, bool in_place) {
  const auto& [algorithm, parameters, why] = decision.choice;
  return finished(build_example(*algorithm, decision.structure, parameters, self, in_place), decision);
}

}  // namespace weft
