// SPDX-License-Identifier: BSD-3-Clause
// Backoff: what a wait does between its looks. It spins briefly, then gives its core away: that costs nothing
// with a core per rank, and saves everything with fewer cores.
//
//   ranks > processors     the core goes to a rank that does its turn and gives it back, within microseconds
//   ranks <= processors    nobody of this job needs it. Whoever takes it and keeps it for a whole time slice
//   is
//                          another program: then waits keep their core for a while, as the host's do
#pragma once

#include <mpi.h>

namespace weft::mpi {

// More ranks on this machine than processors that they may use. Taken for granted until MPI_Init knows.
inline bool crowded = true;

// Collective over the ranks of one machine.
void find_out_whether_crowded(MPI_Comm machine);

void give_core_away();

inline constexpr int kSpins = 50;

class Backoff {
 public:
  void pause() {
    if (++spins_ > kSpins) give_core_away();
  }
  bool yields() const { return spins_ > kSpins; }

 private:
  int spins_ = 0;
};

}  // namespace weft::mpi
