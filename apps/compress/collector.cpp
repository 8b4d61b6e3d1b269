// SPDX-License-Identifier: BSD-3-Clause
#include "collector.hpp"

#include "verdict.hpp"

namespace compress {

Collector::Collector(const Options& options, Stitcher* stitcher, MPI_Comm communicator, Times& times)
    : exchange_(options.exchange),
      stitcher_(stitcher),
      communicator_(communicator),
      times_(times),
      depth_(options.exchange == Exchange::kPipelined ? options.depth : 0),
      rounds_(static_cast<std::size_t>(2 * depth_) + 1) {
  int rank_count = 0;
  MPI_Comm_size(communicator, &rank_count);
  if (stitcher_ == nullptr) return;
  for (Round& round : rounds_) {
    round.heads.resize(static_cast<std::size_t>(rank_count));
    round.counts.resize(static_cast<std::size_t>(rank_count));
    round.offsets.resize(static_cast<std::size_t>(rank_count));
  }
}

void Collector::submit(const PieceHead& head) {
  Round& now = round(submitted_);
  now.head = head;
  ++submitted_;
  if (exchange_ == Exchange::kSkipped) return;
  gather_heads(now);
  if (requested_ < submitted_ - depth_) gather_pieces(round(requested_++));
  if (delivered_ < submitted_ - 2 * depth_) deliver(round(delivered_++));
}

void Collector::finish() {
  if (exchange_ == Exchange::kSkipped) return;
  while (requested_ < submitted_) gather_pieces(round(requested_++));
  while (delivered_ < submitted_) deliver(round(delivered_++));
}

void Collector::gather_heads(Round& round) {
  Timed timed(times_.waiting);
  constexpr int kBytes = sizeof(PieceHead);
  if (exchange_ == Exchange::kBlocking)
    MPI_Gather(&round.head, kBytes, MPI_BYTE, round.heads.data(), kBytes, MPI_BYTE, 0, communicator_);
  else
    MPI_Igather(&round.head, kBytes, MPI_BYTE, round.heads.data(), kBytes, MPI_BYTE, 0, communicator_,
                &round.gathering_heads);
}

void Collector::gather_pieces(Round& round) {
  Timed timed(times_.waiting);
  MPI_Wait(&round.gathering_heads, MPI_STATUS_IGNORE);
  if (stitcher_ != nullptr) make_room(round);
  const int own = static_cast<int>(round.head.bytes());
  const void* piece = round.piece.bytes().data();
  if (exchange_ == Exchange::kBlocking)
    MPI_Gatherv(piece, own, MPI_BYTE, round.all.data(), round.counts.data(), round.offsets.data(), MPI_BYTE,
                0, communicator_);
  else
    MPI_Igatherv(piece, own, MPI_BYTE, round.all.data(), round.counts.data(), round.offsets.data(), MPI_BYTE,
                 0, communicator_, &round.gathering_pieces);
}

void Collector::make_room(Round& round) {
  std::size_t bytes = 0;
  for (std::size_t rank = 0; rank < round.heads.size(); ++rank) {
    round.offsets[rank] = static_cast<int>(bytes);
    round.counts[rank] = static_cast<int>(round.heads[rank].bytes());
    bytes += round.heads[rank].bytes();
    if (round.heads[rank].failed != 0) failed_ = true;
  }
  if (round.all.size() < bytes) round.all.resize(bytes);
}

void Collector::deliver(Round& round) {
  {
    Timed timed(times_.waiting);
    MPI_Wait(&round.gathering_pieces, MPI_STATUS_IGNORE);
  }
  if (stitcher_ == nullptr || failed_) return;
  Timed timed(times_.writing);
  try {
    for (std::size_t rank = 0; rank < round.heads.size(); ++rank)
      stitcher_->append(round.heads[rank],
                        std::span(round.all).subspan(static_cast<std::size_t>(round.offsets[rank]),
                                                     round.heads[rank].bytes()));
  } catch (const app::BadInput& error) {
    failed_ = true;
    problem_ = error.what();
  }
}

}  // namespace compress
