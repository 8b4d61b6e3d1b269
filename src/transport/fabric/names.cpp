// SPDX-License-Identifier: BSD-3-Clause
// What needs nothing of libfabric's own: names, and what is known of versions.
#include <algorithm>
#include <fmt/format.h>

#include "transport/fabric/fabric.hpp"

namespace weft::fabric {

Result<Wanted> wanted_by(std::string_view wire, const std::string& interface) {
  constexpr std::string_view kBest = "fabric", kNamed = "fabric:";
  const bool is_named = wire.starts_with(kNamed) && wire.size() > kNamed.size();
  if (wire != kBest && !is_named)
    return Error{fmt::format("WEFT_WIRE={} is not understood: use tcp, fabric or fabric:PROVIDER", wire)};
  return Wanted{std::string(is_named ? wire.substr(kNamed.size()) : ""), interface};
}

std::string core_of(const std::string& provider) { return provider.substr(0, provider.find(';')); }

namespace {

bool are_alike(const Name& a, const Name& b) { return a.provider == b.provider && a.format == b.format; }

std::size_t first_of_most(std::span<const Name> processes) {
  std::size_t found = 0;
  std::ptrdiff_t most = 0;
  for (std::size_t process = 0; process < processes.size(); ++process) {
    const Name& name = processes[process];
    if (name.size == 0 || (most > 0 && are_alike(name, processes[found]))) continue;
    const auto count = std::count_if(processes.begin(), processes.end(), [&](const Name& other) {
      return other.size > 0 && are_alike(name, other);
    });
    if (count <= most) continue;
    most = count;
    found = process;
  }
  return found;
}

}  // namespace

std::vector<std::string> why_they_differ(std::span<const Name> processes) {
  const std::size_t usual = first_of_most(processes);
  const Name& most = processes[usual];
  std::vector<std::string> why(processes.size());
  for (std::size_t process = 0; process < processes.size(); ++process) {
    const Name& one = processes[process];
    if (one.size == 0) why[process] = fmt::format("rank {} has no libfabric endpoint", process);
    else if (!are_alike(one, most))
      why[process] = fmt::format(
          "rank {} would use libfabric's provider {}, and rank {} {}: name one that all have, as "
          "WEFT_WIRE=fabric:{}",
          usual, most.provider.data(), process, one.provider.data(), core_of(most.provider.data()));
  }
  return why;
}

std::string known_bad(const std::string& version) {
  if (version == "1.18.0")
    return "libfabric 1.18.0 is known to spin: agents that should sleep take a core each; use another "
           "version";
  if (version.starts_with("1.17."))
    return "libfabric 1.17's provider net, which became tcp in 1.18.0, is known to spin: do not name it";
  return "";
}

}  // namespace weft::fabric
