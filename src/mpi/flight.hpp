// SPDX-License-Identifier: BSD-3-Clause
// Flight: one collective operation of this process between its start and its end, with all that it needs.
// It belongs to its plan and is used again by later calls of the same shape; MPI requests only point to it.
//
//   idle -> under way (maybe queued for a slot at first) -> over -> idle once its request, if any, is freed
//
// Its memory stays for the next call, but large memory only within a budget of the process: a program that
// reduces large arrays of ever new sizes must not keep all of their scratch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mpi.h>

#include "executor/host/operation.hpp"
#include "mpi/reduction.hpp"
#include "mpi/staging.hpp"
#include "node/over_node.hpp"
#include "transport/mpi_point_to_point.hpp"

namespace weft::mpi {

struct Communicator;

using HostTransport = node::OverNode<MpiPointToPoint>;

enum class Phase : std::uint8_t {
  kOver,      // or not begun: what ends inside its start is never in another phase
  kQueued,    // until there is room for it
  kUnderWay,  //
  kAbandoned  // failed, and left messages behind that never end: it is not used again
};

struct Flight {
  Flight(const Schedule& schedule, bool sends_messages)
      : operation(schedule),
        needs_slot(sends_messages),
        needs_node(!operation.pending().steps().none()),
        only_copies_input(only_copies(schedule, kInput)),
        only_copies_output(only_copies(schedule, kOutput)) {}
  ~Flight();

  // What is staged, before an operation; an MPI error code.
  int fill() {
    const int code = input.fill();
    return code == MPI_SUCCESS ? output.fill() : code;
  }
  bool is_idle() const {
    return phase.load(std::memory_order_relaxed) == Phase::kOver &&
           !request_alive.load(std::memory_order_acquire);
  }
  // Read by waiters without the engine's lock.
  bool has_ended() const {
    const Phase now = phase.load(std::memory_order_acquire);
    return now == Phase::kOver || now == Phase::kAbandoned;
  }
  bool is_abandoned() const { return phase.load(std::memory_order_relaxed) == Phase::kAbandoned; }
  // At the end of an operation.
  void give_back_memory() {
    if (!is_lasting() && (holds_handles || operation.scratch_bytes() > 0)) give_back_large_memory();
  }
  void forget_handles();

  Operation<HostTransport> operation;
  Binding& binding = operation.binding();
  const bool needs_slot;  // of the message tags: some rank sends messages
  const bool needs_node;  // shared memory
  const bool only_copies_input, only_copies_output;
  Reduction reduction;
  Staging input, output;
  bool holds_handles = false;  // in these three
  Communicator* communicator = nullptr;
  MPI_Request request = MPI_REQUEST_NULL;
  bool has_request = false;
  int lasting_tag = -1;                    // of a persistent operation's request; -1: no such
  bool ends_by_message = false;            // which completes that request: unless MPI_Wait does
  bool is_inactive = false;                // that request, surely: new, or taken back by MPI_Wait
  std::atomic<Phase> phase{Phase::kOver};  // changed under the engine's lock
  std::atomic<bool> request_alive{false};  // cleared by the host when it frees the request
  int error = MPI_SUCCESS;
  int error_of_request = MPI_SUCCESS;        // what completing the request says of `error`
  std::uint32_t slot = 0;                    // of the message tags
  node::Port* port = nullptr;                // in the node's memory: its area,
  node::Turn turn;                           // and its place in the sequence there
  std::size_t place = 0, running_place = 0;  // in the engine's lists
  Flight* next_queued = nullptr;             // behind it in its FlightQueue

 private:
  // Its copies are what a persistent operation is bound to: they stay for the next start.
  bool is_lasting() const { return has_request && lasting_tag >= 0; }
  void give_back_large_memory();

  std::size_t kept_bytes_ = 0;  // of the budget for large memory
};

// First in, first out.
struct FlightQueue {
  Flight* first = nullptr;
  Flight* last = nullptr;

  void push(Flight& flight) {
    flight.next_queued = nullptr;
    (first == nullptr ? first : last->next_queued) = &flight;
    last = &flight;
  }
  void pop() { first = first->next_queued; }
};

}  // namespace weft::mpi
