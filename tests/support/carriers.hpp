// SPDX-License-Identifier: BSD-3-Clause
// What can carry a wire, for processes in one: a pair of sockets between any two of them; TCP over loopback,
// where two are connected when something is first to be said; or libfabric's provider tcp there.
#pragma once

#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/joined.hpp"
#include "transport/fabric/fabric.hpp"
#include "transport/wire/partners.hpp"

namespace weft::tests {

enum class CarriedBy { kTcp, kTcpOnDemand, kFabric };
inline std::string name_of_carrier(CarriedBy what) {
  return what == CarriedBy::kTcp ? "tcp" : what == CarriedBy::kFabric ? "fabric" : "tcp_on_demand";
}
inline std::string carrier_of_test(const testing::TestParamInfo<CarriedBy>& info) {
  return name_of_carrier(info.param);
}
inline auto each_carrier() {
  return testing::Values(CarriedBy::kTcp, CarriedBy::kTcpOnDemand, CarriedBy::kFabric);
}

// WEFT_TEST_FABRIC: another provider.
inline fabric::Wanted loopback_fabric() {
  const char* const provider = std::getenv("WEFT_TEST_FABRIC");
  return {.provider = provider == nullptr ? "tcp" : provider, .interface = "lo"};
}
// Why there is no such carrier here; "": there is.
inline std::string why_no(CarriedBy what) {
  if (what != CarriedBy::kFabric) return "";
  static const std::string why = [] {
    const auto endpoint = fabric::open_endpoint(loopback_fabric());
    return endpoint ? "" : endpoint.error();
  }();
  return why;
}

using Carriers = std::vector<std::unique_ptr<wire::Carrier>>;

// Of a job of so many processes, with a node each, that proves all pairs of up to `most_proved`.
inline wire::Partners partners_in_test(int self, int processes, int most_proved) {
  std::vector<int> node_of(static_cast<std::size_t>(processes));
  std::iota(node_of.begin(), node_of.end(), 0);
  return wire::partners_of(self, node_of, most_proved);
}
inline wire::Partners all_partners(int self, int processes) {
  return partners_in_test(self, processes, processes);
}

// Processes that listen on loopback and know one another's addresses.
inline std::vector<std::unique_ptr<wire::Switchboard>> switchboards(
    int processes, const wire::JobKey& key, Nanoseconds patience = wire::Switchboard::kLongestCall) {
  const auto addresses = wire::addresses_of_this_host("lo");
  EXPECT_TRUE(addresses) << addresses.error();
  std::vector<wire::Listener> listeners;
  std::vector<wire::Reach> reach;
  for (int process = 0; process < processes; ++process) {
    auto listener = wire::listen_on({});
    EXPECT_TRUE(listener) << listener.error();
    reach.push_back(*addresses);
    for (wire::SocketAddress& address : reach.back()) address.set_port(listener->port);
    listeners.push_back(std::move(*listener));
  }
  std::vector<std::unique_ptr<wire::Switchboard>> all;
  for (int self = 0; self < processes; ++self)
    all.push_back(std::make_unique<wire::Switchboard>(
        key, self, std::move(listeners[static_cast<std::size_t>(self)]), reach, patience));
  return all;
}

// None has met any other.
inline Carriers carriers_on_demand(int processes, const wire::JobKey& key,
                                   Nanoseconds patience = wire::Switchboard::kLongestCall) {
  Carriers made;
  for (auto& switchboard : switchboards(processes, key, patience)) {
    std::vector<wire::Descriptor> none(static_cast<std::size_t>(processes));
    const int self = switchboard->self();
    made.push_back(std::make_unique<wire::TcpCarrier>(std::move(none), std::move(switchboard),
                                                      partners_in_test(self, processes, 0).confidants,
                                                      wire::TcpCarrier::Sending{}));
  }
  return made;
}

// `most_proved`: see partners_of.
inline Carriers fabric_carriers(int processes, const wire::JobKey& key, int most_proved = 64) {
  std::vector<fabric::OwnEndpoint> endpoints;
  std::vector<fabric::Name> names;
  for (int process = 0; process < processes; ++process) {
    auto endpoint = fabric::open_endpoint(loopback_fabric());
    EXPECT_TRUE(endpoint) << endpoint.error();
    names.push_back(fabric::name_of(**endpoint));
    endpoints.push_back(std::move(*endpoint));
  }
  Carriers met(endpoints.size());
  std::vector<std::thread> threads;
  for (std::size_t self = 0; self < endpoints.size(); ++self)
    threads.emplace_back([&, self] {
      const int process = static_cast<int>(self);
      auto made = fabric::meet(std::move(endpoints[self]), key, process, names,
                               partners_in_test(process, processes, most_proved), std::chrono::seconds(20));
      EXPECT_EQ(made.problem, "");
      met[self] = std::move(made.carrier);
    });
  for (std::thread& thread : threads) thread.join();
  return met;
}

// Of each process. `buffer_bytes`: see joined().
inline Carriers carriers(CarriedBy what, int processes, const wire::JobKey& key, int buffer_bytes = 0) {
  if (what == CarriedBy::kFabric) return fabric_carriers(processes, key);
  if (what == CarriedBy::kTcpOnDemand) return carriers_on_demand(processes, key);
  Carriers made;
  for (auto& ends : joined(processes, buffer_bytes)) made.push_back(carrier_over(std::move(ends)));
  return made;
}

// A test that runs over each; skipped where there is none.
class OverEachCarrier : public testing::TestWithParam<CarriedBy> {
 protected:
  void SetUp() override {
    if (const std::string why = why_no(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
  static Carriers carriers(int processes, const wire::JobKey& key, int buffer_bytes = 0) {
    return tests::carriers(GetParam(), processes, key, buffer_bytes);
  }
};

}  // namespace weft::tests
