// SPDX-License-Identifier: BSD-3-Clause
// Host match: whether the MPI that the program runs on is the one that this library was built for. Handles,
// statuses and constants differ between MPIs, so that on another one no call may go on.
#pragma once

#include <string>

namespace weft::mpi {

enum class Match { kThisHost, kOtherVersion, kOtherMpi };

// May be called before MPI_Init. What does not match is announced.
Match compare_with_host();

// MPI_Get_library_version's words.
std::string version_of_host();

}  // namespace weft::mpi
