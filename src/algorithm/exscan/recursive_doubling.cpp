// SPDX-License-Identifier: BSD-3-Clause
// Exscan by recursive doubling: as a scan, but what comes from the ranks before is added up twice, with the
// own value for those after and without it for the result.
//
//   rank 6     hands on 6     5-6     3-6           has, from 5: 5    from 4: 3-5    from 2: 0-5
#include <algorithm>

#include "algorithm/algorithm.hpp"

namespace weft::exscan {

namespace {

bool hands_on(int self, int distance, int rank_count) { return self + distance < rank_count; }

void build_recursive_doubling(Builder& b, const Parameters&) {
  const int n = b.rank_count();
  const int self = b.self();
  const Range scratch = self == 0 ? Range{} : b.scratch(b.bytes() * 3);
  const auto place = [&](int number) { return scratch.part(b.bytes() * number, b.bytes()); };
  const Range first = b.in_place() ? place(0) : b.output();  // not where the own value still is
  Range with_own = b.contribution();
  Range result;
  for (int distance = 1; distance < n; distance *= 2) {
    if (hands_on(self, distance, n)) b.send(self + distance, with_own);
    if (self < distance) continue;
    const Range came = distance == 1 ? first : place(1);
    b.recv(self - distance, came);
    if (hands_on(self, 2 * distance, n)) {
      if (distance == 1) b.copy(with_own, place(2));
      with_own = place(2);
      b.reduce(came, with_own);
    }
    if (distance == 1) result = came;
    else b.reduce(came, result);
  }
  if (self > 0) b.copy(result, b.output());
}

Cost recursive_doubling_cost(const Call& call, const Parameters&) {
  const int n = call.rank_count;
  Cost cost;
  for (int rank = 0; rank < n; ++rank) {
    int reduced = 0;
    for (int distance = 1; distance <= rank; distance *= 2)
      reduced += (distance > 1 ? 1 : 0) + (hands_on(rank, 2 * distance, n) ? 1 : 0);
    cost.reduced = std::max(cost.reduced, call.bytes * reduced);
  }
  for (int distance = 1; distance < n; distance *= 2) ++cost.rounds;
  cost.messages = cost.rounds;
  cost.sent = call.bytes * cost.rounds;
  return cost;
}

}  // namespace

extern constinit const Algorithm recursive_doubling{
    .collective = Collective::kExscan,
    .name = "recursive_doubling",
    .summary = "tell the rank at distance 1, 2, 4, … after what is before it",
    .formula = "ceil(log_2 n) (L + 2o + m (G + 2 g))",
    .source = "Hillis, Steele 1986",
    .scales = always,
    .build = build_recursive_doubling,
    .cost = recursive_doubling_cost,
};

}  // namespace weft::exscan
