// SPDX-License-Identifier: BSD-3-Clause
// Statistics: the counters of all ranks, summed, the settings, and what there was to say about them, as JSON.
#pragma once

#include <mpi.h>
#include <span>
#include <string>

#include "base/config.hpp"
#include "observe/counters.hpp"

namespace weft::mpi {

// Collective over `comm`; rank 0 writes the file that its settings name:
// {"ranks": 4, "collectives": {"MPI_Iallreduce": {"weft": 200, "host": 0, "why": {}}, …},
//  "communicators": {"through shared memory": 3, …},
//  "settings": {"WEFT_NODE_SLOTS": {"value": "32", "from": "tuning.txt:3"}, …}, "notes": ["…"]}
// Settings are those that somebody gave.
void write_statistics(MPI_Comm comm, const Settings& settings, std::span<CallCounter> counters);

}  // namespace weft::mpi
