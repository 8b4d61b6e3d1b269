// SPDX-License-Identifier: BSD-3-Clause
// Meeting: the processes of a job get connections in MPI_Init: each calls those of its partners that have
// lower numbers and hears from those with higher ones. So a firewall, a wrong address or a stranger is found
// when the job begins, and not in its first operation.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "transport/wire/switchboard.hpp"

namespace weft::wire {

struct Meeting {
  std::vector<Descriptor> connections;  // by process; closed where there is none
  std::string problem;                  // "" if all have met; else who could not be reached, where, and why
  int strangers = 0;                    // who connected and are not of this job
};

// Connects this process with its partners, each of whom has it for one, too.
Meeting meet(Switchboard& switchboard, std::span<const int> partners, std::chrono::milliseconds patience);

}  // namespace weft::wire
