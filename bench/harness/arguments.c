// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.h"

#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* program = "benchmark";

_Noreturn void refuse(const char* where, const char* what) {
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (me == 0) fprintf(stderr, "%s: %s: %s\n", program, where, what);
  MPI_Finalize();
  exit(2);
}

static double parse_number(const char* text, const char* end_characters, const char* where) {
  char* end;
  errno = 0;
  const double value = strtod(text, &end);
  if (end == text || strchr(end_characters, *end) == NULL || errno != 0 || !isfinite(value))
    refuse(where, "is not a number");
  return value;
}

static void parse_value(const struct argument* argument, char* text, const char* where) {
  if (argument->word != NULL) *argument->word = text;
  if (argument->number != NULL) *argument->number = parse_number(text, "", where);
  if (argument->words != NULL) {
    argument->words->count = 0;
    for (char* word = strtok(text, ","); word != NULL; word = strtok(NULL, ",")) {
      if (argument->words->count == kMostListed) refuse(where, "names more than 128");
      argument->words->words[argument->words->count++] = word;
    }
  }
  if (argument->numbers != NULL) {
    argument->numbers->count = 0;
    for (const char* at = text; at != NULL; at = strchr(at, ',') == NULL ? NULL : strchr(at, ',') + 1) {
      if (argument->numbers->count == kMostListed) refuse(where, "names more than 128");
      argument->numbers->numbers[argument->numbers->count++] = (size_t)parse_number(at, ",", where);
    }
  }
}

void arguments_parse(int argc, char** argv, const struct argument* table) {
  const char* slash = strrchr(argv[0], '/');
  program = slash == NULL ? argv[0] : slash + 1;
  for (int i = 1; i < argc; i += 2) {
    const struct argument* argument = table;
    while (argument->name != NULL &&
           (strncmp(argv[i], "--", 2) != 0 || strcmp(argv[i] + 2, argument->name) != 0))
      ++argument;
    if (argument->name == NULL) refuse(argv[i], "no such option");
    if (i + 1 == argc) refuse(argv[i], "needs a value");
    char where[200];
    snprintf(where, sizeof where, "%s %s", argv[i], argv[i + 1]);
    parse_value(argument, argv[i + 1], where);
  }
}
