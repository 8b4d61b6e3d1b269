// SPDX-License-Identifier: BSD-3-Clause
// Node mates: the other ranks of a flight's node, while agents move operations for them: who has said
// something in the node's memory wakes those who wait for it while their program computes.
#pragma once

namespace weft::mpi {

struct Flight;

// During the flight, each time that this rank has said something, those who wait for it are woken.
void tell_node_mates(Flight& flight);

// From now on, until further notice, the flight's node mates are to wake this rank's agent. Afterwards the
// flight has to look once more. The caller has the agent's lock, for both.
void ask_node_mates_to_wake(Flight& flight);
void ask_for_nothing(Flight& flight);

}  // namespace weft::mpi
