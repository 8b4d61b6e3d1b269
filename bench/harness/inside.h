// SPDX-License-Identifier: BSD-3-Clause
// What the library under test tells about its own time: Weft does. Its functions are looked up when the
// program runs, so that this stays a plain MPI program.
#ifndef WEFT_BENCH_INSIDE_H
#define WEFT_BENCH_INSIDE_H

enum inside_part { kPlanning, kCopies, kReductions, kPosting, kTesting, kRest, kInsideParts };
extern const char* const inside_part_names[kInsideParts];

// Sums since inside_take; include/weft/weft.h says what each means.
struct inside {
  double operations, until_first_data_ns;
  double ns[kInsideParts];
};

enum inside_times { kNoTimes, kOperationTimes, kElapsedParts, kCpuParts };

// From now on these are taken. 0 where nobody can.
int inside_take(enum inside_times what);

// Only after inside_take said 1.
struct inside inside_taken(void);

// How often the threads have woken up that move this rank's operations, and those that begin its task lists;
// 0 where there are none.
struct wakes {
  double agent, trigger;
};
struct wakes inside_wakes(void);

#endif
