// SPDX-License-Identifier: BSD-3-Clause
// Scatter: every block straight from the root, which sends so many at a time. For long blocks, which travel
// once.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/window.hpp"

namespace weft::scatter {

namespace {

void build_linear(Builder& b, const Parameters& parameters) {
  const int root = b.call().root.value;
  std::vector<Letter> out;
  if (b.self() == root)
    for (int rank = 0; rank < b.rank_count(); ++rank)
      if (rank != root || !b.in_place()) out.push_back({rank, b.blocks(b.contribution(), rank, rank + 1)});
  exchange_letters(b, out, {{root, b.output()}}, parameters.window);
}

Cost linear_cost(const Call& call, const Parameters&) {
  const int messages = call.rank_count - 1;
  return {.rounds = 1, .messages = messages, .sent = call.bytes * messages};
}

}  // namespace

extern constinit const Algorithm linear{
    .collective = Collective::kScatter,
    .name = "linear",
    .summary = "every block straight from the root, which sends w at a time",
    .formula = "(n-1)/w (L + 2o) + (n-1) m G",
    .source = "LibNBC, section 3: one round of messages",
    .has_window = true,
    .scales = always,
    .build = build_linear,
    .cost = linear_cost,
};

}  // namespace weft::scatter
