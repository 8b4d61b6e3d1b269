// SPDX-License-Identifier: BSD-3-Clause
// MPI point-to-point as a transport: messages between the members of one communicator over one private
// duplicate of MPI_COMM_WORLD that all communicators share.
//
// A message that fails ends its task all the same, and the operation remembers the first error: the schedule
// runs to its end, so that partners do not wait for ever and no stray message meets the next operation.
//
// One duplicate for all, because communicators are scarce (MPICH has 2,048 at a time) and making one is a
// collective: which communicator, which of its operations and which message of the pair stand in the tag.
// Each receiver has tags of its own for a communicator, which all who send to it know.
//
//   tag = the receiver's first one for this communicator + | channel | ordinal |
#pragma once

#include <cstddef>
#include <mpi.h>
#include <span>
#include <vector>

#include "transport/transport.hpp"

namespace weft {

// Per rank of a call: where it is in the transport's communicator, and its first tag.
struct Address {
  int world_rank = 0;
  int first_tag = 0;
};

class MpiPointToPoint {
 public:
  // The addresses of all ranks, of which `self` is this one, outlive the transport.
  MpiPointToPoint(MPI_Comm comm, int ordinal_bits, std::span<const Address> addresses, int self)
      : comm_(comm), ordinal_bits_(ordinal_bits), addresses_(addresses), self_(self) {}

  class Pending {
   public:
    explicit Pending(const Schedule& schedule) : Pending(message_count(schedule)) {}
    void restart() { error_ = MPI_SUCCESS; }
    int error() const { return error_; }  // the first of the operation
    bool has_messages() const { return count_ > 0; }
    // The ranks whose part in a message under way is still to come, each once.
    std::vector<int> partners(const Schedule& schedule) const;

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
  const Address& address(int rank) const { return addresses_[static_cast<std::size_t>(rank)]; }
  int tag(int receiver, Channel channel, const Task& task) const {
    return address(receiver).first_tag + static_cast<int>((channel << ordinal_bits_) | task.ordinal);
  }
  static Progress started(Pending& pending, TaskId id, int code);
  static int test_one(Pending& pending, std::span<TaskId> done);
  static int test_some(Pending& pending, std::span<TaskId> done);

  MPI_Comm comm_;
  int ordinal_bits_;
  std::span<const Address> addresses_;
  int self_;
};

}  // namespace weft
