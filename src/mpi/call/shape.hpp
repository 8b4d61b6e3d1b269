// SPDX-License-Identifier: BSD-3-Clause
// From the arguments of an MPI call to what all ranks have in common (Call), and what is this rank's own
// affair.
#pragma once

#include <optional>
#include <vector>

#include "mpi/arguments/arguments.hpp"
#include "mpi/arguments/own_block.hpp"
#include "mpi/arguments/side.hpp"
#include "mpi/communicator/communicator.hpp"
#include "observe/counters.hpp"
#include "planner/plan_cache.hpp"

namespace weft::mpi {

// How long the handles of a call's datatypes mean the same.
struct TypeHandles {
  bool predefined = true;  // always, all of them
  bool stay_known = true;  // as long as kept_types_freed() stays
};

struct Shape {
  PlanKey key;
  Side input, output;
  TypeHandles type_handles;
  // A v or w form has lists of counts and displacements for each buffer: how many of their entries are read.
  std::size_t sent_entries = 0, received_entries = 0;
  // Where the call has parcels: for each outgoing and each incoming one, the number of the block in the
  // caller's buffer (and in his lists) that it carries or fills.
  std::vector<int> sent_blocks, received_blocks;
  OwnBlock own_block;  // used if the rank sends itself another length than it expects

  // Set before the shape is made: the call works on copies of both buffers, and nothing goes back to the
  // caller's memory.
  bool is_apart = false;
};

// Makes the shape, whose memory is used again, or says why the call is the host's. That depends only on what
// is the same on all ranks (drop_in rule 5), and on wrong arguments, which the host reports on the rank that
// gave them. Where a rank sends itself another length than it expects, its own block is left out. The caller
// holds the engine's lock.
std::optional<Reason> take_shape(const Arguments& arguments, Communicator& communicator, Shape& shape);

// The block that this outgoing parcel carries; several parcels may carry the same one. (Incoming parcel i
// fills block i of the output.) The parcels are all listed even if take_shape() refuses the call because this
// rank sends itself another length than it expects.
const Block& outgoing_block(const Shape& shape, int self, std::size_t parcel);

}  // namespace weft::mpi
