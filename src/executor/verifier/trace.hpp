// SPDX-License-Identifier: BSD-3-Clause
// Trace: what travels in each round of a collective, and who holds what afterwards, told in words.
//
// The schedules are run symbolically as if all ranks kept step: in a round every message whose two ends are
// ready at its beginning is delivered, then every local task that became ready runs. Real executions keep no
// step; a trace shows the shape of an algorithm, not its time.
//
// How contributions are written
//   0-2        those of ranks 0, 1 and 2: combined (reductions), or side by side (allgather)
//   {1,4}      the same for ranks that are not neighbours
//   3[8:16]    bytes 8 to 15 of what rank 3 contributes
//   -          nothing
// In a barrier a contribution is the news that a rank has entered.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "schedule/schedule.hpp"

namespace weft {

struct TraceMessage {
  Rank from;
  Rank to;
  Bytes bytes;
  std::string what;  // the contributions that it carries
};

struct TraceRound {
  std::vector<TraceMessage> messages;   // by sender, then receiver
  std::vector<std::string> node_steps;  // node-level tasks that were completed: "exchange of ranks 0-3"
  std::vector<std::string> holds;       // per rank, after the round; see below
};

// What a rank holds: in reductions the most complete partial result it has anywhere, and for which bytes if
// not for all; in the others the blocks of its output that are in place, named by the rank they come from.
struct Trace {
  std::vector<std::string> initially;  // per rank, before the first round: local copies are done
  std::vector<TraceRound> rounds;
  bool complete = false;  // every task of every rank has run; if not, verify() says what is wrong
  bool is_cut = false;    // there are more rounds than were asked for
};

// schedules[r] is rank r's; all of one call. Of schedules that cannot be executed nothing is told. Telling
// what is held takes most of the time, so that who shows few rounds asks for few.
Trace trace(std::span<const Schedule> schedules, std::size_t most_rounds = SIZE_MAX);

}  // namespace weft
