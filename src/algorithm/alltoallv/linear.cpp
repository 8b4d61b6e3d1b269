// SPDX-License-Identifier: BSD-3-Clause
// All collectives with parcels but reduce_scatter: every block straight to its receiver, so many at a time.
// No rank knows more than its own blocks, so nothing else could be agreed on.
//
// With MPI_IN_PLACE an alltoallv overwrites what it sends: that is copied away first.
#include "algorithm/builders.hpp"
#include "algorithm/pattern/window.hpp"

namespace weft::alltoallv {

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
    if (letter.peer == b.self() || letter.block.size == Bytes(0)) continue;
    const Range kept = away.part(at, letter.block.size);
    b.copy(letter.block, kept);
    letter.block = kept;
    at += kept.size;
  }
}

}  // namespace

void linear(Builder& b, const Parameters& parameters) {
  const Collective collective = b.call().collective;
  const bool overwrites = collective == Collective::kAlltoallv || collective == Collective::kAlltoallw;
  std::vector<Letter> outgoing = letters(b.parcels().outgoing, b.contribution());
  if (b.in_place() && overwrites) copy_away(b, outgoing);
  exchange_letters(b, outgoing, letters(b.parcels().incoming, b.output()), parameters.window);
}

// At most: where a rank has a block for every other one, and none is shorter than the longest. As many
// neighbours as that are assumed, too: how many there are, no rank knows of another.
Cost linear_cost(const Call& call, const Parameters& parameters) {
  const int messages = call.collective == Collective::kGatherv ? 1 : call.rank_count - 1;
  const int rounds = is_rooted(call.collective) ? 1 : window_count(call.rank_count, parameters.window);
  return {.rounds = rounds, .messages = messages, .sent = call.bytes * messages};
}

}  // namespace weft::alltoallv
