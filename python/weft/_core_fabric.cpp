// SPDX-License-Identifier: BSD-3-Clause
// What libfabric offers on this machine, in weft._core.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "_core.hpp"
#include "transport/fabric/fabric.hpp"

namespace weft {
namespace {

fabric::Survey survey_for(const std::string& wire, const std::string& interface) {
  if (wire == "tcp") return fabric::survey({.provider = "", .interface = interface});
  const auto wanted = fabric::wanted_by(wire, interface);
  if (wanted) return fabric::survey(*wanted);
  fabric::Survey found = fabric::survey({});
  found.chosen.clear();
  found.problem = wanted.error();
  return found;
}

nb::dict survey_fabric(const std::string& wire, const std::string& interface) {
  fabric::Survey found;
  {
    const nb::gil_scoped_release others_go_on;
    found = survey_for(wire, interface);
  }
  nb::list providers;
  for (const fabric::Provider& one : found.providers) {
    nb::dict entry;
    entry["name"] = one.name;
    entry["devices"] = one.devices;
    entry["trouble"] = one.trouble;
    providers.append(std::move(entry));
  }
  nb::dict entry;
  entry["version"] = found.version;
  entry["problem"] = found.problem;
  entry["known_bad"] = found.known_bad;
  entry["providers"] = std::move(providers);
  entry["chosen"] = found.chosen;
  return entry;
}

}  // namespace

void bind_fabric(nb::module_& m) { m.def("survey_fabric", survey_fabric, "wire"_a, "interface"_a); }

}  // namespace weft
