// SPDX-License-Identifier: BSD-3-Clause
#include "planner/check_settings.hpp"

#include <fmt/format.h>
#include <string_view>

#include "algorithm/catalog.hpp"
#include "topology/hierarchy.hpp"

namespace weft {
namespace {

std::string problem_with_algorithm(const std::string& collective, const NamedAlgorithm& named) {
  const auto which = collective_named(collective);
  if (!which) {
    std::string names;
    for (const Collective c : kCollectives)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(c));
    return fmt::format("there is no collective \"{}\": choose one of {}", collective, names);
  }
  const auto algorithm = find_algorithm(*which, named.name);
  if (!algorithm) return algorithm.error();
  if (named.radix != 0 && !(*algorithm)->has_radix)
    return fmt::format("{} by {} has no radix; leave `:{}` out", collective, named.name, named.radix);
  return "";
}

std::string problem_with_algorithms(const NamedAlgorithms& algorithms) {
  for (const auto& [collective, named] : algorithms)
    if (std::string problem = problem_with_algorithm(collective, named); !problem.empty()) return problem;
  return "";
}

std::string problem_with_topology(const std::string& text) {
  if (text.empty()) return "";
  const auto topology = Topology::parse(text);
  return topology ? "" : topology.error();
}

std::string problem_with_hierarchy(const SharedSettings& settings) {
  const auto levels = levels_named(settings.hierarchy);
  if (!levels) return levels.error();
  if (settings.topology.empty()) return "";
  const auto topology = Topology::parse(settings.topology);
  if (!topology) return "";  // said already
  const auto hierarchy = Hierarchy::make_from_what_is_there(*topology, settings.hierarchy);
  return hierarchy ? "" : hierarchy.error();
}

std::string problem_with_wire(std::string_view wire) {
  constexpr std::string_view kNamed = "fabric:";
  const bool names_provider = wire.starts_with(kNamed) && wire.size() > kNamed.size();
  return wire == "tcp" || wire == "fabric" || names_provider ? "" : "use tcp, fabric or fabric:PROVIDER";
}

// "tuning.txt:3: WEFT_ALGORITHM=allreduce=magic is not understood: …"
std::string named(const char* name, const Settings& settings, const std::string& problem) {
  if (problem.empty()) return "";
  const auto given = settings.given.find(name);
  const bool from_file = given != settings.given.end() && given->second != "environment";
  return fmt::format("{}{}={} is not understood: {}", from_file ? given->second + ": " : "", name,
                     value_text(*setting_named(name), settings), problem);
}

}  // namespace

std::string problem_with(const Settings& settings) {
  const SharedSettings& shared = settings.shared;
  for (const std::string& problem :
       {named("WEFT_ALGORITHM", settings, problem_with_algorithms(shared.algorithms)),
        named("WEFT_TOPOLOGY", settings, problem_with_topology(shared.topology)),
        named("WEFT_HIERARCHY", settings, problem_with_hierarchy(shared)),
        named("WEFT_WIRE", settings, problem_with_wire(shared.wire))})
    if (!problem.empty()) return problem;
  return "";
}

std::string problem_with_ranks(const Settings& settings, int rank_count) {
  if (settings.shared.topology.empty()) return "";
  const auto topology = Topology::parse(settings.shared.topology);
  if (!topology) return "";  // problem_with() says it
  const auto fitting = topology->with_ranks(rank_count);
  return named("WEFT_TOPOLOGY", settings, fitting ? "" : fitting.error());
}

}  // namespace weft
