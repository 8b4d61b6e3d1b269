// SPDX-License-Identifier: BSD-3-Clause
// Scan along the chain of ranks, in fragments: each rank adds what comes from the one before it on the left
// and hands the sum on. Every byte is sent and combined once: for long messages.
//
//   0 -> 1 -> 2 -> 3        fragment f reaches rank r at step f + r
//
// P. Sanders, J. L. Träff, Parallel prefix (scan) algorithms for MPI, EuroPVM/MPI 2006, section 2 (linear
// pipeline).
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/fragments.hpp"

namespace weft::scan {

namespace {

void build_chain(Builder& b, const Parameters& parameters) {
  const int self = b.self();
  const Fragments fragments = fragments_of_chain(b.bytes(), parameters.fragment, b.call().element_bytes);
  const Range before = self == 0 ? Range{} : b.scratch(b.bytes());
  const Range sum = self == 0 ? b.contribution() : b.output();
  b.copy(b.contribution(), b.output());
  for (int f = 0; f < fragments.count(); ++f) {
    const auto fragment = [&](Range whole) { return whole.part(fragments.offset(f), fragments.size(f)); };
    if (self > 0) {
      b.recv(self - 1, fragment(before));
      b.reduce(fragment(before), fragment(sum));
    }
    if (self + 1 < b.rank_count()) b.send(self + 1, fragment(sum));
  }
}

Cost chain_cost(const Call& call, const Parameters& parameters) {
  return {.rounds = call.rank_count - 1,
          .messages = fragments_of_chain(call.bytes, parameters.fragment, call.element_bytes).count(),
          .sent = call.bytes,
          .reduced = call.bytes};
}

}  // namespace

extern constinit const Algorithm chain{
    .collective = Collective::kScan,
    .name = "chain",
    .summary = "from rank to rank, fragment after fragment, added up on the way",
    .formula = "(n-1) (L + 2o + f (G + g)) + (m - f) (G + g)",
    .source = "Sanders, Träff 2006, section 2",
    .has_fragments = true,
    .build = build_chain,
    .cost = chain_cost,
};

}  // namespace weft::scan
