// SPDX-License-Identifier: BSD-3-Clause
// Reduce within a node for long messages: every rank combines its part of each fragment, the root takes them.
// Where there are only two ranks, the root combines every fragment by itself: the other rank's value goes to
// it and nothing comes back, and the other rank has finished when it has left its last fragment.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/cells_in_turn.hpp"
#include "algorithm/pattern/fragments.hpp"
#include "algorithm/pattern/node_memory.hpp"
#include "algorithm/pattern/node_parts.hpp"

namespace weft::reduce {

namespace {

void build_for_pair(Builder& b, const Parameters& parameters) {
  const int root = b.call().root.value;
  const bool is_root = b.self() == root;
  const bool may_be_right = root == 1 || b.call().commutative;  // the root's value
  const Fragments cut(b.bytes(), parameters.fragment, b.call().element_bytes);
  const int cells = parameters.in_flight;
  const NodeMemory node(b, cells, cut.largest());
  const CellsInTurn turns(b, root, CellsInTurn::Taker::kRoot, cells, cut.count());
  for (int f = 0; f < cut.count(); ++f) {
    const Range left = node.cell(f % cells, cut.size(f)), own = cut.of(b.contribution(), f);
    if (!is_root) {
      turns.wait_for_room(f, left);
      b.copy(own, left);
    }
    node.fan_in(b.members(), root, 0, left);
    if (!is_root) continue;
    const Range into = cut.of(b.output(), f);
    if (may_be_right) b.copy(own, into);
    b.reduce(may_be_right ? left : own, may_be_right ? into : left);
    if (!may_be_right) b.copy(left, into);
    turns.say_taken(f, left);
  }
}

void build_parts(Builder& b, const Parameters& parameters) {
  if (is_pair(b.call())) return build_for_pair(b, parameters);
  reduce_by_parts(b, parameters, b.self() == b.call().root.value);
}

bool scales(const Call& call, const Parameters& parameters) {
  return is_pair(call) || parts_scale(call, parameters);
}

Cost parts_cost(const Call& call, const Parameters& parameters) {
  return {.reduced = is_pair(call) ? call.bytes : bytes_reduced_by_parts(call, parameters)};
}

}  // namespace

extern constinit const Algorithm parts{
    .collective = Collective::kReduce,
    .name = "parts",
    .summary = "within a node, long: every rank combines its part of each fragment, the root takes all",
    .formula = "l m/f + m c + (n-1)/n m (c + g)",
    .source = "Open MPI xhc: fragments through memory that stays in the caches",
    .within_node = true,
    .has_fragments = true,
    .scales = scales,
    .build = build_parts,
    .cost = parts_cost,
};

}  // namespace weft::reduce
