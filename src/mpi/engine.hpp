// SPDX-License-Identifier: BSD-3-Clause
// Engine: what this process's Weft is, between MPI_Init and MPI_Finalize.
#pragma once

#include <mpi.h>

#include <atomic>
#include <vector>

#include "base/config.hpp"
#include "mpi/flight.hpp"
#include "mpi/progress.hpp"

namespace weft::mpi {

struct Engine {
  // Set by after_init, constant until before_finalize.
  std::atomic<bool> active{false};  // Weft executes calls
  bool joined = false;              // all ranks have Weft; counters can be summed
  bool threaded = false;            // MPI_THREAD_MULTIPLE
  bool hooked = false;              // the host's progress calls ours
  MPI_Comm transport_comm = MPI_COMM_NULL;
  int ordinal_bits = 0;
  Settings settings;

  // Under the lock.
  TryLock lock;
  std::vector<Flight*> flights;  // running ones
  std::vector<MPI_Datatype> types_to_free;
  std::vector<MPI_Op> ops_to_free;
};

Engine& engine();

// Starts a flight whose binding is complete; the caller holds the lock. It may finish inside.
void launch(Flight& flight);

}  // namespace weft::mpi
