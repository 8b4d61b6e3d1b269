// SPDX-License-Identifier: BSD-3-Clause
// All collectives with parcels but reduce_scatter: every block straight to its receiver, so many at a time.
// No rank knows more than its own blocks, so nothing else could be agreed on.
//
// With MPI_IN_PLACE an alltoallv overwrites what it sends: that is copied away first.
#include "algorithm/catalog.hpp"
#include "algorithm/pattern/window.hpp"

namespace weft {

namespace {

void build_linear(Builder& b, const Parameters& parameters) {
  std::vector<Letter> outgoing = letters_in(b.parcels().outgoing, b.contribution());
  if (overwrites_outgoing(b)) copy_away(b, outgoing);
  exchange_letters(b, outgoing, letters_in(b.parcels().incoming, b.output()), parameters.window);
}

// An upper bound, since no rank knows how many blocks others have, or how long: a block for every other rank,
// all as long as the longest.
Cost linear_cost(const Call& call, const Parameters& parameters) {
  const int messages = call.collective == Collective::kGatherv ? 1 : call.rank_count - 1;
  const int rounds = is_rooted(call.collective) ? 1 : window_count(call.rank_count, parameters.window);
  return {.rounds = rounds, .messages = messages, .sent = call.bytes * messages};
}

constexpr Algorithm linear_card(Collective collective) {
  return {
      .collective = collective,
      .name = "linear",
      .summary = "every block straight to its receiver, at most w at a time",
      .formula = "(n-1)/w (L + 2o) + (n-1) m G",
      .source = "LibNBC, section 3: one round of messages",
      .has_window = true,
      .build = build_linear,
      .cost = linear_cost,
  };
}

}  // namespace

constinit const Algorithm allgatherv::linear = linear_card(Collective::kAllgatherv);
constinit const Algorithm gatherv::linear = linear_card(Collective::kGatherv);
constinit const Algorithm scatterv::linear = linear_card(Collective::kScatterv);
constinit const Algorithm alltoallv::linear = linear_card(Collective::kAlltoallv);
constinit const Algorithm alltoallw::linear = linear_card(Collective::kAlltoallw);
constinit const Algorithm neighbor_allgather::linear = linear_card(Collective::kNeighborAllgather);
constinit const Algorithm neighbor_allgatherv::linear = linear_card(Collective::kNeighborAllgatherv);
constinit const Algorithm neighbor_alltoall::linear = linear_card(Collective::kNeighborAlltoall);
constinit const Algorithm neighbor_alltoallv::linear = linear_card(Collective::kNeighborAlltoallv);
constinit const Algorithm neighbor_alltoallw::linear = linear_card(Collective::kNeighborAlltoallw);

}  // namespace weft
