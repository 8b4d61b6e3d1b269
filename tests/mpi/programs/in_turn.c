// SPDX-License-Identifier: BSD-3-Clause
// Calls of one collective that differ in type, operator, root, length and place, several kinds in turn:
// in_turn ROUNDS. Some repeat a few kinds, others more than anybody would remember.
#include "check.h"

enum { kKinds = 13, kMost = 40 };

typedef struct {
  MPI_Datatype type;
  MPI_Op op;
  int root, count, in_place;
} Kind;

static Kind kind_of(int number) {
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT};
  const MPI_Op operators[] = {MPI_SUM, MPI_MAX};
  Kind kind = {types[number % 3], operators[number / 3 % 2], number % world_size, 1 + number % 4 * 9,
               number / 6 % 2};
  return kind;
}

static double get(const Kind* kind, const void* memory, int i) {
  if (kind->type == MPI_INT) return ((const int*)memory)[i];
  if (kind->type == MPI_SHORT) return ((const short*)memory)[i];
  return ((const double*)memory)[i];
}

static void put(const Kind* kind, void* memory, int i, double value) {
  if (kind->type == MPI_INT) ((int*)memory)[i] = (int)value;
  else if (kind->type == MPI_SHORT) ((short*)memory)[i] = (short)value;
  else ((double*)memory)[i] = value;
}

static double of_rank(int rank, int i, int round) { return rank * 7 + i + round % 100; }

static double combined(const Kind* kind, int i, int round) {
  double all = of_rank(0, i, round);
  for (int rank = 1; rank < world_size; ++rank) {
    const double one = of_rank(rank, i, round);
    all = kind->op == MPI_SUM ? all + one : one > all ? one : all;
  }
  return all;
}

// `number`: of the kind, for messages.
static void call(const Kind* kind, int number, int round) {
  double out[kMost], in[kMost], *const from = kind->in_place ? in : out;
  const void* const given = kind->in_place ? MPI_IN_PLACE : (const void*)out;
  for (int i = 0; i < kind->count; ++i) put(kind, from, i, of_rank(world_rank, i, round));
  MPI_Allreduce(given, in, kind->count, kind->type, kind->op, MPI_COMM_WORLD);
  for (int i = 0; i < kind->count; ++i)
    CHECK(get(kind, in, i) == combined(kind, i, round), "allreduce %d, round %d: %g at %d", number, round,
          get(kind, in, i), i);
  for (int i = 0; i < kind->count; ++i) put(kind, in, i, of_rank(world_rank, i, round));
  MPI_Bcast(in, kind->count, kind->type, kind->root, MPI_COMM_WORLD);
  for (int i = 0; i < kind->count; ++i)
    CHECK(get(kind, in, i) == of_rank(kind->root, i, round), "bcast %d, round %d: %g at %d", number, round,
          get(kind, in, i), i);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 30;
  for (int kinds = 1; kinds <= kKinds; ++kinds)
    for (int round = 0; round < rounds * kinds; ++round) {
      const int number = round / kinds % 5 == 4 ? 0 : round % kinds;  // now and then one alone
      const Kind kind = kind_of(number);
      call(&kind, number, round);
    }
  return end("in_turn: %d rounds", rounds);
}
