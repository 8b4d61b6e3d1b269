// SPDX-License-Identifier: BSD-3-Clause
// Weft's own C interface: what MPI has no call for. The collectives themselves are called by their MPI names.
//
// Functions return 0 for success, else a code that weft_error_string explains. Thread-safe.
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  WEFT_SUCCESS = 0,
  WEFT_ERROR_UNKNOWN_FUNCTION = 1,    // no such MPI function in Weft's list
  WEFT_ERROR_UNKNOWN_COLLECTIVE = 2,  // no such collective in Weft's catalog
  WEFT_ERROR_ARGUMENT = 3,            // a null pointer, a negative size, a root outside the ranks
  WEFT_ERROR_TRUNCATED = 4,           // the text did not fit; the part that did is there
  WEFT_ERROR_NO_TIMES = 5,            // nobody asked for times to be taken
  WEFT_ERROR_SETTINGS = 6,            // a setting makes no sense
};

// What a code means and what to do about it; never null, also for codes that do not exist.
const char* weft_error_string(int code);

// The plan that a call gets, in one sentence: algorithm, parameters, and why. `collective` is the lower-case
// name ("allreduce"), `bytes` the packed size of one rank's block. The ranks are where WEFT_TOPOLOGY says,
// else all on one node. Writes at most `capacity` bytes with the final zero.
int weft_explain(const char* collective, int ranks, int root, int64_t bytes, char* text, size_t capacity);

// As weft_explain, for a communicator that exists, given as MPI_Comm_c2f(comm), or as MPI_Comm_toint(comm)
// under the standard ABI: the plan that its calls really get, or why they are left to the host MPI. Only in
// libweft.so, between MPI_Init and MPI_Finalize.
int weft_explain_on(int communicator, const char* collective, int root, int64_t bytes, char* text,
                    size_t capacity);

// This rank's schedule of such a call, in the form of `weft explain --rank R --format schedule`. For v-, w-
// and neighbour forms it has example blocks.
int weft_schedule_on(int communicator, const char* collective, int root, int64_t bytes, char* text,
                     size_t capacity);

// How many calls of an MPI function ("MPI_Iallreduce") Weft executed in this process so far, and how many it
// left to the host MPI. Only in libweft.so.
int weft_counter(const char* function, uint64_t* executed, uint64_t* left_to_host);

// The bytes of the node's shared memory that this process has taken for communicators: it takes them for
// those of which it is the first rank on the node. Only in libweft.so.
int weft_shared_memory(uint64_t* bytes);

// What the threads of this process did that move operations while it computes (WEFT_DEVICE=agent), from
// MPI_Init on; zero without any.
struct weft_agents {
  uint64_t wakes;          // of the agent: how often it woke up,
  double ns;               // and its time on a core
  uint64_t trigger_wakes;  // the same of the thread that begins task lists, under WEFT_LIST_TRIGGER=thread
  double trigger_ns;
};

// Only in libweft.so.
int weft_agents(struct weft_agents* agents);

// How often Weft did something, and the nanoseconds of all those times together; without what measuring
// takes.
struct weft_part {
  uint64_t count;
  double ns;
};

// What the operations of this process waited for, and what the time inside Weft was spent on; no moment
// counts in two parts.
struct weft_times {
  uint64_t operations;          // that have ended
  double until_first_data_ns;   // of all of them, from the start to the first message received
  double after_first_data_ns;   // from there to the end; from the start where nothing is received
  struct weft_part planning;    // finding a call's schedule, and building it the first time
  struct weft_part copies;      // copies within the process, packing and unpacking
  struct weft_part reductions;  // applying operators
  struct weft_part posting;     // starting sends and receives
  struct weft_part testing;     // asking the host whether they are complete, which lets it move them
  struct weft_part rest;        // everything else; the count is how often Weft was entered
};

// What can be taken, for a sum. Nothing is by default; WEFT_TIMES=1 takes the first two from MPI_Init on.
enum {
  WEFT_TIMES_OPERATIONS = 1,  // how many, and their waiting: the clock is read three times for each
  WEFT_TIMES_PARTS = 2,       // the parts, as time that passes: the clock is read twice for each
  // Beside WEFT_TIMES_PARTS: only what the thread spends on a core, at two system calls for each time that
  // Weft is entered. For ranks that share cores; one that waits polls less often by it.
  WEFT_TIMES_ON_CORE = 4,
};

// From now on `what` is taken, and what was taken before is forgotten; 0 takes nothing. Only in libweft.so.
int weft_take_times(int what);

// What was taken so far; zero for what was not asked for. Only in libweft.so.
int weft_times(struct weft_times* times);

#ifdef __cplusplus
}
#endif

#endif  // WEFT_WEFT_H
