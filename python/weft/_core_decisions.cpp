// SPDX-License-Identifier: BSD-3-Clause
// What is asked for and what the library would do, as decisions.
#include <fmt/format.h>

#include "_core.hpp"
#include "schedule/describe.hpp"

namespace weft {
namespace {

Leader leader_named(const std::string& name) {
  if (name == "last") return Leader::kLast;
  if (name == "fixed") return Leader::kFixed;
  refuse(fmt::format("there is no leader \"{}\": choose last or fixed", name));
}

}  // namespace

const Algorithm& algorithm_for(const Call& call, const std::string& name) {
  const Algorithm* algorithm = value_or_refuse(find_algorithm(call.collective, name));
  if (!algorithm->eligible(call))
    refuse(fmt::format("{} cannot do this call ({}): choose another algorithm", name, describe(call)));
  return *algorithm;
}

Parameters make_parameters(const Algorithm& algorithm, const Call& call, const Options& options,
                           const Hierarchy* hierarchy) {
  if (options.radix < 2) refuse(fmt::format("radix {}: at least 2 is needed", options.radix));
  if (options.bcast_radix < 0 || options.bcast_radix == 1)
    refuse(fmt::format("bcast_radix {}: at least 2 is needed", options.bcast_radix));
  if (options.window < 1) refuse(fmt::format("window {}: at least 1 is needed", options.window));
  if (options.fragment && *options.fragment < 1)
    refuse(fmt::format("a fragment of {} bytes: at least 1 is needed", *options.fragment));
  if (hierarchy != nullptr && !algorithm.follows_hierarchy)
    refuse(fmt::format("{} follows no hierarchy: leave it out, or choose hierarchical", algorithm.name));
  if (hierarchy == nullptr && algorithm.follows_hierarchy && !algorithm.gathers)
    refuse(fmt::format("{} follows a hierarchy: name one, and a topology that has it", algorithm.name));
  if (hierarchy != nullptr && hierarchy->rank_count() != call.rank_count)
    refuse(fmt::format("the hierarchy has {} ranks, the call {}: they must agree", hierarchy->rank_count(),
                       call.rank_count));
  const Placement placement = placement_over(hierarchy, call.rank_count, settings_here().shared);
  if (hierarchy != nullptr && placement.hierarchy == nullptr)
    refuse("a node has no memory for so many ranks of a hierarchy: give it some (WEFT_NODE_MEMORY)");
  Parameters parameters = parameters_for(algorithm, call, placement, options.radix);
  parameters.bcast_radix = options.bcast_radix;
  parameters.window = options.window;
  if (options.fragment) parameters.fragment = Bytes(*options.fragment);
  if (!options.leader.empty()) parameters.leader = leader_named(options.leader);
  return parameters;
}

std::unique_ptr<Decided> decide_here(const Call& call, const Topology* machine,
                                     const std::optional<std::string>& depth, bool by_rounds) {
  SharedSettings settings = settings_here().shared;
  if (depth) settings.hierarchy = *depth;
  settings.rounds = settings.rounds || by_rounds;
  auto decided = std::make_unique<Decided>();
  decided->round_trip = settings.round_trip;
  decided->site =
      value_or_refuse(machine != nullptr ? site_on(*machine, settings) : site_of(call.rank_count, settings));
  decided->decision = decide(call, decided->site.placement(settings), settings);
  return decided;
}

}  // namespace weft
