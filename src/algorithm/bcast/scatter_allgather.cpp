// SPDX-License-Identifier: BSD-3-Clause
// Bcast as scatter and allgather: parts of the message go down a k-nomial tree, each rank keeps the first of
// its subtree's, and then the parts wander around the ring. Every rank sends about twice the message at most,
// whatever the number of ranks: for long messages.
//
//   4 ranks, k = 2     scatter    0 -> 2: parts 2 3     0 -> 1: part 1     2 -> 3: part 3
//                      ring       0 -> 1: 0 3 2         1 -> 2: 1 0        2 -> 3: 2 1 0
//
// What the right neighbour has from the scatter is not sent again, and to the root nothing is. Chan,
// Heimlich, Purkayastha, van de Geijn 2007, section 5.2 (scatter, then bucket allgather).
#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/k_nomial_ranges.hpp"
#include "algorithm/pattern/ring.hpp"
#include "algorithm/pattern/rotation.hpp"

namespace weft::bcast {

namespace {

// Whether a position has the part from the scatter.
bool has(const KNomialRanges& tree, int position, int part) {
  return position <= part && part < tree.end(position);
}

void build_scatter_allgather(Builder& b, const Parameters& parameters) {
  const int n = b.rank_count();
  const Rotation rotation{b.call().root.value, n};
  const KNomialRanges tree(n, parameters.radix);
  const Ring ring{rotation.position_of(b.self()), n};
  const auto parts = [&](int first, int end) { return even_parts(b.output(), Bytes(1), first, end, n); };
  const auto send = [&](int position, Range from) { b.send(rotation.rank_at(position), from); };
  const auto recv = [&](int position, Range into) { b.recv(rotation.rank_at(position), into); };

  if (ring.self != 0) recv(tree.parent(ring.self), parts(ring.self, tree.end(ring.self)));
  const std::vector<int> children = tree.children(ring.self);
  for (auto child = children.rbegin(); child != children.rend(); ++child)  // the longest way first
    send(*child, parts(*child, tree.end(*child)));
  for (int step = 0; step + 1 < n; ++step) {
    const int newest = ring.back(step);
    const int next = ring.back(step + 1);
    if (!has(tree, ring.right(), newest)) send(ring.right(), parts(newest, newest + 1));
    if (!has(tree, ring.self, next)) recv(ring.left(), parts(next, next + 1));
  }
}

Cost scatter_allgather_cost(const Call& call, const Parameters& parameters) {
  const int n = call.rank_count;
  const KNomialRanges tree(n, parameters.radix);
  const auto size = [&](int first, int end) {
    return even_parts({kOutput, Bytes(0), call.bytes}, Bytes(1), first, end, n).size;
  };
  std::vector<int> filled{0};  // how many of the first parts are not empty
  for (int part = 0; part < n; ++part) filled.push_back(filled.back() + (size(part, part + 1) > Bytes(0)));
  Cost cost;
  for (int position = 0; position < n; ++position) {
    const int right = (position + 1) % n;
    Cost own{.messages = filled[static_cast<std::size_t>(n)] -
                         filled[static_cast<std::size_t>(tree.end(right))] +
                         filled[static_cast<std::size_t>(right)],
             .sent = call.bytes - size(right, tree.end(right))};
    for (const int child : tree.children(position)) {
      own.messages += size(child, tree.end(child)) > Bytes(0) ? 1 : 0;
      own.sent += size(child, tree.end(child));
    }
    cost.messages = std::max(cost.messages, own.messages);
    cost.sent = std::max(cost.sent, own.sent);
    // A part goes on from each position that has it from the scatter, until the next one that has.
    if (size(position, position + 1) == Bytes(0)) continue;
    for (int holder = position, next = n;; next = holder, holder = tree.parent(holder)) {
      cost.rounds = std::max(cost.rounds, tree.depth(holder) + next - holder - 1);
      if (holder == 0) break;
    }
  }
  return cost;
}

}  // namespace

extern constinit const Algorithm scatter_allgather{
    .collective = Collective::kBcast,
    .name = "scatter_allgather",
    .summary = "parts go down a tree, then around the ring",
    .formula = "(log_k n + n-1) (L + 2o) + 2 (n-1)/n m G",
    .source = "Chan, Heimlich, Purkayastha, van de Geijn 2007, section 5.2",
    .has_radix = true,
    .build = build_scatter_allgather,
    .cost = scatter_allgather_cost,
};

}  // namespace weft::bcast
