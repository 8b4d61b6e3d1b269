// SPDX-License-Identifier: BSD-3-Clause
// Partners: whom a process meets in MPI_Init. In a small job that is everybody. In a large one it is those to
// whom its plans most likely send, few enough for any size of job: others meet when they have something to
// say.
#pragma once

#include <span>
#include <vector>

namespace weft::wire {

struct Partners {
  std::vector<int> met;         // in MPI_Init, by number
  std::vector<int> confidants;  // see Carrier; empty where everybody meets everybody
  bool are_all = true;
};

// `node_of`: per process the lowest one on its node. `most_proved`: in jobs of up to so many processes
// everybody is a partner; 0: nobody ever is, and all meet later. `are_there`: per process, whether it can be
// met at all; empty: all can.
Partners partners_of(int self, std::span<const int> node_of, int most_proved,
                     std::span<const char> are_there = {});

}  // namespace weft::wire
