// SPDX-License-Identifier: BSD-3-Clause
// The forms of each collective that this MPI has, by name.
#ifndef WEFT_BENCH_FORMS_H
#define WEFT_BENCH_FORMS_H

#include "collective.h"

enum blocks { kNone, kOne, kPerRank, kPerNeighbour };

typedef void blocking_function(const struct collective*, int buffer);
typedef void starting_function(const struct collective*, int buffer, MPI_Request*);

// One collective.
struct operations {
  const char* name;
  enum blocks in, out;
  blocking_function* run;
  starting_function *start, *init;
  int requests;  // of one started operation
};

// Null where there is none; `why` then says so in words.
const struct operations* operations_find(const char* name, enum form* form, const char** why);

#endif
