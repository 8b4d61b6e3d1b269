// SPDX-License-Identifier: BSD-3-Clause
// The command line of a benchmark program: --name value, in any order. What is wrong is said once, by rank 0,
// and ends the program with code 2 on all ranks.
#ifndef WEFT_BENCH_ARGUMENTS_H
#define WEFT_BENCH_ARGUMENTS_H

#include <stddef.h>

enum { kMostListed = 64 };

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
  double* number;  // at least `least`
  struct word_list* words;
  struct number_list* numbers;
  double least;
};

// MPI has been started. The last entry of `table` has no name.
void arguments_parse(int argc, char** argv, const struct argument* table);

// `allowed` holds words with spaces between them; any other word ends the program.
void require_one_of(const char* option, const char* word, const char* allowed);

// Ends the program: "PROGRAM: WHERE: WHAT".
_Noreturn void refuse(const char* where, const char* what);

#endif
