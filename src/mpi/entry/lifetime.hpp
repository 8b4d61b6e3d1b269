// SPDX-License-Identifier: BSD-3-Clause
// From MPI_Init to MPI_Finalize: who takes part, on which terms, and how the host's progress finds Weft.
#pragma once

#include <span>

#include "observe/counters.hpp"

namespace weft::mpi {

// Around MPI_Init. before_init refuses to start on another MPI, whose handles are not these wrappers'; on
// another version of the same MPI Weft steps aside.
int before_init();
void after_init();
// Weft ends inside MPI_Finalize (lifetime.cpp); what hooks into the host may have to be gone before.
void before_finalize();

// All counters, in the order of the list of functions: the same on every rank. Defined by the generated code.
std::span<CallCounter> counters();

}  // namespace weft::mpi
