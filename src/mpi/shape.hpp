// SPDX-License-Identifier: BSD-3-Clause
// From the arguments of an MPI call to what all ranks have in common (Call), and what is this rank's own
// affair.
#pragma once

#include <optional>

#include "collective/call.hpp"
#include "mpi/communicator.hpp"
#include "mpi/datatype.hpp"
#include "mpi/front_door.hpp"

namespace weft::mpi {

struct Shape {
  Call call;
  bool in_place = false;
  bool stage_input = false;  // the datatype does not travel as it lies in memory
  bool stage_output = false;
  bool has_predefined_types = true;  // whose handles always mean the same
  MPI_Count block_count = 0;         // elements of recvtype per block (of the buffer's type in rooted ones)
};

// The shape, or why the call is the host's. Only what is the same on all ranks may say so (drop_in rule 5);
// an erroneous argument is the exception, since the host reports it on the rank that made it.
std::optional<Shape> shape_of(const Arguments& arguments, const Communicator& communicator, Reason* why);

}  // namespace weft::mpi
