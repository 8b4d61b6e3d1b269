// SPDX-License-Identifier: BSD-3-Clause
// What derived datatypes cost: a plain MPI program, the same binary with and without Weft.
//
//   datatypes --collectives ibcast,ialltoall --bytes 1048576 --blocks 8,64,4096
//
// A vector of doubles: blocks of --blocks bytes, each with a gap as long as itself behind it, --bytes of data
// in all (per pair of ranks in an alltoall). It goes as one element of that datatype; as one of a datatype
// that is made for this call and freed behind it; and packed by hand: loops over doubles into and out of a
// contiguous buffer, and the same call with that. All in turn, hot buffers; every operation alone after a
// dissemination barrier; making, start, wait and packing, the maximum over ranks, the median over operations.
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/arguments.h"
#include "harness/record.h"
#include "harness/statistics.h"
#include "harness/synchronise.h"
#include "harness/ticks.h"

enum { kMostOperations = 5000, kWarm = 5 };

static struct word_list collectives = {2, {"ibcast", "ialltoall"}};
static struct number_list sizes = {1, {1 << 20}}, blocks = {3, {8, 64, 4096}};
static double milliseconds = 100, iterations = 0;
static int me, ranks;

struct exchange {
  int is_bcast, parts;       // parts: vectors that a rank sends, and receives
  size_t count, per, words;  // blocks of a vector, doubles of a block, doubles of a vector
  MPI_Datatype type;         // a vector, gaps and all
  double *out, *in;          // with gaps
  double *packed_out, *packed_in;
};

static double value(int rank, int part, size_t word, int turn) {
  return (double)((size_t)rank * 1000003 + (size_t)part * 10007 + word + (size_t)turn);
}

static void fill(struct exchange* e, int turn) {
  const size_t with_gaps = 2 * e->words;
  for (int part = 0; part < e->parts; ++part)
    for (size_t i = 0; i < e->count; ++i)
      for (size_t j = 0; j < e->per; ++j) {
        const size_t at = (size_t)part * with_gaps + 2 * i * e->per + j;
        e->in[at] = -1;
        e->out[at] = value(me, part, i * e->per + j, turn);
      }
}

static int is_right(const struct exchange* e, int turn) {
  const double* found = e->is_bcast && me == 0 ? e->out : e->in;
  for (int part = 0; part < e->parts; ++part)
    for (size_t i = 0; i < e->count; ++i)
      for (size_t j = 0; j < e->per; ++j) {
        const size_t at = (size_t)part * 2 * e->words + 2 * i * e->per + j, word = i * e->per + j;
        if (found[at] != (e->is_bcast ? value(0, 0, word, turn) : value(part, me, word, turn))) return 0;
        if (found[at + e->per] != -2) return 0;  // the gap
      }
  return 1;
}

static void pack(const struct exchange* e) {
  double* into = e->packed_out;
  const double* from = e->out;
  for (size_t i = 0; i < e->count * (size_t)e->parts; ++i, from += 2 * e->per)
    for (size_t j = 0; j < e->per; ++j) *into++ = from[j];
}

static void unpack(const struct exchange* e) {
  const double* from = e->packed_in;
  double* into = e->in;
  for (size_t i = 0; i < e->count * (size_t)e->parts; ++i, into += 2 * e->per)
    for (size_t j = 0; j < e->per; ++j) into[j] = *from++;
}

static void with_datatype(const struct exchange* e) {
  MPI_Request request;
  if (e->is_bcast) MPI_Ibcast(me == 0 ? e->out : e->in, 1, e->type, 0, MPI_COMM_WORLD, &request);
  else MPI_Ialltoall(e->out, 1, e->type, e->in, 1, e->type, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static MPI_Datatype type_make(const struct exchange* e) {
  MPI_Datatype vector, type;
  MPI_Type_vector((int)e->count, (int)e->per, (int)(2 * e->per), MPI_DOUBLE, &vector);
  MPI_Type_create_resized(vector, 0, (MPI_Aint)(2 * e->words * sizeof(double)), &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&vector);
  return type;
}

static void with_new_datatype(const struct exchange* e) {
  struct exchange once = *e;
  once.type = type_make(e);
  with_datatype(&once);
  MPI_Type_free(&once.type);
}

static void by_hand(const struct exchange* e) {
  MPI_Request request;
  const int words = (int)e->words;
  if (!e->is_bcast || me == 0) pack(e);
  if (e->is_bcast)
    MPI_Ibcast(me == 0 ? e->packed_out : e->packed_in, words, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
  else
    MPI_Ialltoall(e->packed_out, words, MPI_DOUBLE, e->packed_in, words, MPI_DOUBLE, MPI_COMM_WORLD,
                  &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (!e->is_bcast || me != 0) unpack(e);
}

static double timed(void (*run)(const struct exchange*), const struct exchange* e) {
  leave_together(MPI_COMM_WORLD);
  const int64_t begin = ticks_now();
  run(e);
  return ticks_to_ns(ticks_now() - begin) - ticks_cost_ns();
}

static double* doubles(size_t count) {
  double* memory = malloc(count * sizeof(double));
  if (memory == NULL) refuse("--bytes", "there is not so much memory");
  for (size_t i = 0; i < count; ++i) memory[i] = -2;
  return memory;
}

static struct exchange exchange_make(const char* collective, size_t bytes, size_t block) {
  struct exchange e = {.is_bcast = strcmp(collective, "ibcast") == 0};
  e.parts = e.is_bcast ? 1 : ranks;
  e.per = block / sizeof(double);
  e.count = bytes / block;
  e.words = e.count * e.per;
  e.type = type_make(&e);
  const size_t all = e.words * (size_t)e.parts;
  e.out = doubles(2 * all);
  e.in = doubles(2 * all);
  e.packed_out = doubles(all);
  e.packed_in = doubles(all);
  return e;
}

static void exchange_free(struct exchange* e) {
  MPI_Type_free(&e->type);
  free(e->out);
  free(e->in);
  free(e->packed_out);
  free(e->packed_in);
}

static int is_right_after(void (*run)(const struct exchange*), struct exchange* e, int turn) {
  fill(e, turn);
  run(e);
  int mine = is_right(e, turn), all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all;
}

static long operations_for(const struct exchange* e) {
  double mine = 0, slowest = 0;
  for (int i = 0; i < kWarm; ++i)
    mine = timed(with_datatype, e) + timed(with_new_datatype, e) + timed(by_hand, e);
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const double wanted = iterations > 0 ? iterations : milliseconds * 1e6 / slowest;
  return wanted < 3 ? 3 : wanted > kMostOperations ? kMostOperations : (long)wanted;
}

static double median_us(double* mine, long count) {
  static double slowest[kMostOperations];
  MPI_Allreduce(mine, slowest, (int)count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return summarize(slowest, count).median / 1e3;
}

static int measure(const char* collective, size_t bytes, size_t block) {
  static double typed_ns[kMostOperations], new_ns[kMostOperations], hand_ns[kMostOperations];
  struct exchange e = exchange_make(collective, bytes, block);
  const int right = is_right_after(with_datatype, &e, 1) & is_right_after(with_new_datatype, &e, 2) &
                    is_right_after(by_hand, &e, 3);
  const long count = operations_for(&e);
  for (long i = 0; i < count; ++i) {
    typed_ns[i] = timed(with_datatype, &e);
    new_ns[i] = timed(with_new_datatype, &e);
    hand_ns[i] = timed(by_hand, &e);
  }
  const double typed_us = median_us(typed_ns, count), hand_us = median_us(hand_ns, count);
  record_begin("datatypes");
  record_text("collective", collective);
  record_count("bytes", (long)bytes);
  record_count("block", (long)block);
  record_count("operations", count);
  record_number("microseconds", typed_us);
  record_number("made_each_time_us", median_us(new_ns, count));
  record_number("by_hand_us", hand_us);
  record_number("of_by_hand", typed_us / hand_us);
  record_truth("right", right);
  record_end();
  exchange_free(&e);
  return right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const struct argument table[] = {
      {.name = "collectives", .words = &collectives}, {.name = "bytes", .numbers = &sizes},
      {.name = "blocks", .numbers = &blocks},         {.name = "milliseconds", .number = &milliseconds},
      {.name = "iterations", .number = &iterations},  {0}};
  arguments_parse(argc, argv, table);
  ticks_calibrate();
  int right = 1;
  for (int c = 0; c < collectives.count; ++c)
    for (int s = 0; s < sizes.count; ++s)
      for (int b = 0; b < blocks.count; ++b)
        right &= measure(collectives.words[c], sizes.numbers[s], blocks.numbers[b]);
  MPI_Finalize();
  return right ? 0 : 1;
}
