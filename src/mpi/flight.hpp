// SPDX-License-Identifier: BSD-3-Clause
// Flight: a call of the program's on its way through the engine: an operation
// (executor/processor/operation.hpp) with its request, its copies of the caller's buffers, and its places in
// queues and shared memory. It belongs to its plan and is used again by later calls of the same shape; MPI
// requests only point to it.
//
//   idle -> under way (maybe queued for a slot at first) -> over -> idle once its request, if any, is freed
//
// Its memory stays for the next call, but large memory only within a budget of the process: a program that
// reduces large arrays of ever new sizes must not keep all of their scratch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mpi.h>

#include "executor/processor/operation.hpp"
#include "mpi/own_block.hpp"
#include "mpi/reduction.hpp"
#include "mpi/staging.hpp"
#include "node/over_node.hpp"
#include "transport/mpi_point_to_point.hpp"

namespace weft::mpi {

struct Communicator;

using HostTransport = node::OverNode<MpiPointToPoint>;

enum class Phase : std::uint8_t {
  kOver,      // not begun, or over: an operation that ends inside its start is never in another phase
  kQueued,    // until there is room for it
  kUnderWay,  //
  kAbandoned  // failed, and left messages behind that never end: it is not used again
};

enum class Form : std::uint8_t { kBlocking, kNonblocking, kPersistent };

struct Flight {
  Flight(const Schedule& schedule, bool sends_messages, bool on_one_node)
      : operation(schedule),
        sends_messages(sends_messages),
        needs_node(!operation.pending().steps().none()),
        tells_call(on_one_node && !has_parcels(schedule.call.collective)),
        only_copies_input(only_copies(schedule, kInput)),
        only_copies_output(only_copies(schedule, kOutput)) {}
  ~Flight();

  // Before the operation: copies the own block, if the host copies that apart, and what is staged. Returns an
  // MPI error code, but not the own block's, which is kept for the end, since other ranks wait for this one.
  int fill() {
    error_of_own_block = own_block.in_use() ? own_block.copy() : MPI_SUCCESS;
    const int code = input.fill();
    return code == MPI_SUCCESS ? output.fill() : code;
  }
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
  // At the end of an operation. A persistent one keeps its copies of buffers for the next start.
  void give_back_memory() {
    if (!is_persistent() && (holds_handles || operation.scratch_bytes() > 0)) give_back_large_memory();
  }
  void forget_handles();

  Operation<HostTransport> operation;
  Binding& binding = operation.binding();
  const bool sends_messages;  // some rank does
  const bool needs_node;      // shared memory
  const bool tells_call;      // to the other ranks, all on this node and with calls of this length
  const bool only_copies_input, only_copies_output;
  Reduction reduction;
  Staging input, output;
  bool holds_handles = false;  // in the reduction, a staged side or the own block
  Communicator* communicator = nullptr;
  MPI_Request request = MPI_REQUEST_NULL;
  Form form = Form::kBlocking;             // the form of the call that it belongs to
  int request_tag = -1;                    // the tag of a persistent request's message
  bool ends_by_message = false;            // whether the end of the operation sends that message
  bool is_inactive = false;                // of a persistent request: surely not active
  std::atomic<Phase> phase{Phase::kOver};  // changed under the engine's lock
  std::atomic<bool> request_alive{false};  // cleared by the host when it frees the request
  int error = MPI_SUCCESS;
  int error_of_request = MPI_SUCCESS;  // what completing the request says of `error`
  bool has_request() const { return form != Form::kBlocking; }
  // A persistent operation has tags and a room in the node's memory of its own; all others take turns.
  bool is_persistent() const { return form == Form::kPersistent; }
  bool needs_slot() const { return sends_messages && !is_persistent(); }
  std::uint32_t slot = 0;                    // of the message tags
  std::unique_ptr<node::Port> room;          // of a persistent operation's memory
  node::Port* port = nullptr;                // to the area in the node's memory
  node::Turn turn;                           // the operation's place in the area's sequence
  std::uint64_t call = 0;                    // the number by which it was told; 0: it was not
  std::size_t place = 0, running_place = 0;  // in the engine's lists
  Flight* next_queued = nullptr;             // behind it in its FlightQueue
  OwnBlock own_block;
  int error_of_own_block = MPI_SUCCESS;

 private:
  void give_back_large_memory();

  std::size_t kept_bytes_ = 0;  // as a part of the budget for large memory
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
