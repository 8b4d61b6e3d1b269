// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/catalog.hpp"

#include <array>

#include "algorithm/entries/movement.hpp"
#include "algorithm/entries/parcels.hpp"
#include "algorithm/entries/reductions.hpp"

namespace weft {

namespace {

// All entries, one table after another.
constexpr auto kCatalog = [] {
  constexpr std::size_t kSize =
      entries::kMovement.size() + entries::kReductions.size() + entries::kParcels.size();
  std::array<Algorithm, kSize> all{};
  auto* at = all.data();
  const auto append = [&at](const auto& table) {
    for (const Algorithm& algorithm : table) *at++ = algorithm;
  };
  append(entries::kMovement);
  append(entries::kReductions);
  append(entries::kParcels);
  return all;
}();

}  // namespace

std::span<const Algorithm> catalog() { return kCatalog; }

Result<const Algorithm*> find_algorithm(Collective collective, std::string_view name) {
  std::string known;
  for (const Algorithm& algorithm : kCatalog) {
    if (algorithm.collective != collective) continue;
    if (algorithm.name == name) return &algorithm;
    known += (known.empty() ? "" : ", ") + std::string(algorithm.name);
  }
  const std::string of(name_of(collective));
  return Error{of + " has no algorithm \"" + std::string(name) + "\": choose one of " + known};
}

}  // namespace weft
