// SPDX-License-Identifier: BSD-3-Clause
// Who moves operations, in weft._core.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "_core.hpp"
#include "device/wake_cost.hpp"
#include "explain/movers.hpp"

namespace weft {
namespace {

// What the settings say, or with another device.
Settings settings_with(const std::optional<std::string>& device) {
  Settings settings = settings_here();
  if (!device) return settings;
  return value_or_refuse(with_value(std::move(settings), *setting_named("WEFT_DEVICE"), *device));
}

Movers find_movers(const Schedules& all, const Topology* machine, const std::optional<std::string>& device) {
  need_all_ranks(all);
  const nb::gil_scoped_release without_gil;
  const Settings settings = settings_with(device);
  const int ranks = all.schedules.front().call.rank_count;
  const Site site = value_or_refuse(machine != nullptr ? site_on(*machine, settings.shared)
                                                       : site_of(ranks, settings.shared));
  return movers_of(all.schedules, site, settings);
}

nb::dict movers_dict(const Schedules& all, const Topology* machine,
                     const std::optional<std::string>& device) {
  const Movers movers = find_movers(all, machine, device);
  nb::dict entry;
  entry["device"] = movers.has_agents ? "agent" : "none";
  entry["takes_times"] = movers.takes_times;
  entry["shares_memory"] = movers.shares_memory;
  entry["senders"] = movers.senders;
  entry["takes_wire"] = movers.takes_wire;
  entry["by_ranks"] = movers.by_ranks;
  entry["by_list"] = movers.by_list;
  entry["longest_list"] = movers.longest_list;
  entry["why_no_list"] = movers.why_no_list;
  entry["longest_message"] = movers.longest_message.value;
  entry["most_unasked"] = movers.most_unasked.value;
  entry["in_memory"] = movers.in_memory;
  entry["copied_by_agents"] = movers.copied_by_agents;
  entry["most_copied"] = movers.most_copied.value;
  entry["copies_from"] = movers.copies_from.value;
  entry["copies_in_a_crowd"] = movers.copies_in_a_crowd;
  entry["is_short"] = movers.is_short;
  entry["longest_short"] = movers.longest_short.value;
  return entry;
}

}  // namespace

void bind_device(nb::module_& m) {
  m.def("movers", movers_dict, "schedules"_a, "topology"_a = nb::none(), "device"_a = nb::none());
  m.def(
      "wake_cost", [](int times) { return value_or_refuse(device::wake_cost(times)).value; }, "times"_a,
      WithoutGil());
}

}  // namespace weft
