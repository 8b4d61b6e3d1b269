// SPDX-License-Identifier: BSD-3-Clause
// What people ask for comes before the rules.
#include <fmt/format.h>
#include <optional>

#include "algorithm/build.hpp"
#include "planner/planner.hpp"
#include "planner/room.hpp"

namespace weft {

namespace {

// The algorithm that somebody names for this call, if it is one that can do it; else null.
const Algorithm* named_algorithm(const Call& call, const NamedAlgorithm& named) {
  const auto found = find_algorithm(call.collective, named.name);
  return found && (*found)->eligible(call) ? *found : nullptr;
}

// Every rank's schedule has the same shared buffers, whatever blocks of their own they have.
bool takes_more_than_there_is(const Algorithm& algorithm, const Call& call, const Parameters& parameters,
                              const Placement& placement) {
  const Rooms rooms = rooms_of(build_example(algorithm, call, parameters, Rank(0), false));
  if (placement.rank_bytes == Bytes(0)) return !rooms.none();
  return rooms.taken(Room::kLarge) > placement.rank_bytes * call.rank_count;
}

// The algorithm that somebody named; nothing where some rank lacks the memory for it.
std::optional<Choice> choice_by_name(const Call& call, Placement placement, const NamedAlgorithm& named,
                                     const Algorithm& algorithm) {
  if (algorithm.within_node) placement.hierarchy = nullptr;
  const Choice usual = choose(call, placement);
  if (algorithm.within_node && !usual.algorithm->within_node) return std::nullopt;
  if (algorithm.single_copy && !placement.single_copy) return std::nullopt;
  if (algorithm.follows_hierarchy && !has_room(algorithm, call, placement)) placement.hierarchy = nullptr;
  const int radix = named.radix != 0 ? named.radix : usual.parameters.radix;
  const Parameters parameters = parameters_for(algorithm, call, placement, radix);
  if (algorithm.within_node && takes_more_than_there_is(algorithm, call, parameters, placement))
    return std::nullopt;
  return Choice{&algorithm, parameters,
                fmt::format("it is asked for: {}={}", name_of(call.collective), named.name)};
}

}  // namespace

Choice choose(const Call& call, const Placement& placement, const SharedSettings& settings) {
  Placement known = placement;
  if (settings.rounds) {  // LibNBC's trees double, and it knows of no node
    known = {.thresholds = placement.thresholds};
    known.thresholds.radix = known.thresholds.shallow_radix = 2;
  }
  if (settings.reproducible && is_reduction(call.collective)) return choose_reproducible(call, known);
  const auto named = settings.algorithms.find(std::string(name_of(call.collective)));
  if (named != settings.algorithms.end())
    if (const Algorithm* algorithm = named_algorithm(call, named->second))
      if (auto choice = choice_by_name(call, known, named->second, *algorithm)) return *choice;
  return choose(call, known);
}

}  // namespace weft
