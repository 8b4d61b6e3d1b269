// SPDX-License-Identifier: BSD-3-Clause
// What accelerators mean for a call: which of its buffers lie in one, and whether it is the host's because
// they may.
#pragma once

#include <optional>

#include "mpi/arguments/arguments.hpp"
#include "mpi/communicator/communicator.hpp"
#include "observe/counters.hpp"

namespace weft::mpi {

struct InAccelerator {
  bool input = false, output = false;
};

// Of the buffers that mean something on this rank. The caller holds the engine's lock.
InAccelerator sides_in_accelerator(const Arguments& arguments, const Communicator& communicator);

// Why a call of such blocks, packed, is left to the host where members use accelerators; none where nobody
// does.
std::optional<Reason> why_for_accelerators(const Communicator& communicator, Bytes bytes, bool has_lists);

}  // namespace weft::mpi
