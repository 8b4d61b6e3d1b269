// SPDX-License-Identifier: BSD-3-Clause
// Flights whose messages go over the wire: the rank starts them, and from then on whoever has the agent's
// lock moves them: a rank that waits, or the agent. What only a rank may do, such as applying the program's
// own operators, is left to ranks. The caller holds the engine's lock.
#pragma once

#include <vector>

#include "transport/transport.hpp"

namespace weft::mpi {

struct Flight;

// Before the launch: whether it goes this way, and which operation of its communicator's it is.
void number_on_wire(Flight& flight);

Progress start_over_wire(Flight& flight);
// How far it is by now.
Progress progress_over_wire(Flight& flight);
// At its end, whatever that was: nothing of it is on the wire any more.
void leave_wire(Flight& flight);

// The ranks whose part in a message under way is still to come, each once.
std::vector<int> partners_over_wire(const Flight& flight);
// Why a message failed, as an MPI error code.
int error_over_wire(const Flight& flight);

// Moves what is on the wire, unless somebody else does.
void drive_wire();

}  // namespace weft::mpi
