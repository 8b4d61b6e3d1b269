// SPDX-License-Identifier: BSD-3-Clause
// GOAL programs, as LogGOPSim reads them, for simulations: one rank's part after the other.
//
//   num_ranks 2
//   rank 0 {
//     work: calc 500                          for 500 ns
//     out: send 8b to 1 tag 3                 (tag 0 if none is named)
//     out requires work                       out begins when work is over
//   }
//   rank 1 { … }
//
//  - Labels are a rank's own. Statements stand in any order, one on a line, and a label may be used before it
//    is there. A rank that is not there does nothing.
//  - The n-th send from one rank to another with a tag meets the n-th recv there with that tag, as they stand
//    in the text, whatever is ready first. It brings as many bytes as the send has; a recv with more room is
//    fine. A recv from any rank, or any tag (-1), which GOAL has as well, is refused: who meets would depend
//    on the machine.
//  - A rank has as many processors and adapters as its tasks name by `cpu` and `nic`, from 0 to 255; 0 where
//    none is named. The processor of a send, a recv or a calc does it, beside what the others do; a message
//    leaves by the adapter that the send names, and comes in by the one that the recv names. The program that
//    starts it all, and its computations, are on processor 0. Adapters that execute task lists do everything
//    themselves.
//  - `a irequires b`: a may begin once b has begun. On the same processor a waits for what b waits for and
//    stands behind it, so that the two are taken in this order; a recv has begun as soon as its message may
//    come.
//  - Comments begin with # or //, or stand between /* and */.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "executor/simulator/script.hpp"

namespace weft::simulator {

struct GoalProgram {
  std::vector<Part> parts;  // by rank
  // By rank and task: where it begins in the text. Joins that the text does not have, behind these, are not
  // in here.
  std::vector<std::vector<std::size_t>> places;
};
// Errors name line and column, and what is allowed there.
Result<GoalProgram> parse_goal(std::string_view text);

// The program as an operation, whose tasks have the names of their places in the text of that file.
Scripts scripts_of(GoalProgram program, std::string text, std::string file);

}  // namespace weft::simulator
