// SPDX-License-Identifier: BSD-3-Clause
#include "record.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "ticks.h"

static int writes(void) {
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  return me == 0;
}

static void key_of(const char* key) { printf(", \"%s\": ", key); }

static void text(const char* value) {
  putchar('"');
  for (const char* c = value; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\') putchar('\\');
    putchar((unsigned char)*c < 0x20 ? ' ' : *c);
  }
  putchar('"');
}

static void number(double value) {
  if (isfinite(value)) printf("%.9g", value);
  else printf("null");
}

void record_begin(const char* benchmark) {
  if (!writes()) return;
  int ranks, length;
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Get_library_version(version, &length);
  version[strcspn(version, "\n")] = '\0';
  printf("{\"benchmark\": ");
  text(benchmark);
  record_count("ranks", ranks);
  record_text("clock", ticks_source());
  record_number("clock_cost_ns", ticks_cost_ns());
  record_text("library", version);
}

void record_text(const char* key, const char* value) {
  if (!writes()) return;
  key_of(key);
  text(value);
}

void record_number(const char* key, double value) {
  if (!writes()) return;
  key_of(key);
  number(value);
}

void record_count(const char* key, long value) {
  if (!writes()) return;
  key_of(key);
  printf("%ld", value);
}

void record_truth(const char* key, int value) {
  if (!writes()) return;
  key_of(key);
  printf(value ? "true" : "false");
}

void record_numbers(const char* key, const double* values, long count) {
  if (!writes()) return;
  key_of(key);
  for (long i = 0; i < count; ++i) {
    printf(i == 0 ? "[" : ", ");
    number(values[i]);
  }
  printf(count == 0 ? "[]" : "]");
}

void record_end(void) {
  if (!writes()) return;
  printf("}\n");
  fflush(stdout);
}
