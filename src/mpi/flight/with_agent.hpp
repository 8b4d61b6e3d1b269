// SPDX-License-Identifier: BSD-3-Clause
// Flights that go with the agent: those whose messages go over the wire, and non-blocking ones in a node's
// memory. Whoever has the agent's lock moves them: a rank that waits, or the agent. What only a rank may do,
// such as applying the program's own operators, or messages of the host's, is left to ranks, and so is what
// needs nobody's help. The caller holds the engine's lock.
#pragma once

#include <vector>

#include "transport/transport.hpp"

namespace weft::mpi {

struct Flight;

// Before the launch: whether it goes this way, and which operation of its communicator's over the wire it is.
void choose_agent(Flight& flight);

Progress start_with_agent(Flight& flight);
// How far it is by now.
Progress progress_with_agent(Flight& flight);
// At its end, whatever that was: the agent has nothing more to do with it.
void leave_agent(Flight& flight);

// The ranks whose part in a message under way is still to come, each once.
std::vector<int> partners_with_agent(const Flight& flight);
// Why a message failed, as an MPI error code.
int error_with_agent(const Flight& flight);

// Moves what is the agent's, unless somebody else does.
void drive_agent();

}  // namespace weft::mpi
