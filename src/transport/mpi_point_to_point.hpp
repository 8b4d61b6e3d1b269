// SPDX-License-Identifier: BSD-3-Clause
// MPI point-to-point as a transport: messages between the members of one communicator over one private
// duplicate of MPI_COMM_WORLD that all communicators share.
//
// A message that fails ends its task all the same, and the operation remembers the first error: the schedule
// runs to its end, so that partners do not wait for ever and no stray message meets the next operation.
//
// One duplicate for all, because communicators are scarce (MPICH has 2,048 at a time) and making one is a
// collective: which communicator, which of its operations and which message of the pair stand in the tag.
//
//   tag = | communicator id | slot | ordinal |          bits: 11, 4, and what the host's MPI_TAG_UB leaves
#pragma once

#include <cstddef>
#include <mpi.h>
#include <span>
#include <vector>

#include "transport/transport.hpp"

namespace weft {

// The channel of this transport: everything in the tag but the ordinal.
inline constexpr int kCommunicatorIdBits = 11;
inline constexpr int kSlotBits = 4;
inline constexpr int kLeastOrdinalBits = 13;

class MpiPointToPoint {
 public:
  // `world_rank` maps a rank of the call to one of `comm`; empty means the same numbers.
  MpiPointToPoint(MPI_Comm comm, int ordinal_bits, std::span<const int> world_rank)
      : comm_(comm), ordinal_bits_(ordinal_bits), world_rank_(world_rank) {}

  class Pending {
   public:
    explicit Pending(const Schedule& schedule) : Pending(message_count(schedule)) {}
    void restart() { error_ = MPI_SUCCESS; }
    int error() const { return error_; }  // the first of the operation
    bool has_messages() const { return count_ > 0; }

   private:
    friend class MpiPointToPoint;
    explicit Pending(std::size_t capacity)
        : requests_(capacity), tasks_(capacity), indices_(capacity), statuses_(capacity) {}
    TaskId remove(int at);
    void note(int code) {
      if (error_ == MPI_SUCCESS) error_ = code;
    }

    std::vector<MPI_Request> requests_;
    std::vector<TaskId> tasks_;
    std::vector<int> indices_;  // room for MPI_Testsome's answer
    std::vector<MPI_Status> statuses_;
    int count_ = 0;
    int error_ = MPI_SUCCESS;
  };

  Progress send(Pending& pending, TaskId id, Channel channel, const Task& task, const void* from);
  Progress recv(Pending& pending, TaskId id, Channel channel, const Task& task, void* into);
  int poll(Pending& pending, std::span<TaskId> done);

 private:
  int tag(Channel channel, const Task& task) const {
    return static_cast<int>((channel << ordinal_bits_) | task.ordinal);
  }
  int peer(const Task& task) const {
    return world_rank_.empty() ? task.peer : world_rank_[static_cast<std::size_t>(task.peer)];
  }
  static Progress started(Pending& pending, TaskId id, int code);
  static int test_one(Pending& pending, std::span<TaskId> done);
  static int test_some(Pending& pending, std::span<TaskId> done);

  MPI_Comm comm_;
  int ordinal_bits_;
  std::span<const int> world_rank_;
};

}  // namespace weft
