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
};

// What a code means and what to do about it; never null, also for codes that do not exist.
const char* weft_error_string(int code);

// The plan that a call gets, in one sentence: algorithm, parameters, and why. `collective` is the lower-case
// name
// ("allreduce"), `bytes` the packed size of one rank's block. Writes at most `capacity` bytes with the final
// zero.
int weft_explain(const char* collective, int ranks, int root, int64_t bytes, char* text, size_t capacity);

// How many calls of an MPI function ("MPI_Iallreduce") Weft executed in this process so far, and how many it
// left to the host MPI. Only in libweft.so.
int weft_counter(const char* function, uint64_t* executed, uint64_t* left_to_host);

#ifdef __cplusplus
}
#endif

#endif  // WEFT_WEFT_H
