// SPDX-License-Identifier: BSD-3-Clause
// Introductions: what the members of a new communicator tell one another, once: all that each has to know of
// the others (drop_in rule 4). Nobody waits for anything but what the others tell, so that any number of
// threads may construct communicators at the same time.
#pragma once

#include <memory>
#include <mpi.h>
#include <vector>

#include "mpi/communicator/hints.hpp"
#include "mpi/communicator/introduction.hpp"

namespace weft::mpi {

struct Arguments;

// Takes a number for a new communicator, but no memory yet. The caller holds the engine's lock, for the next
// two as well.
Introduction introduce_myself(const Hints& hints);
// Gives number and memory back, where Weft does not serve the communicator after all.
void withdraw(const Introduction& mine);
// The number may be used again: no operation of this process uses it any more.
void give_back_id(int id);

// One round of introductions: what each member of a communicator told. The members are these ranks of the
// world.
class Introductions {
 public:
  Introductions(std::vector<int> world_ranks, const Introduction& mine);
  ~Introductions();
  Introductions(const Introductions&) = delete;

  // By one allgather. On the new communicator it is the host's.
  void tell_by_host(MPI_Comm comm);
  // For a duplicate that the host is still making it is Weft's, on the parent, which `start` starts: there
  // Open MPI starts collectives of its own at any time, so that the host's allgather might come before them
  // on one rank and behind them on another. The host's, if `start` returns false.
  using Start = bool(const Arguments& allgather, MPI_Request* request, int* code);
  void tell_by_weft(MPI_Comm parent, Start* start);

  // are_over() looks once; wait() returns when all have told, or a member has ended without telling.
  bool are_over();
  void wait();
  // When they are over, what each member told, by rank; empty if some have not.
  std::vector<const Introduction*> told() const;
  const Introduction& mine() const { return letters_->mine; }
  const std::vector<int>& world_ranks() const { return world_ranks_; }

 private:
  struct Letters {
    Introduction mine;
    std::vector<Introduction> all;
  };
  std::vector<int> world_ranks_;
  std::unique_ptr<Letters> letters_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  int code_ = MPI_SUCCESS;
};

}  // namespace weft::mpi
