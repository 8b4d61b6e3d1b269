// SPDX-License-Identifier: BSD-3-Clause
// Do the ranks of a v-, w- or neighbour form agree about their parcels? If not, the call itself is wrong.
#include "executor/verifier/checks.hpp"

namespace weft::verifier {

namespace {

// Each rank's list by itself: ranks that exist, blocks that have an offset and a size.
bool check_lists(const Schedule& schedule, Findings& findings) {
  bool sound = true;
  for (const auto* parcels : {&schedule.parcels.outgoing, &schedule.parcels.incoming})
    for (const Parcel& parcel : *parcels) {
      const bool peer_exists = parcel.peer >= Rank(0) && parcel.peer < Rank(schedule.call.rank_count);
      if (!peer_exists)
        findings.add(Rule::kOutOfBounds, schedule.self, {}, "a parcel names rank {}: ranks are 0 to {}",
                     parcel.peer.value, schedule.call.rank_count - 1);
      const bool is_block = parcel.offset >= Bytes(0) && parcel.size >= Bytes(0);
      if (!is_block)
        findings.add(Rule::kOutOfBounds, schedule.self, {},
                     "a parcel lies at {} and has {} bytes: neither is negative", parcel.offset.value,
                     parcel.size.value);
      sound = sound && peer_exists && is_block;
    }
  return sound;
}

// A reduce_scatter's vector: the same parts on all ranks, side by side, and each gets its own.
void check_parts(const Schedule& schedule, const Schedule& first, Findings& findings) {
  const Parcels& parcels = schedule.parcels;
  Bytes at;
  for (std::size_t rank = 0; rank < parcels.outgoing.size(); ++rank) {
    const Parcel& part = parcels.outgoing[rank];
    if (part.peer != Rank(static_cast<int>(rank)) || part.offset != at)
      findings.add(Rule::kParcelsDiffer, schedule.self, {},
                   "part {} of the vector is rank {}'s, at {}: it must be rank {}'s, at {}", rank,
                   part.peer.value, part.offset.value, rank, at.value);
    at += part.size;
  }
  const auto own = static_cast<std::size_t>(schedule.self.value);
  if (parcels.outgoing.size() != static_cast<std::size_t>(schedule.call.rank_count) ||
      at != schedule.call.bytes)
    findings.add(
        Rule::kParcelsDiffer, schedule.self, {},
        "its vector has {} parts of {} bytes in all: it must have one for each of {} ranks, {} bytes",
        parcels.outgoing.size(), at.value, schedule.call.rank_count, schedule.call.bytes.value);
  else if (parcels.incoming != std::vector<Parcel>{{schedule.self, Bytes(0), parcels.outgoing[own].size}})
    findings.add(Rule::kParcelsDiffer, schedule.self, {},
                 "what comes in must be its own part, and nothing else");
  if (parcels.outgoing != first.parcels.outgoing)
    findings.add(Rule::kParcelsDiffer, schedule.self, {}, "it cuts the vector otherwise than rank 0");
}

void check_pairs(std::span<const Schedule> schedules, const Pairing& pairing, Findings& findings) {
  for (const Schedule& schedule : schedules)
    for (std::size_t i = 0; i < schedule.parcels.incoming.size(); ++i) {
      const Parcel& parcel = schedule.parcels.incoming[i];
      const Parcel* origin = pairing.origin(schedule.self, i);
      if (origin == nullptr)
        findings.add(
            Rule::kParcelsDiffer, schedule.self, {},
            "incoming parcel {}, from rank {}, has no counterpart there: rank {} lists fewer for this rank",
            i, parcel.peer.value, parcel.peer.value);
      else if (origin->size != parcel.size)
        findings.add(
            Rule::kParcelsDiffer, schedule.self, {},
            "incoming parcel {}, from rank {}, has {} bytes, but {} bytes there: both must be the same", i,
            parcel.peer.value, parcel.size.value, origin->size.value);
    }
  for (const auto& [from, number] : pairing.untaken()) {
    const Schedule& sender = schedules[static_cast<std::size_t>(from.value)];
    const int to = sender.parcels.outgoing[number].peer.value;
    findings.add(
        Rule::kParcelsDiffer, from, {},
        "outgoing parcel {}, for rank {}, has no counterpart there: rank {} lists fewer from this rank",
        number, to, to);
  }
}

}  // namespace

bool check_parcels(std::span<const Schedule> schedules, Findings& findings) {
  const Collective collective = schedules.front().call.collective;
  bool sound = true;
  for (const Schedule& schedule : schedules) {
    if (!has_parcels(collective) && !schedule.parcels.empty()) {
      findings.add(Rule::kMalformed, schedule.self, {}, "{} has no parcels: all its blocks have one size",
                   name_of(collective));
      sound = false;
    }
    sound = check_lists(schedule, findings) && sound;
  }
  if (!sound || !has_parcels(collective)) return sound;
  if (collective == Collective::kReduceScatter)
    for (const Schedule& schedule : schedules) check_parts(schedule, schedules.front(), findings);
  else check_pairs(schedules, pairing_of(schedules), findings);
  return !findings.any_of(Rule::kParcelsDiffer);
}

Pairing pairing_of(std::span<const Schedule> schedules) {
  std::vector<const Parcels*> all;
  if (has_parcels(schedules.front().call.collective) &&
      schedules.front().call.collective != Collective::kReduceScatter)
    for (const Schedule& schedule : schedules) all.push_back(&schedule.parcels);
  return Pairing(std::move(all));
}

}  // namespace weft::verifier
