// SPDX-License-Identifier: BSD-3-Clause
// Reduce within a node without a stop in shared memory: every rank combines its part for the root. Of two
// ranks the root combines all, because the other would have to write its half into the root's memory: it
// copies the other's value, to where the result belongs if it can, and the other is free while it combines.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/single_copy_reduction.hpp"

namespace weft::reduce {

namespace {

void build_for_pair(Builder& b) {
  const int root = b.call().root.value, other = 1 - root;
  const bool is_root = b.self() == root;
  SingleCopy node(b);
  const Range arrived = b.lines(node.group());
  const Range theirs = node.expose_of(b, other, b.bytes(), is_root ? Range{} : b.contribution());
  node.fan_in(b, arrived, root);
  if (!is_root) return void(node.fan_out(b, root));

  const bool is_left =
      root == 0 || b.call().commutative;  // own value: the left operand, or it does not matter
  const bool in_output = is_left && !b.in_place();
  const Range landing = in_output ? b.output() : b.scratch(b.bytes());
  b.copy(theirs, landing);
  node.fan_out(b, root);
  if (in_output) return void(b.reduce(b.contribution(), landing));
  if (b.in_place() && root == 0 && !b.call().commutative) {
    b.reduce(b.output(), landing);
    b.copy(landing, b.output());
    return;
  }
  b.copy(b.contribution(), b.output());
  b.reduce(landing, b.output());
}

void build_single_copy(Builder& b, const Parameters& parameters) {
  if (is_pair(b.call())) return build_for_pair(b);
  reduce_by_single_copy(b, parameters, [&](int rank) { return rank == b.call().root.value; });
}

bool single_copy_scales(const Call& call, const Parameters&) { return is_pair(call); }

Cost single_copy_cost(const Call& call, const Parameters&) {
  return {.reduced = is_pair(call) ? call.bytes : bytes_reduced_by_single_copy(call)};
}

}  // namespace

extern constinit const Algorithm single_copy{
    .collective = Collective::kReduce,
    .name = "single_copy",
    .summary = "within a node, long: every rank combines its part out of all buffers into the root's",
    .formula = "2 l + (n-1)/n m (c + g) + m/n c",
    .source = "Chakraborty, Subramoni, Panda 2017, kernel-assisted collectives",
    .within_node = true,
    .has_fragments = true,
    .single_copy = true,
    .eligible = can_expose_all,
    .scales = single_copy_scales,
    .build = build_single_copy,
    .cost = single_copy_cost,
};

}  // namespace weft::reduce
