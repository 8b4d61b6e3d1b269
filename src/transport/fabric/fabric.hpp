// SPDX-License-Identifier: BSD-3-Clause
// Fabric: a wire over libfabric, which knows many networks as its providers. The library is opened at run
// time; this header needs none of its own.
//
//   open_endpoint ─► name_of ─► (all processes tell one another their names) ─► meet ─► a Carrier
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "transport/wire/carrier.hpp"
#include "transport/wire/partners.hpp"

namespace weft::fabric {

// Under which a process is reached: plain bytes, so that processes can tell one another.
struct Name {
  std::array<char, 40> provider{};  // all that meet have the same
  std::uint32_t format = 0;
  std::uint32_t size = 0;  // 0: it has no name, and is not met
  std::array<std::byte, 112> bytes{};
};

struct Wanted {
  std::string
      provider;  // "tcp", "verbs", which stands for "verbs;ofi_rxm" as well; "": the best that there is
  std::string interface;  // of the network, or libfabric's name of the device; "": any
};

// What the settings WEFT_WIRE and WEFT_WIRE_INTERFACE ask for. Not for "tcp", which is no provider.
Result<Wanted> wanted_by(std::string_view wire, const std::string& interface);

class Endpoint;
struct CloseEndpoint {
  void operator()(Endpoint* endpoint) const;
};
using OwnEndpoint = std::unique_ptr<Endpoint, CloseEndpoint>;

// Fails where there is no libfabric, or nothing in it that can be a wire; the error says what there is.
Result<OwnEndpoint> open_endpoint(const Wanted& wanted);
Name name_of(const Endpoint& endpoint);

// "verbs" of "verbs;ofi_rxm".
std::string core_of(const std::string& provider);
// By process, why it cannot meet those with the provider that most of them have, of two the one that is named
// first; "": it can.
std::vector<std::string> why_they_differ(std::span<const Name> processes);

struct Meeting {
  std::unique_ptr<wire::Carrier> carrier;  // reaches all but those that are missing
  std::vector<int> missing;
  std::string problem;  // "" if nobody is; else who could not be reached, and why
};
// Meets its partners, each of whom has to say hello with the job's key. Others need no meeting: libfabric
// connects with whoever is written to, if it connects at all.
Meeting meet(OwnEndpoint endpoint, const wire::JobKey& key, int self, std::span<const Name> processes,
             wire::Partners partners, std::chrono::milliseconds patience);

// What libfabric offers on this machine.
struct Provider {
  std::string name;
  std::vector<std::string> devices;
  std::string trouble;  // why it cannot be a wire; "": it can
};
struct Survey {
  std::string version;  // "1.17.0"; "": there is no libfabric
  std::string problem;  // why nothing can be chosen
  std::string known_bad;
  std::vector<Provider> providers;
  std::string chosen;
};
Survey survey(const Wanted& wanted);
// What is known to be wrong with a version; "": nothing.
std::string known_bad(const std::string& version);

}  // namespace weft::fabric
