// SPDX-License-Identifier: BSD-3-Clause
// Gather: every block straight to the root, which takes so many at a time. For long blocks, which travel
// once.
#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/window.hpp"

namespace weft::gather {

namespace {

void build_linear(Builder& b, const Parameters& parameters) {
  const int root = b.call().root.value;
  std::vector<Letter> in;
  if (b.self() == root)
    for (int rank = 0; rank < b.rank_count(); ++rank)
      in.push_back({rank, b.blocks(b.output(), rank, rank + 1)});
  exchange_letters(b, {{root, b.contribution()}}, in, parameters.window);
}

Cost linear_cost(const Call& call, const Parameters&) {
  return {.rounds = 1, .messages = 1, .sent = call.bytes};
}

}  // namespace

extern constinit const Algorithm linear{
    .collective = Collective::kGather,
    .name = "linear",
    .summary = "every block straight to the root, which takes w at a time",
    .formula = "(n-1)/w (L + 2o) + (n-1) m G",
    .source = "LibNBC, section 3: one round of messages",
    .has_window = true,
    .scales = always,
    .build = build_linear,
    .cost = linear_cost,
};

}  // namespace weft::gather
