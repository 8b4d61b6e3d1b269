// SPDX-License-Identifier: BSD-3-Clause
// What every application's main() does around its work: MPI from the beginning to the end, and errors that
// end all ranks with one code and one message.
#pragma once

namespace app {

inline constexpr int kRight = 0;     // the answer is there
inline constexpr int kWrong = 1;     // there is none, or it is not right
inline constexpr int kBadInput = 2;  // something that the user can repair; rank 0 has said what

/// Runs `run(argument_count, arguments, rank)` and returns its code, or kBadInput where it throws BadInput,
/// which has to be the same on all ranks. Any other exception aborts the job.
int run_program(const char* name, int argument_count, char** arguments, int (*run)(int, char**, int));

}  // namespace app
