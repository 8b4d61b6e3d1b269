// SPDX-License-Identifier: BSD-3-Clause
// How the processes of a job get their connections: each connects to those with lower numbers and hears from
// those with higher ones; both ends say who they are, and whom they mean, before anything else. So a
// firewall, a wrong address or a stranger is found when the job begins, and not in its first operation.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "transport/wire/frame.hpp"
#include "transport/wire/socket.hpp"

namespace weft::wire {

// Where a process can be reached: its addresses, in the order in which they are to be tried; none for one
// that is not to be met.
using Reach = std::vector<SocketAddress>;

struct Meeting {
  std::vector<Descriptor> connections;  // by process; closed where there is none
  std::string problem;                  // "" if all have met; else who could not be reached, where, and why
  int strangers = 0;                    // who connected and are not of this job
};

// Connects this process with all others of the job, whose addresses are known to everybody.
Meeting meet(const JobKey& key, int self, const Listener& listener, std::span<const Reach> processes,
             std::chrono::milliseconds patience);

}  // namespace weft::wire
