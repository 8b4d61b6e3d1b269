// SPDX-License-Identifier: BSD-3-Clause
// Bcast along a chain, in fragments: while a rank hands one on, the next is on its way to it. Every rank
// sends every byte once: for long messages on few ranks.
//
//   root -> +1 -> +2 -> +3        fragment f reaches position p at step f + p
//
// J. Watts, R. van de Geijn, A pipelined broadcast for multidimensional meshes, Parallel Processing Letters 5
// (1995), section 3.
#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/fragments.hpp"
#include "algorithm/pattern/rotation.hpp"

namespace weft::bcast {

namespace {

void build_chain(Builder& b, const Parameters& parameters) {
  const Rotation rotation{b.call().root.value, b.rank_count()};
  const int position = rotation.position_of(b.self());
  const Fragments fragments = fragments_of_chain(b.bytes(), parameters.fragment, Bytes(1));
  for (int f = 0; f < fragments.count(); ++f) {
    const Range fragment = b.output().part(fragments.offset(f), fragments.size(f));
    if (position > 0) b.recv(rotation.rank_at(position - 1), fragment);
    if (position + 1 < b.rank_count()) b.send(rotation.rank_at(position + 1), fragment);
  }
}

Cost chain_cost(const Call& call, const Parameters& parameters) {
  return {.rounds = call.rank_count - 1,
          .messages = fragments_of_chain(call.bytes, parameters.fragment, Bytes(1)).count(),
          .sent = call.bytes};
}

}  // namespace

extern constinit const Algorithm chain{
    .collective = Collective::kBcast,
    .name = "chain",
    .summary = "from rank to rank, fragment after fragment",
    .formula = "(n-1) (L + 2o + f G) + (m - f) G",
    .source = "Watts, van de Geijn 1995, section 3",
    .has_fragments = true,
    .build = build_chain,
    .cost = chain_cost,
};

}  // namespace weft::bcast
