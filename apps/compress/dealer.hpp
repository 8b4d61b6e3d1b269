// SPDX-License-Identifier: BSD-3-Clause
// Dealer: gives each rank its piece of an archive, round by round.
//
// Rank 0 cuts: a round is a piece for each rank in order, of which the last ones may be empty; a round of
// none is the end. Orders go ahead of what they speak of, since a rank must know how long its piece is (depth
// 2):
//
//   in round k   MPI_Iscatter of the orders of k+3
//                MPI_Iscatterv of the pieces of k+2
//                wait for the piece of k
//
// The first rounds fall behind this and catch up, as those of Feed. Memory on rank 0: depth + 2 rounds, of
// kRoundBytes at most.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <span>
#include <string>
#include <vector>

#include "chain.hpp"
#include "decoded_piece.hpp"
#include "options.hpp"

namespace compress {

class Dealer {
 public:
  /// `chain`: rank 0's; null elsewhere.
  Dealer(const Options& options, Chain* chain, MPI_Comm communicator);
  Dealer(const Dealer&) = delete;
  Dealer& operator=(const Dealer&) = delete;

  /// This rank's piece of the next round, empty if there is none for it; false after the last round. Valid
  /// until the next call. Collective.
  bool next(PieceOrder& order, std::span<const std::uint8_t>& piece);
  /// Rank 0: the orders of the round that next() gave last.
  const std::vector<PieceOrder>& orders() { return round(taken_ - 1).orders; }
  /// Rank 0: deals no further rounds. Those that are dealt still come.
  void stop() { stopped_ = true; }
  /// Rank 0: why the archive cannot be read; empty if it can.
  const std::string& problem() const { return problem_; }

 private:
  struct Round {
    PieceOrder order;
    std::vector<std::uint8_t> own;
    std::vector<PieceOrder> orders;  ///< rank 0
    std::vector<std::uint8_t> all;
    std::vector<int> counts, offsets;
    MPI_Request ordering = MPI_REQUEST_NULL;
    MPI_Request scattering = MPI_REQUEST_NULL;
  };

  Round& round(std::int64_t number) { return rounds_[static_cast<std::size_t>(number) % rounds_.size()]; }
  void cut(Round& round);
  void order(Round& round);
  void scatter(Round& round);

  Chain* chain_;
  MPI_Comm communicator_;
  bool blocking_;
  std::int64_t ahead_;
  std::vector<Round> rounds_;
  std::int64_t ordered_ = 0, scattered_ = 0, taken_ = 0;
  bool ended_ = false;  ///< a round of no pieces has been seen
  bool stopped_ = false;
  std::string problem_;
};

}  // namespace compress
