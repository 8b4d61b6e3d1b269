// SPDX-License-Identifier: BSD-3-Clause
// Movers: who moves a call's operation while its ranks compute, as the library decides it
// (mpi/flight/with_agent): the agents, nobody, where none is needed, or the ranks, whenever they are inside
// MPI.
#pragma once

#include <span>
#include <string>

#include "explain/site.hpp"
#include "schedule/schedule.hpp"

namespace weft {

struct Movers {
  bool has_agents = false;     // by the settings
  bool takes_times = false;    // so that agents leave everything to the ranks
  bool shares_memory = false;  // all ranks are on one node

  // Ranks with messages; with agents, those between nodes go over the wire.
  int senders = 0;
  bool takes_wire = false;
  int by_ranks = 0;  // of the senders: since they say something to nodes that their device does not join
  int by_list = 0;   // of the senders: as task lists; the others as their schedules
  std::uint32_t longest_list = 0;  // in tasks
  std::string why_no_list;         // of the first rank that has none; "" where a node's memory takes part
  Bytes longest_message;
  Bytes most_unasked;  // longer messages wait at their sender until their receiver has begun

  // Ranks that only say and read something in their node's memory.
  int in_memory = 0;
  int copied_by_agents = 0;        // of these: in a non-blocking operation
  Bytes most_copied;               // by one of these
  Bytes copies_from;               // so much or more is the agent's
  bool copies_in_a_crowd = false;  // also where ranks outnumber cores
  bool is_short = false;           // needs nobody's help within a node
  Bytes longest_short;             // such a call, else like this one: a power of two; 0: none, or of any size
};

// The schedules of all ranks; the settings' device decides.
Movers movers_of(std::span<const Schedule> schedules, const Site& site, const Settings& settings);

}  // namespace weft
