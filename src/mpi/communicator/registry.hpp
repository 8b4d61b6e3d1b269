// SPDX-License-Identifier: BSD-3-Clause
// Registry: which communicators Weft serves.
//
// What is kept for one hangs on an attribute, so that it goes when the communicator goes, whoever frees it.
// MPI_Comm_free does not synchronise: a process takes its number for another communicator only when it has no
// operation left on this one. So two operations of the same number at one process never overlap.
#pragma once

#include <memory>
#include <mpi.h>
#include <vector>

#include "mpi/communicator/communicator.hpp"
#include "observe/counters.hpp"

namespace weft::mpi {

// In MPI_Init, and when Weft ends.
void create_communicator_keyvals();
void forget_all_communicators();

const Communicator::Settings& job_settings();

// Keeps a new communicator's state; Weft serves it as soon as attach() is called. The caller holds the
// engine's lock.
Communicator* keep(std::unique_ptr<Communicator> communicator);
void attach(MPI_Comm comm, Communicator* communicator);
// Weft serves what is made of this inter-communicator, since it served what this was made of.
void mark_as_made_of_served(MPI_Comm comm);

// Null for communicators that Weft does not serve. The caller holds the engine's lock.
Communicator* find_communicator(MPI_Comm comm);
// Whether Weft serves the communicator; for an inter-communicator, whether it served those that it was made
// of.
bool is_served(MPI_Comm comm);

// The members' ranks in the world; empty if some are not in this world.
std::vector<int> world_ranks_of(MPI_Comm comm);
// Their ranks in another communicator that they all belong to.
std::vector<int> ranks_in(MPI_Comm comm, MPI_Comm other);
// Whether all processes of a communicator, both groups of an inter-communicator, have Weft. The same on all.
bool is_within_world(MPI_Comm comm);

// Deletes the state of freed communicators without operations. The caller holds the engine's lock.
void reap_communicators();

// How the communicators were served of which this process is rank 0.
CommunicatorCounters& communicators_made();

// With WEFT_CHECK=1: moves the checks of all communicators, under the engine's lock; and tells all neighbours
// that no more calls come.
void progress_checks();
void tell_end_of_checks();

}  // namespace weft::mpi
