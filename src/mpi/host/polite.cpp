// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/host/polite.hpp"

#include <algorithm>

#include "mpi/host/progress.hpp"

namespace weft::mpi::polite {
namespace {

constexpr int kTag = 0;

int count_of(std::size_t bytes) { return static_cast<int>(bytes); }

void wait_for_one(MPI_Request request) { wait({&request, 1}); }

}  // namespace

void wait(std::span<MPI_Request> requests) {
  Backoff backoff;
  for (int done = 0;;) {
    PMPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) return;
    backoff.pause();
  }
}

MPI_Comm duplicate(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Comm_idup(comm, &copy, &request) != MPI_SUCCESS) return MPI_COMM_NULL;
  wait_for_one(request);
  return copy;
}

void broadcast(void* data, std::size_t bytes, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibcast(data, count_of(bytes), MPI_BYTE, 0, comm, &request);
  wait_for_one(request);
}

bool is_anywhere(bool here, MPI_Comm comm) {
  const int mine = here ? 1 : 0;
  int most = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iallreduce(&mine, &most, 1, MPI_INT, MPI_MAX, comm, &request);
  wait_for_one(request);
  return most != 0;
}

void join_bits(std::span<std::uint32_t> words, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iallreduce(MPI_IN_PLACE, words.data(), count_of(words.size()), MPI_UINT32_T, MPI_BOR, comm, &request);
  wait_for_one(request);
}

void bytes::allgather(const void* mine, std::size_t bytes, void* all, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iallgather(mine, count_of(bytes), MPI_BYTE, all, count_of(bytes), MPI_BYTE, comm, &request);
  wait_for_one(request);
}

Circle::Circle(MPI_Comm comm, std::span<const int> ranks) : comm_(comm), ranks_(ranks) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  self_ = static_cast<std::size_t>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

void Circle::gather_bytes(const void* mine, std::size_t bytes, void* all) const {
  std::vector<MPI_Request> requests(is_first() ? ranks_.size() : 1, MPI_REQUEST_NULL);
  if (!is_first())
    PMPI_Isend(mine, count_of(bytes), MPI_BYTE, ranks_.front(), kTag, comm_, &requests.front());
  for (std::size_t who = 1; is_first() && who < ranks_.size(); ++who)
    PMPI_Irecv(static_cast<std::byte*>(all) + who * bytes, count_of(bytes), MPI_BYTE, ranks_[who], kTag,
               comm_, &requests[who]);
  wait(requests);
}

void Circle::scatter_bytes(const void* all, std::size_t bytes, void* mine) const {
  std::vector<MPI_Request> requests(is_first() ? ranks_.size() : 1, MPI_REQUEST_NULL);
  if (!is_first())
    PMPI_Irecv(mine, count_of(bytes), MPI_BYTE, ranks_.front(), kTag, comm_, &requests.front());
  for (std::size_t who = 1; is_first() && who < ranks_.size(); ++who)
    PMPI_Isend(static_cast<const std::byte*>(all) + who * bytes, count_of(bytes), MPI_BYTE, ranks_[who], kTag,
               comm_, &requests[who]);
  wait(requests);
}

}  // namespace weft::mpi::polite
