// SPDX-License-Identifier: BSD-3-Clause
// Scatter: every block straight from the root, which sends so many at a time. For long blocks, which travel
// once.
#include "algorithm/builders.hpp"
#include "algorithm/pattern/window.hpp"

namespace weft::scatter {

void linear(Builder& b, const Parameters& parameters) {
  const int root = b.call().root.value;
  std::vector<Letter> out, in;
  if (b.self() == root)
    for (int rank = 0; rank < b.rank_count(); ++rank)
      if (rank != root || !b.in_place()) out.push_back({rank, b.blocks(b.contribution(), rank, rank + 1)});
  if (b.output().size > Bytes(0)) in.push_back({root, b.output()});
  exchange_letters(b, out, in, parameters.window);
}

Cost linear_cost(const Call& call, const Parameters&) {
  const int messages = call.rank_count - 1;
  return {.rounds = 1, .messages = messages, .sent = call.bytes * messages};
}

}  // namespace weft::scatter
