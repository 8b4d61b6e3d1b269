// SPDX-License-Identifier: BSD-3-Clause
// Topologies and hierarchies in weft._core.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "_core.hpp"
#include "topology/hierarchy.hpp"
#include "topology/machine.hpp"
#include "topology/topology.hpp"

namespace weft {
namespace {

std::vector<std::vector<int>> numbers_of(const std::vector<std::vector<Rank>>& groups) {
  std::vector<std::vector<int>> numbers;
  for (const auto& group : groups) {
    numbers.emplace_back();
    for (const Rank rank : group) numbers.back().push_back(rank.value);
  }
  return numbers;
}

std::vector<std::vector<int>> groups_of(const Topology& topology, const std::string& name) {
  const auto level = level_named(name);
  if (!level) refuse(fmt::format("there is no level \"{}\"", name));
  return numbers_of(topology.groups(*level));
}

std::string nearest_level(const Topology& topology, int a, int b) {
  for (const int rank : {a, b})
    if (rank < 0 || rank >= topology.rank_count())
      refuse(fmt::format("rank {}: the ranks are from 0 to {}", rank, topology.rank_count() - 1));
  return std::string(name_of(topology.nearest(Rank(a), Rank(b))));
}

nb::dict tier_dict(const Hierarchy& hierarchy, int number) {
  const Hierarchy::Tier& tier = hierarchy.tiers()[static_cast<std::size_t>(number)];
  nb::dict entry;
  entry["level"] = name_of(tier.level);
  entry["joined"] = name_of(tier.joined);
  entry["groups"] = numbers_of(hierarchy.groups(number));
  return entry;
}

Hierarchy led_by(const Hierarchy& hierarchy, int rank) {
  if (rank < 0 || rank >= hierarchy.rank_count())
    refuse(fmt::format("rank {}: the ranks are from 0 to {}", rank, hierarchy.rank_count() - 1));
  return hierarchy.led_by(Rank(rank));
}

}  // namespace

void bind_topology(nb::module_& m) {
  nb::class_<Topology>(m, "Topology")
      .def(
          "__init__",
          [](Topology* self, const std::string& text) {
            new (self) Topology(value_or_refuse(Topology::parse(text)));
          },
          "text"_a)
      .def_prop_ro("ranks", &Topology::rank_count)
      .def_prop_ro("places", &Topology::leaf_count)
      .def(
          "with_ranks", [](const Topology& t, int ranks) { return value_or_refuse(t.with_ranks(ranks)); },
          "ranks"_a)
      .def("nearest", nearest_level, "a"_a, "b"_a)
      .def("groups", groups_of, "level"_a)
      .def("json", &Topology::json)
      .def("tree", &Topology::tree)
      .def("__str__", &Topology::text);
  nb::class_<Hierarchy>(m, "Hierarchy")
      .def(
          "__init__",
          [](Hierarchy* self, const Topology& topology, const std::string& depth) {
            new (self) Hierarchy(value_or_refuse(Hierarchy::make(topology, depth)));
          },
          "topology"_a, "depth"_a)
      .def_prop_ro("depth", &Hierarchy::depth)
      .def_prop_ro("tiers",
                   [](const Hierarchy& h) {
                     nb::list tiers;
                     for (int tier = 0; tier < static_cast<int>(h.tiers().size()); ++tier)
                       tiers.append(tier_dict(h, tier));
                     return tiers;
                   })
      .def("led_by", led_by, "rank"_a)
      .def("text", &Hierarchy::text);
  nb::class_<Machine>(m, "Machine")
      .def_ro("topology", &Machine::topology)
      .def_ro("cpus", &Machine::cpus)
      .def_ro("hwloc_version", &Machine::hwloc_version);
  m.def(
      "detect_machine", [] { return value_or_refuse(detect_machine()); }, WithoutGil());
}

}  // namespace weft
