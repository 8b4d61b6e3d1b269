// SPDX-License-Identifier: BSD-3-Clause
// In place of everything else here where libfabric's headers were missing when Weft was built.
#include "transport/fabric/fabric.hpp"

namespace weft::fabric {
namespace {

constexpr const char* kAbsent =
    "this Weft was built without libfabric: install its headers (Debian: libfabric-dev) and build again";

}  // namespace

class Endpoint {};
void CloseEndpoint::operator()(Endpoint* endpoint) const { delete endpoint; }

Result<OwnEndpoint> open_endpoint(const Wanted&) { return Error{kAbsent}; }
Name name_of(const Endpoint&) { return {}; }
Meeting meet(OwnEndpoint, const wire::JobKey&, int, std::span<const Name>, wire::Partners,
             std::chrono::milliseconds) {
  return {.carrier = nullptr, .missing = {}, .problem = kAbsent};
}
Survey survey(const Wanted&) {
  Survey nothing;
  nothing.problem = kAbsent;
  return nothing;
}

}  // namespace weft::fabric
