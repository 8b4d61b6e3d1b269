// SPDX-License-Identifier: BSD-3-Clause
// How the ranks agree that the input is bad.
//
// A rank that finds something wrong must not leave alone: the others would wait for it for ever. So work that
// may fail on some ranks runs inside `together`, after which either all ranks go on or all throw the same
// message.
#pragma once

#include <array>
#include <functional>
#include <mpi.h>
#include <stdexcept>
#include <string>

namespace app {

/// Something the user can repair; `what()` says what, where and what to do. The program ends with code 2.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline bool is_rank_0(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank == 0;
}

/// Runs `work`, which must not communicate. If it throws BadInput on any rank, every rank throws the message
/// of the lowest such rank. Collective.
void together(MPI_Comm communicator, const std::function<void()>& work);

/// Gives what all ranks have written as `part` its name, or removes it and throws BadInput where it is not
/// all there. The same `written` on all ranks. Collective.
void keep_checkpoint(const std::string& file, const std::string& part, bool written, MPI_Comm communicator);

/// Throws BadInput where the process grid of `-P` has not as many places as there are ranks.
void require_places(const std::array<int, 3>& process_grid, int rank_count);

}  // namespace app
