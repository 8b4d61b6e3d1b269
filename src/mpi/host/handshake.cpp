// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/host/handshake.hpp"

#include <chrono>
#include <mpi.h>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "mpi/host/host_match.hpp"
#include "mpi/host/progress.hpp"

namespace weft::mpi {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kHandshakeTag = 0x7eef;  // within the least MPI_TAG_UB that the standard allows
constexpr auto kTimeToBeRead =
    std::chrono::seconds(1);  // launchers drop what is written right before an abort
constexpr auto kFirstWarning = std::chrono::seconds(10);

std::string advice(const std::string& missing) {
  const bool is_open_mpi = version_of_host().find("Open MPI") != std::string::npos;
  return "MPI_Init waits for " + missing +
         ", where Weft is not loaded (or is very late). Every rank needs it: use `weft run`, or mpiexec " +
         (is_open_mpi ? "-x LD_PRELOAD=" : "-genv LD_PRELOAD ") + "/path/to/libweft.so";
}

// "ranks 2, 5, 6": those whose greeting has not come; request r is rank r + 1's.
std::string missing_ranks(const std::vector<MPI_Request>& greetings) {
  constexpr int kMostNamed = 16;
  std::string names;
  int count = 0;
  for (std::size_t i = 0; i < greetings.size(); ++i) {
    if (greetings[i] == MPI_REQUEST_NULL) continue;
    if (++count <= kMostNamed) names += (names.empty() ? "" : ", ") + std::to_string(i + 1);
  }
  if (count > kMostNamed) names += " and " + std::to_string(count - kMostNamed) + " more";
  return (count == 1 ? "rank " : "ranks ") + names;
}

// Waits for all requests; warns once, gives up after `patience`.
template <class Describe>
bool wait_patiently(std::vector<MPI_Request>& requests, std::chrono::seconds patience, Describe describe) {
  const auto begin = Clock::now();
  bool warned = false;
  Backoff backoff;
  for (;;) {
    int finished = 0;
    std::vector<int> indices(requests.size());
    PMPI_Testsome(static_cast<int>(requests.size()), requests.data(), &finished, indices.data(),
                  MPI_STATUSES_IGNORE);
    if (finished == MPI_UNDEFINED) return true;
    const auto waited = Clock::now() - begin;
    if (!warned && waited > std::min<Clock::duration>(kFirstWarning, patience)) {
      warned = true;
      announce(advice(describe(requests)));
    }
    if (waited > patience + kTimeToBeRead) return false;
    backoff.pause();
  }
}

}  // namespace

bool everybody_has_weft(int patience_seconds) {
  int rank = 0, size = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto patience = std::chrono::seconds(patience_seconds);
  std::vector<MPI_Request> requests(rank == 0 ? static_cast<std::size_t>(size) - 1 : 1, MPI_REQUEST_NULL);
  bool complete = true;
  if (rank == 0) {
    for (int peer = 1; peer < size; ++peer)
      PMPI_Irecv(nullptr, 0, MPI_BYTE, peer, kHandshakeTag, MPI_COMM_WORLD,
                 &requests[static_cast<std::size_t>(peer) - 1]);
    complete = wait_patiently(requests, patience, missing_ranks);
    for (int peer = 1; peer < size && complete; ++peer)
      PMPI_Send(nullptr, 0, MPI_BYTE, peer, kHandshakeTag, MPI_COMM_WORLD);
  } else {
    PMPI_Send(nullptr, 0, MPI_BYTE, 0, kHandshakeTag, MPI_COMM_WORLD);
    PMPI_Irecv(nullptr, 0, MPI_BYTE, 0, kHandshakeTag, MPI_COMM_WORLD, &requests[0]);
    // The others wait longer than rank 0, so that its message, which names the missing ranks, comes first.
    complete = wait_patiently(requests, patience + std::min<std::chrono::seconds>(patience, kFirstWarning),
                              [](const auto&) { return std::string("rank 0's answer"); });
  }
  if (!complete) PMPI_Abort(MPI_COMM_WORLD, 2);
  return complete;
}

}  // namespace weft::mpi
