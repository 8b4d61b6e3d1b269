// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/round_trip.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <set>
#include <vector>

#include "base/clock.hpp"
#include "mpi/communicator/this_node.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/host/polite.hpp"

namespace weft::mpi {
namespace {

// The first message makes the connection. Of the others the fastest one was held up by nobody; where ranks
// share their cores that may take some tries, but no more once the nodes have turned out to be near.
constexpr int kLeastTries = 6, kMostTries = 20;
constexpr int kTag = 1;

// The ranks with which rank 0 measures: the first ones of up to three nodes that are far apart in the order
// of nodes, since distances may differ.
std::set<int> partners_of_rank_0() {
  const std::set<int> firsts(this_node().node_of.begin(), this_node().node_of.end());
  const std::vector<int> others(std::next(firsts.begin()), firsts.end());
  if (others.empty()) return {};
  return {others.front(), others[others.size() / 2], others.back()};
}

// What rank 0 says to its partner, who answers unless that was the last word.
enum class Word : char { kAnswer, kEnough };

void say(int other, Word word) {
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const MPI_Comm comm = engine().transport_comm;
  if (word == Word::kAnswer) PMPI_Irecv(nullptr, 0, MPI_BYTE, other, kTag, comm, &requests[0]);
  PMPI_Isend(&word, sizeof word, MPI_BYTE, other, kTag, comm, &requests[1]);
  polite::wait(requests);
}

void answer_rank_0() {
  const MPI_Comm comm = engine().transport_comm;
  for (Word word = Word::kAnswer;;) {
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Irecv(&word, sizeof word, MPI_BYTE, 0, kTag, comm, &request);
    polite::wait({&request, 1});
    if (word == Word::kEnough) return;
    PMPI_Isend(nullptr, 0, MPI_BYTE, 0, kTag, comm, &request);
    polite::wait({&request, 1});
  }
}

Nanoseconds round_trip_with(int other) {
  const Nanoseconds far{std::int64_t{engine().settings.shared.thresholds.far_from} * 1000};
  Nanoseconds least{0};
  for (int tries = 0; tries < kLeastTries || (tries < kMostTries && least >= far); ++tries) {
    const Nanoseconds before = elapsed_time();
    say(other, Word::kAnswer);
    const Nanoseconds took = elapsed_time() - before;
    if (tries == 1 || (tries > 1 && took < least)) least = took;
  }
  say(other, Word::kEnough);
  return least;
}

}  // namespace

void learn_round_trip() {
  int& microseconds = engine().settings.shared.round_trip;
  const std::set<int> partners = partners_of_rank_0();
  if (microseconds != 0 || partners.empty() || this_node().pretended) return;
  const int rank = engine().world_rank;
  if (partners.contains(rank)) answer_rank_0();
  Nanoseconds longest{0};
  if (rank == 0)
    for (const int other : partners) longest = std::max(longest, round_trip_with(other));
  microseconds = std::max<int>(1, static_cast<int>(longest.value / 1000));
  polite::broadcast(&microseconds, sizeof microseconds, engine().transport_comm);
}

}  // namespace weft::mpi
