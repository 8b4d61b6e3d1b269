// SPDX-License-Identifier: BSD-3-Clause
// What can carry a wire, for processes in one: a pair of sockets between any two of them, or libfabric's
// provider tcp over loopback.
#pragma once

#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/joined.hpp"
#include "transport/fabric/fabric.hpp"

namespace weft::tests {

enum class CarriedBy { kTcp, kFabric };
inline std::string name_of_carrier(CarriedBy what) { return what == CarriedBy::kTcp ? "tcp" : "fabric"; }
inline std::string carrier_of_test(const testing::TestParamInfo<CarriedBy>& info) {
  return name_of_carrier(info.param);
}
inline auto each_carrier() { return testing::Values(CarriedBy::kTcp, CarriedBy::kFabric); }

// WEFT_TEST_FABRIC: another provider.
inline fabric::Wanted loopback_fabric() {
  const char* const provider = std::getenv("WEFT_TEST_FABRIC");
  return {.provider = provider == nullptr ? "tcp" : provider, .interface = "lo"};
}
// Why there is no such carrier here; "": there is.
inline std::string why_no(CarriedBy what) {
  if (what == CarriedBy::kTcp) return "";
  static const std::string why = [] {
    const auto endpoint = fabric::open_endpoint(loopback_fabric());
    return endpoint ? "" : endpoint.error();
  }();
  return why;
}

using Carriers = std::vector<std::unique_ptr<wire::Carrier>>;

inline Carriers fabric_carriers(int processes, const wire::JobKey& key) {
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
      auto made = fabric::meet(std::move(endpoints[self]), key, static_cast<int>(self), names,
                               std::chrono::seconds(20));
      EXPECT_EQ(made.problem, "");
      met[self] = std::move(made.carrier);
    });
  for (std::thread& thread : threads) thread.join();
  return met;
}

// Of each process. `buffer_bytes`: see joined().
inline Carriers carriers(CarriedBy what, int processes, const wire::JobKey& key, int buffer_bytes = 0) {
  if (what == CarriedBy::kFabric) return fabric_carriers(processes, key);
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
