// SPDX-License-Identifier: BSD-3-Clause
// Gather: every block straight to the root, which takes so many at a time. For long blocks, which travel
// once.
#include <algorithm>

#include "algorithm/builders.hpp"
#include "algorithm/pattern/window.hpp"

namespace weft::gather {

void linear(Builder& b, const Parameters& parameters) {
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

}  // namespace weft::gather
