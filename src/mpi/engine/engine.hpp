// SPDX-License-Identifier: BSD-3-Clause
// Engine: what this process's Weft is, between MPI_Init and MPI_Finalize.
#pragma once

#include <atomic>
#include <cstdint>
#include <mpi.h>
#include <utility>
#include <vector>

#include "base/config.hpp"
#include "mpi/engine/tags.hpp"
#include "mpi/host/handle.hpp"
#include "mpi/host/progress.hpp"

namespace weft::mpi {

struct Flight;

// What is done as soon as the engine's lock is given back, because it may run the program's own callbacks.
struct Deferred {
  std::vector<MPI_Datatype> types_to_free;
  std::vector<MPI_Op> ops_to_free;
  std::vector<std::pair<MPI_Comm, int>> errors;  // for the communicator's error handler

  bool none() const { return types_to_free.empty() && ops_to_free.empty() && errors.empty(); }
};

struct Engine {
  // Set when MPI_Init is over, and constant until Weft ends.
  std::atomic<bool> active{false};           // Weft executes calls
  bool joined = false;                       // all ranks have Weft; counters can be summed
  bool hooked = false;                       // the host's progress calls ours
  bool has_wire = false;                     // there is an agent, and a wire
  bool wants_statistics = false;             // rank 0 writes them to a file in the end
  std::atomic<bool> is_finalizing{false};    // this rank waits for its last operations
  MPI_Comm transport_comm = MPI_COMM_NULL;   // messages travel on it,
  MPI_Comm persistent_comm = MPI_COMM_NULL;  // messages of persistent operations travel on it
  Tags tags;
  int world_rank = 0;
  Settings settings;

  // Used under the lock.
  YieldingLock lock;
  std::uint64_t tenure = 0;                        // how often the lock was given back
  std::vector<Flight*> flights;                    // unfinished ones
  std::vector<Flight*> running;                    // those that have been started
  int with_agent = 0;                              // of the unfinished ones
  HandleTable<MPI_Request, Flight, 8> persistent;  // by their persistent request, whether started or not
  Deferred deferred;
  std::vector<void (*)()> also_moved;  // by each progress of the operations: what waits for others as they do
};

// Never destroyed: destructors of the program's own static objects may still call MPI.
union Everlasting {
  Everlasting() : engine() {}
  ~Everlasting() {}
  Engine engine;
};
inline Everlasting everlasting;
inline Engine& engine() { return everlasting.engine; }

// Gives the lock back and then does what was deferred under it.
void leave_and_do_deferred();
inline void leave_engine() {
  ++engine().tenure;
  if (engine().deferred.none()) return engine().lock.unlock();
  leave_and_do_deferred();
}

class InEngine {
 public:
  InEngine() { engine().lock.lock(); }
  ~InEngine() { leave_engine(); }
  InEngine(const InEngine&) = delete;
};

}  // namespace weft::mpi
