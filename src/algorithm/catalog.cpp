// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/catalog.hpp"

namespace weft {
namespace {

#define WEFT_CARD_ENTRY(collective, idea) collective::idea,
constexpr std::reference_wrapper<const Algorithm> kCatalog[] = {WEFT_CARDS(WEFT_CARD_ENTRY)};
#undef WEFT_CARD_ENTRY

}  // namespace

std::span<const std::reference_wrapper<const Algorithm>> catalog() { return kCatalog; }

Result<const Algorithm*> find_algorithm(Collective collective, std::string_view name) {
  for (const Algorithm& algorithm : kCatalog)
    if (algorithm.collective == collective && algorithm.name == name) return &algorithm;
  std::string known;
  for (const Algorithm& algorithm : kCatalog)
    if (algorithm.collective == collective)
      known += (known.empty() ? "" : ", ") + std::string(algorithm.name);
  const std::string of(name_of(collective));
  return Error{of + " has no algorithm \"" + std::string(name) + "\": choose one of " + known};
}

}  // namespace weft
