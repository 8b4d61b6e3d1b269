// SPDX-License-Identifier: BSD-3-Clause
// Flight: a call of the program's on its way through the engine: an operation
// (executor/processor/operation.hpp) with its request, what the host does for it, and its places in queues
// and shared memory. It belongs to its plan and is used again by later calls of the same shape; MPI requests
// only point to it.
//
//   idle -> under way (maybe queued at first) -> over -> idle once its request, if any, is freed
//
// Its memory for packing stays for the next call, but large memory only within a budget of the process: a
// program with large arrays of ever new sizes must not keep all of it. Scratch comes from where all flights
// take it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <span>

#include "executor/processor/operation.hpp"
#include "mpi/flight/transport.hpp"

namespace weft {
class PlainMemory;
class SizedSchedule;
struct NearerPlace;
namespace device {
class Work;
}
}  // namespace weft

namespace weft::mpi {

struct HostWork;
struct Traffic;

enum class Phase : std::uint8_t {
  kOver,      // not begun, or over: an operation that ends inside its start is never in another phase
  kQueued,    // until there is room for it
  kUnderWay,  //
  kAbandoned  // failed, and left messages behind that never end: it is not used again
};

enum class Form : std::uint8_t { kBlocking, kNonblocking, kPersistent };

// What only a persistent operation has: a request that stays, and a berth in the node's memory.
struct Persistence {
  int number = -1;                    // among those of its communicator
  int tag = -1;                       // of the message that completes the request
  bool ends_by_message = false;       // whether the end of the operation sends that message
  bool is_inactive = false;           // the request surely is
  std::unique_ptr<node::Port> berth;  // null: its steps need no memory
};

struct Flight {
  // `schedule` outlives it. `for_class`: it takes calls of other sizes, too.
  Flight(const Schedule& schedule, std::span<const NearerPlace> nearer, bool for_class, bool sends_messages,
         bool on_one_node);
  ~Flight();

  bool is_idle() const {
    return phase.load(std::memory_order_relaxed) == Phase::kOver &&
           !request_alive.load(std::memory_order_acquire);
  }
  // Whoever waits asks this without the engine's lock.
  bool has_ended() const {
    const Phase now = phase.load(std::memory_order_acquire);
    return now == Phase::kOver || now == Phase::kAbandoned;
  }
  bool is_abandoned() const { return phase.load(std::memory_order_relaxed) == Phase::kAbandoned; }

  bool has_request() const { return form != Form::kBlocking; }
  // A persistent operation has a channel and a berth in the node's memory of its own; all others take turns.
  bool is_persistent() const { return form == Form::kPersistent; }
  // Whether other ranks are asked for their calls, rather than told through memory.
  bool asks_by_message() const { return !tells_call && !is_persistent(); }
  // Whether it needs a channel of the host's messages. What goes over the wire alone needs none: operations
  // have numbers there.
  bool takes_channel() const { return sends_messages && !is_persistent() && (!takes_wire || is_mixed); }

  // The next call has blocks of so many bytes. For one size there is nothing to do.
  void take_size(Bytes bytes) {
    if (sized_ != nullptr && operation.schedule().call.bytes != bytes) resize_schedule(bytes);
  }
  // The next call has these parcels. For one list of them there is nothing to do. `number`, where it is not
  // 0, is the list's, and no other has it.
  void take_parcels(const Parcels& parcels, std::uint64_t number) {
    if (sized_ == nullptr) return;
    const bool are_its_own =
        number != 0 ? number == number_of_parcels_ : operation.schedule().parcels == parcels;
    if (are_its_own) return;
    resize_schedule(parcels);
    number_of_parcels_ = number;
  }

  // From now on the operation has such work, which is empty.
  HostWork& take_host_work();
  // From now on it has none: its schedule works on the caller's buffers, as their addresses say.
  void forget_host_work() {
    if (host_work != nullptr) end_host_work();
  }
  // Before the operation: what the host has to copy. An MPI error code.
  int fill();

  // Before the operation starts and at its end. A persistent one keeps its copies of buffers for the next
  // start.
  void take_memory() {
    if (operation.scratch_bytes() > kSmallScratch) take_large_scratch();
  }
  void give_back_memory() {
    if (scratch_ != nullptr || (host_work != nullptr && !is_persistent())) give_back_large_memory();
  }

 private:
  std::unique_ptr<SizedSchedule> sized_;  // to the sizes of this call; null: all calls have the same
  std::uint64_t number_of_parcels_ = 0;   // see take_parcels

 public:
  Operation<HostTransport> operation;  // of the sized schedule, if there is one
  Binding& binding = operation.binding();
  const bool sends_messages;  // some rank does
  const bool has_messages;    // this rank does
  const bool needs_node;      // shared memory
  const bool tells_call;      // to the other ranks, all on this node and with calls of this length
  const bool only_copies_input, only_copies_output;

  Traffic* traffic = nullptr;     // of its communicator
  Form form = Form::kBlocking;    // of the call that it belongs to
  HostWork* host_work = nullptr;  // null: the call needs none
  MPI_Request request = MPI_REQUEST_NULL;
  Persistence persistence;
  std::atomic<Phase> phase{Phase::kOver};  // changed under the engine's lock
  std::atomic<bool> request_alive{false};  // cleared by the host when it frees the request
  int error = MPI_SUCCESS;
  int error_of_request = MPI_SUCCESS;  // what completing the request says of `error`

  std::uint32_t channel = 0;                 // of the host's messages, if it takes one
  node::Port* port = nullptr;                // to the area in the node's memory
  node::Turn turn;                           // the operation's place in the area's sequence
  bool goes_with_agent = false;              // see with_agent.hpp,
  bool takes_wire = false;                   // since some ranks' messages go over the wire, or in memory;
  bool is_mixed = false;                     // on the wire, others' messages are the host's;
  bool is_agents = false;                    // the agent has this
  std::unique_ptr<device::Work> work;        // to do;
  bool sleeps = false;                       // others of the node are to wake it
  std::uint64_t call = 0;                    // its number among those told, or recorded; 0: it has none
  unsigned looks = 0;                        // at ranks that may have ended, since it joined those under way
  std::size_t place = 0, running_place = 0;  // in the engine's lists
  Flight* next_queued = nullptr;             // behind it in its FlightQueue

 private:
  static constexpr std::size_t kSmallScratch = 4096;  // stays with the operation

  void resize_schedule(Bytes bytes);
  void resize_schedule(const Parcels& parcels);
  void end_host_work();
  void take_large_scratch();
  void give_back_large_memory();

  std::unique_ptr<PlainMemory> scratch_;  // while it is under way, if that is much
  std::unique_ptr<HostWork> kept_host_work_;
  std::size_t kept_bytes_ = 0;  // as a part of the budget for large memory
};

}  // namespace weft::mpi
