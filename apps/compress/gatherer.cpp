// SPDX-License-Identifier: BSD-3-Clause
#include "gatherer.hpp"

#include <algorithm>

#include "verdict.hpp"

namespace compress {
namespace {

constexpr std::uint64_t kGatherBytes = 64 << 20;

std::uint64_t all_plain_bytes(const std::vector<PieceResult>& results) {
  std::uint64_t bytes = 0;
  for (const PieceResult& result : results) bytes += result.plain_bytes;
  return bytes;
}

/// What two stretches have in common.
struct Stretch {
  std::uint64_t first = 0, end = 0;

  Stretch common_with(Stretch other) const {
    const std::uint64_t begin = std::max(first, other.first);
    return {begin, std::max(begin, std::min(end, other.end))};
  }
  std::size_t bytes() const { return static_cast<std::size_t>(end - first); }
};

}  // namespace

Gatherer::Gatherer(const Options& options, Chain* chain, const Sink& sink, MPI_Comm communicator)
    : chain_(chain),
      sink_(sink),
      communicator_(communicator),
      blocking_(options.exchange == Exchange::kBlocking),
      wanted_(options.task == Task::kDecompress),
      depth_(blocking_ ? 0 : options.depth),
      rounds_(static_cast<std::size_t>(2 * depth_) + 1) {
  int rank_count = 0;
  MPI_Comm_rank(communicator, &rank_);
  MPI_Comm_size(communicator, &rank_count);
  for (Round& round : rounds_) {
    round.results.resize(static_cast<std::size_t>(rank_count));
    round.counts.resize(static_cast<std::size_t>(rank_count));
    round.offsets.resize(static_cast<std::size_t>(rank_count));
    if (chain_ != nullptr) round.parts.resize(static_cast<std::size_t>(rank_count));
  }
}

void Gatherer::submit(const PieceResult& result, const std::vector<PieceOrder>& orders) {
  Round& now = round(submitted_++);
  now.result = result;
  if (chain_ != nullptr) now.orders = orders;
  gather_results(now);
  if (joined_ < submitted_ - depth_) join(round(joined_++));
  if (delivered_ < submitted_ - 2 * depth_) deliver(round(delivered_++));
}

void Gatherer::finish() {
  while (joined_ < submitted_) join(round(joined_++));
  while (delivered_ < submitted_) deliver(round(delivered_++));
}

void Gatherer::gather_results(Round& round) {
  constexpr int kBytes = sizeof(PieceResult);
  if (blocking_)
    MPI_Allgather(&round.result, kBytes, MPI_BYTE, round.results.data(), kBytes, MPI_BYTE, communicator_);
  else
    MPI_Iallgather(&round.result, kBytes, MPI_BYTE, round.results.data(), kBytes, MPI_BYTE, communicator_,
                   &round.gathering_results);
}

/// When something is wrong with one piece, none behind it is taken.
void Gatherer::join(Round& round) {
  MPI_Wait(&round.gathering_results, MPI_STATUS_IGNORE);
  for (std::size_t rank = 0; rank < round.parts.size(); ++rank) {
    Part& part = round.parts[rank];
    part.verdict = Chain::Verdict::kDropped;
    if (!problem_.empty() || round.orders[rank].bytes == 0) continue;
    try {
      part.verdict = chain_->join(round.orders[rank], round.results[rank], part.own);
    } catch (const app::BadInput& error) { problem_ = error.what(); }
  }
  round.gathered = 0;
  if (wanted_) gather_stretch(round);
}

/// The next kGatherBytes of what all ranks have, one behind the other.
void Gatherer::gather_stretch(Round& round) {
  const Stretch wanted{round.gathered,
                       std::min(round.gathered + kGatherBytes, all_plain_bytes(round.results))};
  const std::uint8_t* own = nullptr;
  Stretch all;
  std::size_t offset = 0;
  for (std::size_t rank = 0; rank < round.results.size(); ++rank) {
    all = {all.end, all.end + round.results[rank].plain_bytes};
    const Stretch common = all.common_with(wanted);
    if (rank == static_cast<std::size_t>(rank_))
      own = round.plain.data() + (common.bytes() > 0 ? common.first - all.first : 0);
    round.counts[rank] = static_cast<int>(common.bytes());
    round.offsets[rank] = static_cast<int>(offset);
    offset += common.bytes();
  }
  round.gathered = wanted.end;
  if (chain_ != nullptr && round.all.size() < offset) round.all.resize(offset);
  const int count = round.counts[static_cast<std::size_t>(rank_)];
  if (blocking_)
    MPI_Gatherv(own, count, MPI_BYTE, round.all.data(), round.counts.data(), round.offsets.data(), MPI_BYTE,
                0, communicator_);
  else
    MPI_Igatherv(own, count, MPI_BYTE, round.all.data(), round.counts.data(), round.offsets.data(), MPI_BYTE,
                 0, communicator_, &round.gathering);
}

void Gatherer::deliver(Round& round) {
  if (!wanted_) return;
  const std::uint64_t bytes = all_plain_bytes(round.results);
  std::uint64_t first = 0;
  while (true) {
    MPI_Wait(&round.gathering, MPI_STATUS_IGNORE);
    if (chain_ != nullptr && !full_) write_stretch(round, first);
    first = round.gathered;
    if (first == bytes) break;
    gather_stretch(round);
  }
}

/// A piece that is replaced stands where the one was that it replaces, which may be empty.
void Gatherer::write_stretch(Round& round, std::uint64_t first) {
  const bool is_last = round.gathered == all_plain_bytes(round.results);
  std::uint64_t begin = 0;
  try {
    for (std::size_t rank = 0; rank < round.parts.size(); ++rank) {
      Part& part = round.parts[rank];
      const bool begins_here = begin >= first && (begin < round.gathered || is_last);
      if (part.verdict == Chain::Verdict::kReplaced && begins_here) {
        sink_(part.own);
        part.own = {};
      }
      if (part.verdict == Chain::Verdict::kTaken)
        sink_(std::span(round.all).subspan(static_cast<std::size_t>(round.offsets[rank]),
                                           static_cast<std::size_t>(round.counts[rank])));
      begin += round.results[rank].plain_bytes;
    }
  } catch (const app::BadInput& error) {
    full_ = true;
    if (problem_.empty()) problem_ = error.what();
  }
}

}  // namespace compress
