// SPDX-License-Identifier: BSD-3-Clause
// Choices for WEFT_REPRODUCIBLE=1.
#include "planner/planner.hpp"
#include "planner/room.hpp"

namespace weft {

namespace {

// The collectives whose algorithms within a node evaluate the same bracket as those that send messages.
bool may_be_pinned(Collective collective) {
  return collective == Collective::kReduce || collective == Collective::kAllreduce;
}

}  // namespace

Choice choose_reproducible(Call call, const Placement& placement) {
  call.commutative = false;
  if (!is_reduction(call.collective)) return choose(call, placement);
  Placement flat = placement;
  flat.hierarchy = nullptr;
  Choice choice = choose(call, flat);
  // The choice for a short message over a network says which bracket all others must evaluate. Algorithms
  // that follow a hierarchy have brackets of their own.
  Call shortest = call;
  shortest.bytes = shortest.element_bytes = Bytes(1);
  Choice pinned = choose(shortest, {.thresholds = placement.thresholds});
  const auto gathered = find_algorithm(call.collective, "gathered");
  const bool gathers = gathered.ok() && !placement.one_node && has_short_result(call, placement) &&
                       has_room(**gathered, call, placement);
  if (gathers)
    choice = {
        *gathered, parameters_for(**gathered, call, placement, pinned.parameters.radix),
        "ranks share memory with their neighbours only, so that one of each node speaks for the others"};
  const bool is_pinned = choice.algorithm->within_node && may_be_pinned(call.collective);
  if (!is_pinned && !choice.algorithm->gathers) return pinned;
  choice.parameters.radix = pinned.parameters.radix;
  choice.parameters.bracketing = Bracketing::kPinned;
  choice.why += "; operands in the order that all algorithms for this number of ranks have";
  return choice;
}

}  // namespace weft
