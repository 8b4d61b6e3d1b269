// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/heritage.hpp"

#include <algorithm>
#include <utility>

#include "mpi/flight/plans.hpp"

namespace weft::mpi {
namespace {

constexpr std::size_t kMostKept = 16;

std::vector<Heritage>& kept() {
  static auto& all = *new std::vector<Heritage>;  // the latest last
  return all;
}

}  // namespace

void bequeath(Heritage heritage) {
  if (heritage.plans == nullptr && heritage.hierarchy == nullptr) return;
  if (kept().size() == kMostKept) kept().erase(kept().begin());
  kept().push_back(std::move(heritage));
}

Heritage inherit(const Heritage::Origin& origin) {
  const auto found =
      std::find_if(kept().rbegin(), kept().rend(), [&](const Heritage& one) { return one.origin == origin; });
  if (found == kept().rend()) return {};
  Heritage heritage = std::move(*found);
  kept().erase(std::next(found).base());
  return heritage;
}

void forget_heritage() { kept().clear(); }

}  // namespace weft::mpi
