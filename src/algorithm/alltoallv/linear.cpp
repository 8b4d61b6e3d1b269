// SPDX-License-Identifier: BSD-3-Clause
// All collectives with parcels but reduce_scatter: every block straight to its receiver, so many at a time.
// No rank knows more than its own blocks, so nothing else could be agreed on.
//
// With MPI_IN_PLACE an alltoallv overwrites what it sends: that is copied away first.
#include "algorithm/cards.hpp"
#include "algorithm/pattern/window.hpp"

namespace weft {

namespace {

std::vector<Letter> letters(const std::vector<Parcel>& parcels, Range buffer) {
  std::vector<Letter> letters;
  letters.reserve(parcels.size());
  for (const Parcel& parcel : parcels)
    letters.push_back({parcel.peer.value, buffer.part(parcel.offset, parcel.size)});
  return letters;
}

void copy_away(Builder& b, std::vector<Letter>& outgoing) {
  Bytes total;
  for (const Letter& letter : outgoing) total += letter.peer == b.self() ? Bytes(0) : letter.block.size;
  const Range away = b.scratch(total);
  Bytes at;
  for (Letter& letter : outgoing) {
    if (letter.peer == b.self()) continue;
    const Range kept = away.part(at, letter.block.size);
    b.copy(letter.block, kept);
    letter.block = kept;
    at += kept.size;
  }
}

void build_linear(Builder& b, const Parameters& parameters) {
  const Collective collective = b.call().collective;
  const bool overwrites = collective == Collective::kAlltoallv || collective == Collective::kAlltoallw;
  std::vector<Letter> outgoing = letters(b.parcels().outgoing, b.contribution());
  if (b.in_place() && overwrites) copy_away(b, outgoing);
  exchange_letters(b, outgoing, letters(b.parcels().incoming, b.output()), parameters.window);
}

// An upper bound, since no rank knows how many blocks others have, or how long: a block for every other rank,
// all as long as the longest.
Cost linear_cost(const Call& call, const Parameters& parameters) {
  const int messages = call.collective == Collective::kGatherv ? 1 : call.rank_count - 1;
  const int rounds = is_rooted(call.collective) ? 1 : window_count(call.rank_count, parameters.window);
  return {.rounds = rounds, .messages = messages, .sent = call.bytes * messages};
}

constexpr Algorithm card_of(Collective collective) {
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

constinit const Algorithm allgatherv::linear = card_of(Collective::kAllgatherv);
constinit const Algorithm gatherv::linear = card_of(Collective::kGatherv);
constinit const Algorithm scatterv::linear = card_of(Collective::kScatterv);
constinit const Algorithm alltoallv::linear = card_of(Collective::kAlltoallv);
constinit const Algorithm alltoallw::linear = card_of(Collective::kAlltoallw);
constinit const Algorithm neighbor_allgather::linear = card_of(Collective::kNeighborAllgather);
constinit const Algorithm neighbor_allgatherv::linear = card_of(Collective::kNeighborAllgatherv);
constinit const Algorithm neighbor_alltoall::linear = card_of(Collective::kNeighborAlltoall);
constinit const Algorithm neighbor_alltoallv::linear = card_of(Collective::kNeighborAlltoallv);
constinit const Algorithm neighbor_alltoallw::linear = card_of(Collective::kNeighborAlltoallw);

}  // namespace weft
