// SPDX-License-Identifier: BSD-3-Clause
// How the host's own progress engine comes to call Weft's, looked up at run time.
#pragma once

namespace weft::mpi {

// True if from now on every blocking call of the host moves Weft. Collective, and the same on all ranks.
bool hook_into_host();
void unhook_from_host();

// MPICH's MPI_Finalize waits for what it polls, before it runs any callback of the program. From here on
// calls that may block move Weft, as on a host without a hook.
void stop_being_polled();

}  // namespace weft::mpi
