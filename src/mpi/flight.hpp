// SPDX-License-Identifier: BSD-3-Clause
// Flight: one collective operation of this process between its start and its end, with all that it needs.
// It belongs to its plan and is used again by later calls of the same shape; MPI requests only point to it.
//
//   idle -> running (maybe queued for a slot at first) -> done -> idle once its request, if any, is freed
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <vector>

#include "executor/host/operation.hpp"
#include "mpi/datatype.hpp"
#include "mpi/reduction.hpp"
#include "transport/mpi_point_to_point.hpp"

namespace weft::mpi {

struct Communicator;

// A user buffer whose datatype does not lie in memory as it travels: packed before, unpacked after.
struct Staging {
  void* user = nullptr;
  MPI_Datatype type = MPI_DATATYPE_NULL;  // null: not staged
  MPI_Count count = 0;                    // elements per block
  MPI_Count blocks = 0;                   // at a distance of count elements
  std::vector<std::byte> packed;

  bool used() const { return type != MPI_DATATYPE_NULL; }
  void reset() { type = MPI_DATATYPE_NULL; }
  void prepare(void* buffer, MPI_Datatype datatype, MPI_Count count_per_block, MPI_Count block_count, Bytes block);
  void pack(MPI_Count first_block, MPI_Count block_count, Bytes block);
  void unpack(Bytes block) const;
};

struct Flight {
  explicit Flight(const Schedule& schedule) : operation(schedule) {}

  bool is_idle() const { return !running && !request_alive.load(std::memory_order_acquire); }

  Operation<MpiPointToPoint> operation;
  Binding binding;
  Reduction reduction;
  Staging input, output;
  Communicator* communicator = nullptr;
  MPI_Request request = MPI_REQUEST_NULL;
  bool has_request = false;
  bool running = false;                     // under the engine's lock
  std::atomic<bool> finished{false};        // read by waiters without it
  std::atomic<bool> request_alive{false};   // cleared by the host when it frees the request
  int error = MPI_SUCCESS;
  std::uint32_t slot = 0;
  Flight* next_queued = nullptr;
};

}  // namespace weft::mpi
