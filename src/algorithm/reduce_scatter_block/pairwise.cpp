// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter, pair by pair: every block of the vector goes straight to the rank that gets it, which adds
// those of lower ranks on the left and those of higher ones on the right: operands stay in rank order.
//
//   rank 2 of 5 gets   from 1, 0, 4, 3     low = 0 + (1 + own)     high = 3 + 4     low + high
//
// At most kLandings operands wait to be added. Thakur, Rabenseifner, Gropp 2005, section 4.5 (pairwise
// exchange).
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/ring.hpp"

namespace weft::reduce_scatter_block {

namespace {

constexpr int kLandings = 4;

void build_pairwise(Builder& b, const Parameters&) {
  const int n = b.rank_count();
  const Ring ring{b.self(), n};
  const Range own = b.blocks(b.contribution(), ring.self, ring.self + 1);
  const Range waiting = b.scratch(own.size * (kLandings + 2));
  const auto landing = [&](int number) { return waiting.part(own.size * number, own.size); };
  const Range low = landing(kLandings), high = landing(kLandings + 1);

  b.copy(own, low);
  for (int step = 1; step < n; ++step) {
    const int from = ring.back(step), to = ring.back(-step);
    const bool is_last_operand = from == n - 1;
    const Range came = is_last_operand ? high : landing(step % kLandings);
    const Range given = b.blocks(b.contribution(), to, to + 1);
    b.recv(from, came);
    b.send(to, given);
    if (!is_last_operand) b.reduce(came, from < ring.self ? low : high);
  }
  const bool is_last = ring.self == n - 1;
  if (!is_last) b.reduce(low, high);
  b.copy(is_last ? low : high, b.output().part(Bytes(0), own.size));
}

Cost pairwise_cost(const Call& call, const Parameters&) {
  const int messages = call.rank_count - 1;
  return {.rounds = 1, .messages = messages, .sent = call.bytes * messages, .reduced = call.bytes * messages};
}

}  // namespace

extern constinit const Algorithm pairwise{
    .collective = Collective::kReduceScatterBlock,
    .name = "pairwise",
    .summary = "every block straight to the rank that gets its sum, which adds in rank order",
    .formula = "L + 2o + (n-1) m (G + g)",
    .source = "Thakur, Rabenseifner, Gropp 2005, section 4.5",
    .scales = always,
    .build = build_pairwise,
    .cost = pairwise_cost,
};

}  // namespace weft::reduce_scatter_block
