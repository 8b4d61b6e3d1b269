// SPDX-License-Identifier: BSD-3-Clause
// What communicators cost: a plain MPI program, the same binary with and without Weft.
//
//   communicators --constructors split,split_halves,dup --live 100 --milliseconds 200
//
// For each constructor one record:
//   microseconds    one communicator made and freed: all ranks start together, the time is the maximum over
//                   ranks, the median over cycles. make_us is the constructor's part of it
//   private_bytes   by how much the resident memory of a process grows with each communicator that is alive
//   and
//                   has been used once; the mean over ranks
//   shared_bytes    what Weft itself says that it holds for each in the node's memory; none under a host
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/arguments.h"
#include "harness/record.h"
#include "harness/statistics.h"
#include "harness/synchronise.h"
#include "harness/ticks.h"

enum { kMostCycles = 20000, kWarm = 20 };

static struct word_list constructors = {1, {"split"}};
static double milliseconds = 100, iterations = 0, live = 100;
static int me, ranks;

static MPI_Comm make(const char* constructor) {
  MPI_Comm comm;
  if (strcmp(constructor, "dup") == 0) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  else if (strcmp(constructor, "split") == 0) MPI_Comm_split(MPI_COMM_WORLD, 0, me, &comm);
  else MPI_Comm_split(MPI_COMM_WORLD, me < (ranks + 1) / 2, me, &comm);
  return comm;
}

static double over_ranks(double mine, MPI_Op op) {
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  return all;
}

struct cycle {
  double make_ns, free_ns;
};

static struct cycle make_and_free(const char* constructor) {
  leave_together(MPI_COMM_WORLD);
  const int64_t begin = ticks_now();
  MPI_Comm comm = make(constructor);
  const int64_t made = ticks_now();
  MPI_Comm_free(&comm);
  const int64_t freed = ticks_now();
  return (struct cycle){ticks_to_ns(made - begin) - ticks_cost_ns(),
                        ticks_to_ns(freed - made) - ticks_cost_ns()};
}

static long cycles_for(const char* constructor) {
  double ns = 0;
  for (int i = 0; i < kWarm; ++i) {
    const struct cycle cycle = make_and_free(constructor);
    ns = cycle.make_ns + cycle.free_ns;
  }
  const double wanted = iterations > 0 ? iterations : milliseconds * 1e6 / over_ranks(ns, MPI_MAX);
  return wanted < 3 ? 3 : wanted > kMostCycles ? kMostCycles : (long)wanted;
}

static void report_times(const char* constructor) {
  static double whole[kMostCycles], made[kMostCycles], slowest[kMostCycles];
  const long cycles = cycles_for(constructor);
  for (long i = 0; i < cycles; ++i) {
    const struct cycle cycle = make_and_free(constructor);
    whole[i] = cycle.make_ns + cycle.free_ns;
    made[i] = cycle.make_ns;
  }
  MPI_Allreduce(whole, slowest, (int)cycles, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  record_count("cycles", cycles);
  record_number("microseconds", summarize(slowest, cycles).median / 1e3);
  MPI_Allreduce(made, slowest, (int)cycles, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  record_number("make_us", summarize(slowest, cycles).median / 1e3);
}

static double resident_bytes(void) {
  double size = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  const int found = file == NULL ? 0 : fscanf(file, "%lf %lf", &size, &resident);
  if (file != NULL) fclose(file);
  return found == 2 ? resident * (double)sysconf(_SC_PAGESIZE) : 0;
}

// What Weft on this process holds in the node's shared memory for communicators. Summed over a node's ranks
// it is all that they hold there.
static double shared_bytes(int* known) {
  int (*const ask)(uint64_t*) = __extension__(int (*)(uint64_t*)) dlsym(RTLD_DEFAULT, "weft_shared_memory");
  uint64_t bytes = 0;
  *known = ask != NULL && ask(&bytes) == 0;
  return (double)bytes;
}

static int is_right(MPI_Comm comm) {
  int size, sum = -1, one = 1;
  MPI_Comm_size(comm, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum == size;
}

// The pages that the library keeps for later are there before, so that growth is the communicators'.
static int report_memory(const char* constructor) {
  const int count = (int)live;
  MPI_Comm* const comms = malloc((size_t)count * sizeof *comms);
  if (comms == NULL) refuse("--live", "there is not enough memory");
  int right = 1, knows = 0;
  const double resident = resident_bytes(), shared = shared_bytes(&knows);
  for (int i = 0; i < count; ++i) {
    comms[i] = make(constructor);
    right &= is_right(comms[i]);
  }
  const double grown = resident_bytes() - resident, taken = shared_bytes(&knows) - shared;
  for (int i = 0; i < count; ++i) MPI_Comm_free(&comms[i]);
  free(comms);
  record_count("live", count);
  record_number("private_bytes", over_ranks(grown, MPI_SUM) / ranks / count);
  const double all_taken = over_ranks(taken, MPI_SUM) / count;
  if (knows) record_number("shared_bytes", all_taken);
  return (int)over_ranks(right, MPI_MIN);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const struct argument table[] = {{.name = "constructors", .words = &constructors},
                                   {.name = "live", .number = &live},
                                   {.name = "milliseconds", .number = &milliseconds},
                                   {.name = "iterations", .number = &iterations},
                                   {0}};
  arguments_parse(argc, argv, table);
  ticks_calibrate();
  int all_right = 1;
  for (int i = 0; i < constructors.count; ++i) {
    record_begin("communicators");
    record_text("constructor", constructors.words[i]);
    report_times(constructors.words[i]);
    const int right = report_memory(constructors.words[i]);
    record_truth("right", right);
    record_end();
    all_right &= right;
  }
  MPI_Finalize();
  return all_right ? 0 : 1;
}
