// SPDX-License-Identifier: BSD-3-Clause
// Inquiries: a rank that has waited long for a message asks whom it waits for what call that one is in. Where
// two ranks are in different calls, or in calls of different lengths, both operations end with
// MPI_ERR_TRUNCATE, instead of waiting for messages that never come (decision 8).
//
// Within a node calls are told through shared memory (Port::tell_call), and nobody has to ask.
#pragma once

namespace weft::mpi {

// One look: answers those who have asked, and asks for operations that have waited for many looks. The caller
// holds the engine's lock.
void ask_and_answer();

}  // namespace weft::mpi
