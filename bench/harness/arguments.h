// SPDX-License-Identifier: BSD-3-Clause
// The command line of a benchmark program: --name value, in any order. `weft bench` calls these programs, and
// checks what words and numbers may be; here only what cannot be read is refused: rank 0 says so, and the
// program ends with code 2 on all ranks.
#ifndef WEFT_BENCH_ARGUMENTS_H
#define WEFT_BENCH_ARGUMENTS_H

#include <stddef.h>

enum { kMostListed = 128 };  // more than MPI has collectives in all forms

struct word_list {
  int count;
  char* words[kMostListed];
};

struct number_list {
  int count;
  size_t numbers[kMostListed];
};

// Exactly one of the pointers is set; what it points to holds the default before and the value after.
struct argument {
  const char* name;  // without the dashes
  const char** word;
  double* number;
  struct word_list* words;
  struct number_list* numbers;
};

// MPI has been started. The last entry of `table` has no name.
void arguments_parse(int argc, char** argv, const struct argument* table);

// Ends the program: "PROGRAM: WHERE: WHAT".
_Noreturn void refuse(const char* where, const char* what);

#endif
