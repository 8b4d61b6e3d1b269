// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi_point_to_point.hpp"

#include <algorithm>

namespace weft {

Progress MpiPointToPoint::started(Pending& pending, TaskId id, int code) {
  if (code != MPI_SUCCESS) {
    error_ = code;
    return Progress::kFailed;
  }
  pending.tasks_[static_cast<std::size_t>(pending.count_++)] = id;
  return Progress::kPending;
}

Progress MpiPointToPoint::send(Pending& pending, TaskId id, Channel channel, const Task& task, const void* from) {
  MPI_Request* request = &pending.requests_[static_cast<std::size_t>(pending.count_)];
  return started(pending, id, PMPI_Isend(from, static_cast<int>(task.size.value), MPI_BYTE, peer(task),
                                         tag(channel, task), comm_, request));
}

Progress MpiPointToPoint::recv(Pending& pending, TaskId id, Channel channel, const Task& task, void* into) {
  MPI_Request* request = &pending.requests_[static_cast<std::size_t>(pending.count_)];
  return started(pending, id, PMPI_Irecv(into, static_cast<int>(task.size.value), MPI_BYTE, peer(task),
                                         tag(channel, task), comm_, request));
}

int MpiPointToPoint::poll(Pending& pending, std::span<TaskId> done) {
  if (pending.count_ == 0) return 0;
  int finished = 0;
  error_ = PMPI_Testsome(pending.count_, pending.requests_.data(), &finished, pending.indices_.data(),
                         MPI_STATUSES_IGNORE);
  if (error_ != MPI_SUCCESS) return -1;
  if (finished <= 0) return 0;
  const auto indices = std::span(pending.indices_).first(static_cast<std::size_t>(finished));
  for (std::size_t i = 0; i < indices.size(); ++i) done[i] = pending.tasks_[static_cast<std::size_t>(indices[i])];
  // Close the gaps from the back, so that the last entry is never one that has to go.
  std::sort(indices.begin(), indices.end(), std::greater<>());
  for (const int gap : indices) {
    const auto last = static_cast<std::size_t>(--pending.count_);
    pending.requests_[static_cast<std::size_t>(gap)] = pending.requests_[last];
    pending.tasks_[static_cast<std::size_t>(gap)] = pending.tasks_[last];
  }
  return finished;
}

}  // namespace weft
