// SPDX-License-Identifier: BSD-3-Clause
// What there is to choose from, in weft._core: collectives, algorithms, settings.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "_core.hpp"
#include "algorithm/catalog.hpp"
#include "planner/check_settings.hpp"

namespace weft {
namespace {

// On some rank, and where it changes something.
bool may_be_in_place(Collective collective) {
  return collective != Collective::kBarrier && collective != Collective::kBcast && !is_neighborly(collective);
}

nb::list catalog_list() {
  nb::list list;
  for (const Algorithm& a : catalog()) {
    nb::dict entry;
    entry["collective"] = name_of(a.collective);
    entry["name"] = a.name;
    entry["summary"] = a.summary;
    entry["formula"] = a.formula;
    entry["source"] = a.source;
    nb::list options;
    for (const auto& [name, has] :
         {std::pair("radix", a.has_radix), std::pair("bcast_radix", a.has_bcast_radix),
          std::pair("window", a.has_window), std::pair("fragment", a.has_fragments),
          std::pair("leader", a.has_leaders())})
      if (has) options.append(name);
    entry["options"] = options;
    entry["within_node"] = a.within_node;
    entry["is_rooted"] = is_rooted(a.collective);
    entry["is_reduction"] = is_reduction(a.collective);
    entry["may_be_in_place"] = may_be_in_place(a.collective);
    entry["follows_hierarchy"] = a.follows_hierarchy;
    list.append(std::move(entry));
  }
  return list;
}

nb::list settings_list() {
  nb::list list;
  for (const Setting& setting : settings_table()) {
    nb::dict entry;
    entry["name"] = setting.name;
    entry["scope"] = name_of(setting.scope);
    entry["info_key"] = setting.info_key();
    entry["unit"] = setting.unit;
    entry["meaning"] = setting.meaning;
    entry["allowed"] = allowed(setting);
    entry["default"] = value_text(setting, {});
    list.append(std::move(entry));
  }
  return list;
}

nb::list settings_in_effect() {
  const Settings settings = settings_here();
  nb::list list;
  for (const Setting& setting : settings_table()) {
    const auto given = settings.given.find(setting.name);
    nb::dict entry;
    entry["name"] = setting.name;
    entry["value"] = value_text(setting, settings);
    entry["from"] = given == settings.given.end() ? "default" : given->second;
    list.append(std::move(entry));
  }
  return list;
}

void check_settings(std::optional<int> ranks) {
  const Settings settings = settings_here();
  std::string problem = problem_with(settings);
  if (problem.empty() && ranks) problem = problem_with_ranks(settings, *ranks);
  if (!problem.empty()) refuse(problem);
}

std::vector<std::string> collective_names() {
  std::vector<std::string> names;
  for (const Collective c : kCollectives) names.emplace_back(name_of(c));
  return names;
}

}  // namespace

void bind_catalog(nb::module_& m) {
  m.def("catalog", catalog_list);
  m.def("settings", settings_list);
  m.def("settings_in_effect", settings_in_effect);
  m.def("check_settings", check_settings, "ranks"_a = nb::none());
  m.def("collectives", collective_names);
}

}  // namespace weft
