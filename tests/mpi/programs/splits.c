// SPDX-License-Identifier: BSD-3-Clause
// Splits of one communicator, drawn from a seed: the same one a few times, then another, so that whoever was
// the first of a part is so again, or suddenly not. Keys come twice, are negative, or turn the order around;
// some members take no part. Some of what is made lives on for a while. Every part is of those whom
// MPI_Comm_split promises, in its order, and reduces right.
#include <stdlib.h>

#include "check.h"

enum { kMost = 64, kAlive = 5 };

static uint64_t state = 7;

static void check(MPI_Comm made, const int* colors, const int* keys, int rank, int size, int round) {
  int order[kMost], count = 0;
  for (int key = -2; key <= kMost; ++key)
    for (int who = 0; who < size; ++who)
      if (colors[who] == colors[rank] && keys[who] == key) order[count++] = who;
  int found = 0, place = 0, gathered[kMost], sum = 0;
  MPI_Comm_size(made, &found);
  MPI_Comm_rank(made, &place);
  CHECK(found == count && order[place] == rank, "round %d: place %d of %d", round, place, found);
  MPI_Allgather(&rank, 1, MPI_INT, gathered, 1, MPI_INT, made);
  for (int i = 0; i < count; ++i) CHECK(gathered[i] == order[i], "round %d: member %d", round, i);
  MPI_Allreduce(&gathered[0], &sum, 1, MPI_INT, MPI_SUM, made);
  CHECK(sum == order[0] * count, "round %d: sum %d", round, sum);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int rounds = atoi(argv[1]);
  MPI_Comm parent, alive[kAlive];
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  for (int i = 0; i < kAlive; ++i) alive[i] = MPI_COMM_NULL;
  int colors[kMost], keys[kMost], left = 0;
  for (int round = 0; round < rounds; ++round) {
    if (left-- == 0) {
      left = (int)(draw(&state) % 5);
      const uint32_t parts = 1 + draw(&state) % 3, order = draw(&state) % 4, absent = draw(&state) % 4;
      for (int who = 0; who < world_size; ++who) {
        colors[who] = draw(&state) % 8 < absent ? MPI_UNDEFINED : (int)(draw(&state) % parts);
        const int by_order[] = {who, world_size - who, (int)(draw(&state) % 3) - 2, 0};
        keys[who] = by_order[order];
      }
    }
    MPI_Comm* const made = &alive[round % kAlive];
    if (*made != MPI_COMM_NULL) MPI_Comm_free(made);
    MPI_Comm_split(parent, colors[world_rank], keys[world_rank], made);
    if (*made != MPI_COMM_NULL) check(*made, colors, keys, world_rank, world_size, round);
    CHECK((*made == MPI_COMM_NULL) == (colors[world_rank] == MPI_UNDEFINED), "round %d", round);
    if (round % 50 == 49) {  // the next parent gets this one's memory, now or later
      MPI_Comm_free(&parent);
      MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    }
  }
  for (int i = 0; i < kAlive; ++i)
    if (alive[i] != MPI_COMM_NULL) MPI_Comm_free(&alive[i]);
  MPI_Comm_free(&parent);
  return end("%d rounds", rounds);
}
