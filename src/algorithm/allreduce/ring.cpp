// SPDX-License-Identifier: BSD-3-Clause
// Allreduce around a ring: each block of the message wanders once around and is added up, then once more and
// is handed out. Every rank sends each block twice, whatever the number of ranks: for large messages.
//
//   3 ranks     step    0 -> 1      1 -> 2      2 -> 0          block b starts at rank b and is complete
//   reduce      0       block 0     block 1     block 2         at rank b - 1
//               1       block 2     block 0     block 1
//   hand out    2       block 1     block 2     block 0
//               3       block 0     block 1     block 2
//
// The order of operands differs between blocks: for operators that commute. Patarasuk, Yuan 2009, section 3.
#include "algorithm/pattern/ring.hpp"

#include <algorithm>

#include "algorithm/algorithm.hpp"

namespace weft::allreduce {

namespace {

void build_ring(Builder& b, const Parameters&) {
  const int n = b.rank_count();
  const Ring ring{b.self(), n};
  const auto part = [&](Range whole, int block) {
    return even_part(whole, b.call().element_bytes, block, n);
  };

  // What arrives goes straight to the output, unless the own contribution lies there.
  const Bytes largest = part(b.output(), n - 1).size;
  const Range waiting = b.in_place() ? b.scratch(largest * 2) : b.output();
  const auto partial = [&](int step, Range own) {
    const Bytes at = own.offset - b.contribution().offset;
    return waiting.part(b.in_place() ? largest * (step % 2) : at, own.size);
  };

  Range sum = part(b.contribution(), ring.self);
  for (int step = 0; step + 1 < n; ++step) {
    const Range own = part(b.contribution(), ring.back(step + 1));
    b.send(ring.right(), sum);
    sum = partial(step, own);
    b.recv(ring.left(), sum);
    b.reduce(own, sum);
  }
  b.copy(sum, part(b.output(), ring.back(n - 1)));
  for (int step = 0; step + 1 < n; ++step) {
    b.send(ring.right(), part(b.output(), ring.back(step - 1)));
    b.recv(ring.left(), part(b.output(), ring.back(step)));
  }
}

Cost ring_cost(const Call& call, const Parameters&) {
  const int n = call.rank_count;
  const Range whole{kOutput, Bytes(0), call.bytes};
  const auto size = [&](int block) { return even_part(whole, call.element_bytes, block % n, n).size; };
  // A rank sends each block twice, but for one in each half; it reduces all but its own.
  Cost cost{.rounds = 2 * (n - 1)};
  const int blocks = static_cast<int>(std::min<std::int64_t>(n, call.bytes / call.element_bytes));
  for (int r = 0; r < n; ++r) {
    const int skipped = (size(r + 1) > Bytes(0) ? 1 : 0) + (size(r + 2) > Bytes(0) ? 1 : 0);
    cost.messages = std::max(cost.messages, 2 * blocks - skipped);
    cost.sent = std::max(cost.sent, call.bytes * 2 - size(r + 1) - size(r + 2));
    cost.reduced = std::max(cost.reduced, call.bytes - size(r));
  }
  return cost;
}

}  // namespace

extern constinit const Algorithm ring{
    .collective = Collective::kAllreduce,
    .name = "ring",
    .summary = "n blocks go around once to be added up and once to be handed out",
    .formula = "2 (n-1) (L + 2o + m/n G) + (n-1) m/n g",
    .source = "Patarasuk, Yuan 2009, section 3",
    .eligible = if_commutative,
    .build = build_ring,
    .cost = ring_cost,
};

}  // namespace weft::allreduce
