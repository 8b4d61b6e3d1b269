// SPDX-License-Identifier: BSD-3-Clause
// What needs nothing of libfabric's own: names, and what is known of versions.
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

std::string why_they_differ(std::span<const Name> processes) {
  for (std::size_t process = 0; process < processes.size(); ++process) {
    const Name &first = processes.front(), &one = processes[process];
    if (one.size == 0) return fmt::format("rank {} has no libfabric endpoint", process);
    if (one.provider != first.provider || one.format != first.format)
      return fmt::format(
          "rank 0 would use libfabric's provider {}, and rank {} {}: name one that all have, as "
          "WEFT_WIRE=fabric:{}",
          first.provider.data(), process, one.provider.data(), core_of(first.provider.data()));
  }
  return "";
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
