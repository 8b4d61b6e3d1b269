// SPDX-License-Identifier: BSD-3-Clause
// Gatherer: brings what the ranks have decoded to rank 0, round by round, joins it there and writes it.
//
// As in Collector each of two steps is given `depth` rounds of decoding to be done behind (depth 1):
//
//   decode k
//   MPI_Iallgather of the results of k
//   join those of k-1, MPI_Igatherv of what came out in k-1
//   wait for what came out in k-2, write it
//
// All ranks know all results, and so how much there is: what is more than kGatherBytes comes in several
// gathers, of stretches of the whole, so that rank 0 needs memory for no more of what the ranks have made;
// what it had to decode itself, in the place of a piece, it keeps until that is written. Where nothing is
// wanted (--test) only the results are gathered.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <string>
#include <vector>

#include "chain.hpp"
#include "options.hpp"

namespace compress {

class Gatherer {
 public:
  /// `chain`: rank 0's, null elsewhere; `sink`: where rank 0 writes.
  Gatherer(const Options& options, Chain* chain, const Sink& sink, MPI_Comm communicator);
  Gatherer(const Gatherer&) = delete;
  Gatherer& operator=(const Gatherer&) = delete;

  /// Where the next piece's plain bytes go.
  std::vector<std::uint8_t>& place() { return round(submitted_).plain; }
  /// They are there; `orders`: rank 0's, of all ranks. Collective.
  void submit(const PieceResult& result, const std::vector<PieceOrder>& orders);
  /// All that is on its way comes in. Collective.
  void finish();

  /// Rank 0: what is wrong with the archive, or why its content cannot be written; empty if nothing is.
  const std::string& problem() const { return problem_; }

 private:
  /// Rank 0: what a rank's piece has become.
  struct Part {
    Chain::Verdict verdict = Chain::Verdict::kDropped;
    std::vector<std::uint8_t> own;  ///< of a piece that is replaced
  };
  struct Round {
    std::vector<std::uint8_t> plain;
    PieceResult result;
    std::vector<PieceResult> results;  ///< of all ranks
    MPI_Request gathering_results = MPI_REQUEST_NULL;
    MPI_Request gathering = MPI_REQUEST_NULL;
    std::uint64_t gathered = 0;      ///< bytes of the round's whole that gathers have been started for
    std::vector<PieceOrder> orders;  ///< rank 0
    std::vector<Part> parts;
    std::vector<int> counts, offsets;
    std::vector<std::uint8_t> all;
  };

  Round& round(std::int64_t number) { return rounds_[static_cast<std::size_t>(number) % rounds_.size()]; }
  void gather_results(Round& round);
  void join(Round& round);
  void gather_stretch(Round& round);
  void deliver(Round& round);
  void write_stretch(Round& round, std::uint64_t first);

  Chain* chain_;
  const Sink& sink_;
  MPI_Comm communicator_;
  bool blocking_, wanted_;
  std::int64_t depth_;
  std::vector<Round> rounds_;
  int rank_ = 0;
  std::int64_t submitted_ = 0, joined_ = 0, delivered_ = 0;
  bool full_ = false;  ///< what comes out cannot be written
  std::string problem_;
};

}  // namespace compress
