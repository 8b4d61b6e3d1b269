// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/round_trip.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <vector>

#include "base/clock.hpp"
#include "mpi/communicator/this_node.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/host/polite.hpp"

namespace weft::mpi {
namespace {

// The first message makes the connection; of the others the fastest one was held up by nobody.
constexpr int kTries = 6;
constexpr int kTag = 1;

// Of the nodes that rank 0 is not on: the first, one in the middle, and the last.
std::set<int> partners_of_rank_0() {
  const std::set<int> firsts(this_node().node_of.begin(), this_node().node_of.end());
  const std::vector<int> others(std::next(firsts.begin()), firsts.end());
  if (others.empty()) return {};
  return {others.front(), others[others.size() / 2], others.back()};
}

void tell_and_hear(int other) {
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const MPI_Comm comm = engine().transport_comm;
  PMPI_Irecv(nullptr, 0, MPI_BYTE, other, kTag, comm, &requests[0]);
  PMPI_Isend(nullptr, 0, MPI_BYTE, other, kTag, comm, &requests[1]);
  polite::wait(requests);
}

void answer(int other) {
  MPI_Request request = MPI_REQUEST_NULL;
  const MPI_Comm comm = engine().transport_comm;
  PMPI_Irecv(nullptr, 0, MPI_BYTE, other, kTag, comm, &request);
  polite::wait({&request, 1});
  PMPI_Isend(nullptr, 0, MPI_BYTE, other, kTag, comm, &request);
  polite::wait({&request, 1});
}

Nanoseconds round_trip_with(int other) {
  Nanoseconds least{0};
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const Nanoseconds before = elapsed_time();
    tell_and_hear(other);
    const Nanoseconds took = elapsed_time() - before;
    if (attempt == 1 || (attempt > 1 && took < least)) least = took;
  }
  return least;
}

}  // namespace

void learn_round_trip() {
  int& microseconds = engine().settings.shared.round_trip;
  const std::set<int> partners = partners_of_rank_0();
  if (microseconds != 0 || partners.empty()) return;
  const int rank = engine().world_rank;
  if (partners.contains(rank))
    for (int attempt = 0; attempt < kTries; ++attempt) answer(0);
  Nanoseconds longest{0};
  if (rank == 0)
    for (const int other : partners) longest = std::max(longest, round_trip_with(other));
  microseconds = std::max<int>(1, static_cast<int>(longest.value / 1000));
  polite::broadcast(&microseconds, sizeof microseconds, engine().transport_comm);
}

}  // namespace weft::mpi
