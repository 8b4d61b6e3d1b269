// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi_point_to_point.hpp"

#include <algorithm>

#include "transport/counted_bytes.hpp"

namespace weft {
namespace {

constexpr Bytes kShort{1 << 10};

}  // namespace

std::vector<int> MpiPointToPoint::Pending::partners(const Schedule& schedule) const {
  std::vector<int> ranks;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i)
    ranks.push_back(schedule.tasks[tasks_[i].value].peer);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

Progress MpiPointToPoint::started(Pending& pending, TaskId id, int code) {
  if (code != MPI_SUCCESS) {
    pending.note(code);
    return Progress::kDone;
  }
  pending.tasks_[static_cast<std::size_t>(pending.count_++)] = id;
  return Progress::kPending;
}

Progress MpiPointToPoint::send(Pending& pending, TaskId id, Channel channel, const Task& task,
                               const void* from) {
  MPI_Request* request = &pending.requests_[static_cast<std::size_t>(pending.count_)];
  const CountedBytes message(task.size, MPI_BYTE);
  int code = message.code();
  if (code == MPI_SUCCESS)
    code = PMPI_Isend(from, message.count(), message.type(), address(task.peer).world_rank,
                      tag(task.peer, channel, task), comm_, request);
  // A short message has usually left by now, and then only what is still to come has to be looked at.
  int complete = 0;
  if (code == MPI_SUCCESS && task.size <= kShort) code = PMPI_Test(request, &complete, MPI_STATUS_IGNORE);
  return complete ? Progress::kDone : started(pending, id, code);
}

Progress MpiPointToPoint::recv(Pending& pending, TaskId id, Channel channel, const Task& task, void* into) {
  MPI_Request* request = &pending.requests_[static_cast<std::size_t>(pending.count_)];
  const CountedBytes message(task.size, MPI_BYTE);
  int code = message.code();
  if (code == MPI_SUCCESS)
    code = PMPI_Irecv(into, message.count(), message.type(), address(task.peer).world_rank,
                      tag(self_, channel, task), comm_, request);
  return started(pending, id, code);
}

int MpiPointToPoint::poll(Pending& pending, std::span<TaskId> done) {
  if (pending.count_ == 0) return 0;
  return pending.count_ == 1 ? test_one(pending, done) : test_some(pending, done);
}

// MPI_Test looks again after it has driven the host, which Open MPI's MPI_Testsome does not.
int MpiPointToPoint::test_one(Pending& pending, std::span<TaskId> done) {
  int complete = 0;
  const int code = PMPI_Test(pending.requests_.data(), &complete, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) pending.note(code);
  if (!complete && code == MPI_SUCCESS) return 0;
  done[0] = pending.remove(0);
  return 1;
}

int MpiPointToPoint::test_some(Pending& pending, std::span<TaskId> done) {
  int finished = 0;
  const int code = PMPI_Testsome(pending.count_, pending.requests_.data(), &finished, pending.indices_.data(),
                                 pending.statuses_.data());
  if (finished <= 0) {
    if (code == MPI_SUCCESS) return 0;
    pending.note(code);
    return -1;
  }
  const auto indices = std::span(pending.indices_).first(static_cast<std::size_t>(finished));
  if (code != MPI_SUCCESS)
    for (const MPI_Status& status : std::span(pending.statuses_).first(indices.size()))
      if (status.MPI_ERROR != MPI_SUCCESS && status.MPI_ERROR != MPI_ERR_PENDING)
        pending.note(status.MPI_ERROR);
  // Completed messages are removed from the back, so that what fills a gap is never itself one that has to
  // go.
  std::sort(indices.begin(), indices.end(), std::greater<>());
  for (std::size_t i = 0; i < indices.size(); ++i) done[i] = pending.remove(indices[i]);
  return finished;
}

TaskId MpiPointToPoint::Pending::remove(int at) {
  const auto gap = static_cast<std::size_t>(at), last = static_cast<std::size_t>(--count_);
  const TaskId task = tasks_[gap];
  requests_[gap] = requests_[last];
  tasks_[gap] = tasks_[last];
  return task;
}

}  // namespace weft
