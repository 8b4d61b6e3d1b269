// SPDX-License-Identifier: BSD-3-Clause
#include <cassert>
#include <string>
#include <utility>

#include "algorithm/catalog.hpp"
#include "algorithm/tiers.hpp"

namespace weft {

bool nothing_travels(const Call& call) {
  return call.rank_count == 1 || (call.bytes == Bytes(0) && call.collective != Collective::kBarrier);
}

namespace {

std::string label(const Algorithm& algorithm, const Call& call, const Parameters& parameters) {
  std::string label(algorithm.name);
  if (algorithm.follows_hierarchy) label += " " + hierarchy_of(call, parameters).depth();
  if (algorithm.has_radix) label += " radix=" + std::to_string(parameters.radix);
  if (algorithm.has_fragments) label += " fragment=" + std::to_string(parameters.fragment.value);
  if (algorithm.within_node && parameters.bracketing == Bracketing::kPinned) label += " pinned";
  return label;
}

// MPI_IN_PLACE means something only where a rank has both a contribution and a place for it.
bool can_be_in_place(const Call& call, Rank self) {
  switch (call.collective) {
    case Collective::kBarrier:
    case Collective::kBcast: return false;
    case Collective::kReduce: return self == call.root;
    default: return true;
  }
}

}  // namespace

Schedule build(const Algorithm& algorithm, const Call& call, const Parameters& parameters, Rank self,
               bool in_place) {
  assert(algorithm.collective == call.collective && algorithm.eligible(call) && parameters.radix >= 2);
  assert(call.rank_count >= 1 && self.value >= 0 && self.value < call.rank_count);
  assert(parameters.hierarchy == nullptr || parameters.hierarchy->rank_count() == call.rank_count);
  assert(call.element_bytes > Bytes(0) && call.bytes.value % call.element_bytes.value == 0);
  Builder builder(call, self, in_place && can_be_in_place(call, self));
  if (!nothing_travels(call)) {
    algorithm.build(builder, parameters);
  } else if (call.bytes > Bytes(0) && call.collective != Collective::kBarrier) {
    builder.copy(builder.contribution(), builder.output());
  }
  return std::move(builder).finish(label(algorithm, call, parameters));
}

}  // namespace weft
