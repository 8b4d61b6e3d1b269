// SPDX-License-Identifier: BSD-3-Clause
// Collector: brings the pieces of all ranks to rank 0, round by round, and hands them to the stitcher in
// order.
//
// Rank 0 must know how long the pieces are before it can gather them. So their heads go ahead, and each of
// the two steps is given `depth` rounds of compression to be done behind (depth 1):
//
//   compress k      MPI_Igather of the heads of k    wait for the heads of k-1, MPI_Igatherv of the pieces of
//   k-1
//                                                    wait for the pieces of k-2, write them
//
// A rank keeps 2 x depth + 1 pieces of its own; rank 0 has memory for as many rounds of everybody's.
// Blocking: MPI_Gather and MPI_Gatherv after each piece. Skipped: nothing.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <string>
#include <vector>

#include "options.hpp"
#include "piece.hpp"
#include "stitcher.hpp"
#include "timers.hpp"

namespace compress {

class Collector {
 public:
  /// `stitcher`: rank 0's; null elsewhere.
  Collector(const Options& options, Stitcher* stitcher, MPI_Comm communicator, Times& times);

  /// Where the next piece goes.
  BitString& place() { return round(submitted_).piece; }
  /// The piece is in its place. Collective.
  void submit(const PieceHead& head);
  /// All that is on its way comes in. Collective.
  void finish();

  /// Rank 0: a rank could not read, or the result cannot be written.
  bool failed() const { return failed_; }
  /// Why the result cannot be written; empty if it can.
  const std::string& problem() const { return problem_; }

 private:
  struct Round {
    BitString piece;
    PieceHead head;
    MPI_Request gathering_heads = MPI_REQUEST_NULL;
    MPI_Request gathering_pieces = MPI_REQUEST_NULL;
    std::vector<PieceHead> heads;  ///< rank 0
    std::vector<int> counts, offsets;
    std::vector<std::uint8_t> all;
  };

  Round& round(std::int64_t number) { return rounds_[static_cast<std::size_t>(number) % rounds_.size()]; }
  void gather_heads(Round& round);
  void gather_pieces(Round& round);
  void make_room(Round& round);
  void deliver(Round& round);

  Exchange exchange_;
  Stitcher* stitcher_;
  MPI_Comm communicator_;
  Times& times_;
  std::int64_t depth_;
  std::vector<Round> rounds_;
  std::int64_t submitted_ = 0, requested_ = 0, delivered_ = 0;
  bool failed_ = false;
  std::string problem_;
};

}  // namespace compress
