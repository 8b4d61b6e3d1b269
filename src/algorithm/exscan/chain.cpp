// SPDX-License-Identifier: BSD-3-Clause
// Exscan along the chain of ranks, in fragments: what comes from the rank before is the result; with the own
// value it goes on to the next. Every byte is sent and combined once: for long messages. Sanders, Träff 2006,
// section 2.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/fragments.hpp"

namespace weft::exscan {

namespace {

void build_chain(Builder& b, const Parameters& parameters) {
  const int self = b.self();
  const bool is_last = self + 1 == b.rank_count();
  const Fragments fragments = fragments_of_chain(b.bytes(), parameters.fragment, b.call().element_bytes);
  const Range with_own = self == 0 || is_last ? b.contribution() : b.scratch(b.bytes());
  b.copy(b.contribution(), with_own);
  for (int f = 0; f < fragments.count(); ++f) {
    const auto fragment = [&](Range whole) { return whole.part(fragments.offset(f), fragments.size(f)); };
    if (self > 0) b.recv(self - 1, fragment(b.output()));
    if (self > 0 && !is_last) b.reduce(fragment(b.output()), fragment(with_own));
    if (!is_last) b.send(self + 1, fragment(with_own));
  }
}

Cost chain_cost(const Call& call, const Parameters& parameters) {
  return {.rounds = call.rank_count - 1,
          .messages = fragments_of_chain(call.bytes, parameters.fragment, call.element_bytes).count(),
          .sent = call.bytes,
          .reduced = call.rank_count > 2 ? call.bytes : Bytes(0)};
}

}  // namespace

extern constinit const Algorithm chain{
    .collective = Collective::kExscan,
    .name = "chain",
    .summary = "from rank to rank, fragment after fragment, added up on the way",
    .formula = "(n-1) (L + 2o + f (G + g)) + (m - f) (G + g)",
    .source = "Sanders, Träff 2006, section 2",
    .has_fragments = true,
    .build = build_chain,
    .cost = chain_cost,
};

}  // namespace weft::exscan
