// SPDX-License-Identifier: BSD-3-Clause
// From the arguments of an MPI call to what all ranks have in common (Call), and what is this rank's own
// affair.
#pragma once

#include <optional>

#include "mpi/communicator.hpp"
#include "mpi/front_door.hpp"
#include "mpi/side.hpp"
#include "planner/plan_cache.hpp"

namespace weft::mpi {

struct Shape {
  PlanKey key;
  Side input, output;
  bool has_predefined_types = true;  // whose handles always mean the same
};

// Makes the shape, whose memory is used again, or says why the call is the host's. Only what is the same on
// all ranks may say so (drop_in rule 5); an erroneous argument is the exception, since the host reports it on
// the rank that made it. The caller holds the engine's lock.
std::optional<Reason> take_shape(const Arguments& arguments, Communicator& communicator, Shape& shape);

// The block of a listed parcel, which may be one of several. (Of an incoming one: the output's of that
// number.) Parcels are all listed even where a rank does not agree with itself, for which a call is refused.
const Block& outgoing_block(const Shape& shape, int self, std::size_t parcel);

}  // namespace weft::mpi
