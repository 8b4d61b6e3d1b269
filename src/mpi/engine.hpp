// SPDX-License-Identifier: BSD-3-Clause
// Engine: what this process's Weft is, between MPI_Init and MPI_Finalize.
#pragma once

#include <atomic>
#include <mpi.h>
#include <utility>
#include <vector>

#include "base/config.hpp"
#include "mpi/flight.hpp"
#include "mpi/handle.hpp"
#include "mpi/progress.hpp"

namespace weft::mpi {

// What must not happen under the engine's lock, because it may run the program's own callbacks.
struct Errands {
  std::vector<MPI_Datatype> types_to_free;
  std::vector<MPI_Op> ops_to_free;
  std::vector<std::pair<MPI_Comm, int>> errors;  // for the communicator's error handler

  bool none() const { return types_to_free.empty() && ops_to_free.empty() && errors.empty(); }
};

struct Engine {
  // Set by after_init, constant until Weft ends.
  std::atomic<bool> active{false};  // Weft executes calls
  bool joined = false;              // all ranks have Weft; counters can be summed
  bool hooked = false;              // the host's progress calls ours
  MPI_Comm transport_comm = MPI_COMM_NULL;
  int world_rank = 0;
  int ordinal_bits = 0;
  Settings settings;

  // Under the lock.
  TryLock lock;
  std::vector<Flight*> flights;                 // unfinished ones
  std::vector<Flight*> running;                 // those of them that have a slot
  HandleTable<MPI_Request, Flight, 8> lasting;  // by their persistent request, whether started or not
  Errands errands;
};

// Never destroyed: destructors of the program's own static objects may still call MPI.
union Everlasting {
  Everlasting() : engine() {}
  ~Everlasting() {}
  Engine engine;
};
inline Everlasting everlasting;
inline Engine& engine() { return everlasting.engine; }

// Gives the lock back and then runs the errands that came up under it.
void leave_with_errands();
inline void leave_engine() {
  if (engine().errands.none()) return engine().lock.unlock();
  leave_with_errands();
}

class InEngine {
 public:
  InEngine() { engine().lock.lock(); }
  ~InEngine() { leave_engine(); }
  InEngine(const InEngine&) = delete;
};

// Starts a flight whose binding is complete; the caller holds the lock. It may finish inside.
void launch(Flight& flight);

// The communicator's error handler is called as soon as the lock is given back, which the caller holds.
void raise_later(const Communicator& communicator, int error);

// Ends all operations of the communicator with an error, without waiting for their other members. The caller
// holds the lock.
void fail_operations(Communicator& communicator, int error);

// When Weft ends: what will never complete is not moved any more.
void abandon_operations();

}  // namespace weft::mpi
