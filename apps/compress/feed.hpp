// SPDX-License-Identifier: BSD-3-Clause
// Feed: gives each rank its block of plain bytes, round by round.
//
// Rank 0 orders rounds: a round of T bytes is `ranks` blocks, one to each rank in order, of which the last
// ones may be short or empty. T = 0 is the end. From a file every rank then reads its own block; from a
// stream rank 0 reads them all and scatters them. In pipelined exchange all this runs ahead of the
// compression (depth 2):
//
//   in round k    order k+3 (MPI_Ibcast)   scatter k+2 (MPI_Iscatterv)   wait for the block of round k
//
// The first rounds fall behind this and catch up, so that nobody waits until rank 0 has read four rounds.
// Memory on rank 0, from a stream: (depth + 2) x ranks x block.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <span>
#include <string>
#include <vector>

#include "input.hpp"
#include "options.hpp"
#include "timers.hpp"

namespace compress {

class Feed {
 public:
  Feed(Input& input, const Options& options, MPI_Comm communicator, Times& times);
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  /// This rank's block of the next round, empty if there is none for it; false after the last round.
  /// Collective.
  bool next(std::span<const std::uint8_t>& block);
  /// Rank 0: orders no further rounds. Those that are ordered still come.
  void stop() { stopped_ = true; }
  /// Why this rank could not read; empty if it could.
  const std::string& problem() const { return problem_; }

 private:
  struct Round {
    std::uint64_t bytes = 0;
    std::vector<std::uint8_t> all;  ///< rank 0, from a stream
    std::vector<std::uint8_t> own;
    std::vector<int> counts, offsets;
    MPI_Request ordering = MPI_REQUEST_NULL;
    MPI_Request scattering = MPI_REQUEST_NULL;
  };

  Round& round(std::int64_t number) { return rounds_[static_cast<std::size_t>(number) % rounds_.size()]; }
  std::uint64_t bytes_of(const Round& round, int rank) const;
  std::uint64_t read_round(Round& round, std::int64_t number);
  void order(std::int64_t number);
  void scatter(std::int64_t number);
  void read_own(Round& round, std::int64_t number);
  void wait(MPI_Request& request);

  Input& input_;
  MPI_Comm communicator_;
  Times& times_;
  Exchange exchange_;
  std::uint64_t block_bytes_;
  int rank_ = 0, rank_count_ = 0;
  std::int64_t ahead_;
  std::vector<Round> rounds_;
  std::int64_t ordered_ = 0, scattered_ = 0, taken_ = 0;
  bool stopped_ = false;
  std::string problem_;
};

}  // namespace compress
