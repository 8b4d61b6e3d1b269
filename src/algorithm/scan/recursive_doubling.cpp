// SPDX-License-Identifier: BSD-3-Clause
// Scan by recursive doubling: a rank gives what it has, of itself and the ranks before it, to the one at
// distance 1, 2, 4, … after it, which adds it on the left.
//
//   rank 6     has 6    from 5: 5-6    from 4: 3-6    from 2: 0-6
//
// W. D. Hillis, G. L. Steele, Data parallel algorithms, CACM 29 (1986).
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/partial.hpp"

namespace weft::scan {

namespace {

void build_recursive_doubling(Builder& b, const Parameters&) {
  Partial sum(b, b.contribution(), b.output());
  for (int distance = 1; distance < b.rank_count(); distance *= 2) {
    if (b.self() + distance < b.rank_count()) b.send(b.self() + distance, sum.value());
    if (b.self() >= distance) sum.add_left(b.self() - distance);
  }
  b.copy(sum.value(), b.output());
}

Cost recursive_doubling_cost(const Call& call, const Parameters&) {
  int rounds = 0;
  for (int distance = 1; distance < call.rank_count; distance *= 2) ++rounds;
  return {.rounds = rounds, .messages = rounds, .sent = call.bytes * rounds, .reduced = call.bytes * rounds};
}

}  // namespace

extern constinit const Algorithm recursive_doubling{
    .collective = Collective::kScan,
    .name = "recursive_doubling",
    .summary = "tell the rank at distance 1, 2, 4, … after what is before it",
    .formula = "ceil(log_2 n) (L + 2o + m (G + g))",
    .source = "Hillis, Steele 1986",
    .scales = always,
    .build = build_recursive_doubling,
    .cost = recursive_doubling_cost,
};

}  // namespace weft::scan
