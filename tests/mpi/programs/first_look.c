// SPDX-License-Identifier: BSD-3-Clause
// What has been sent before a collective that synchronises is there at the first look after it: programs
// count on it, although only a host's way of waiting makes it so.
#include "check.h"

enum { kRounds = 200, kMany = 32 };

static int next, previous, word, words[kMany];
static MPI_Request persistent;  // a barrier
static MPI_Request sending[kMany], receiving[kMany];

static void send(int count) {
  for (int i = 0; i < count; ++i) MPI_Isend(&words[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &sending[i]);
}
static void receive(int count) {
  static int into[kMany];
  for (int i = 0; i < count; ++i) MPI_Irecv(&into[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &receiving[i]);
}

static void synchronise(int round) {
  const int one = 1;
  int sum = 0;
  MPI_Request request;
  switch (round % 4) {
    case 0: MPI_Barrier(MPI_COMM_WORLD); break;
    case 1: MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); break;
    case 2: MPI_Ibarrier(MPI_COMM_WORLD, &request), MPI_Wait(&request, MPI_STATUS_IGNORE); break;
    default: MPI_Start(&persistent), MPI_Wait(&persistent, MPI_STATUS_IGNORE);
  }
}

static void message_is_there(int round) {
  int there = 0;
  MPI_Message message;
  send(1);
  synchronise(round);
  if (round % 3 == 0) {
    MPI_Iprobe(previous, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    MPI_Recv(&word, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(there, "MPI_Iprobe in round %d", round);
  } else {
    MPI_Improbe(previous, 0, MPI_COMM_WORLD, &there, &message, MPI_STATUS_IGNORE);
    CHECK(there, "MPI_Improbe in round %d", round);
    MPI_Mrecv(&word, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  }
  MPI_Wait(&sending[0], MPI_STATUS_IGNORE);
}

static void messages_are_there(int round) {
  int there = 0;
  receive(kMany);
  send(kMany);
  synchronise(round);
  MPI_Testall(kMany, receiving, &there, MPI_STATUSES_IGNORE);
  CHECK(there, "MPI_Testall in round %d", round);
  MPI_Waitall(kMany, sending, MPI_STATUSES_IGNORE);
}

static void access_is_over(MPI_Win window, MPI_Group group, int round) {
  int over = 0;
  if (world_rank == 0) {
    MPI_Win_start(group, 0, window);
    synchronise(round);
    MPI_Win_complete(window);
    synchronise(round);
  } else {
    MPI_Win_post(group, 0, window);
    synchronise(round);
    synchronise(round);
    MPI_Win_test(window, &over);
    CHECK(over, "MPI_Win_test in round %d", round);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  next = (world_rank + 1) % world_size, previous = (world_rank + world_size - 1) % world_size;
  for (int round = 0; round < 2; ++round) {  // the hosts connect by the first messages
    receive(kMany), send(kMany);
    MPI_Waitall(kMany, receiving, MPI_STATUSES_IGNORE), MPI_Waitall(kMany, sending, MPI_STATUSES_IGNORE);
  }
  MPI_Win window;
  MPI_Group all, group;
  const int root = 0;
  INIT(Barrier)(MPI_COMM_WORLD, MPI_INFO_NULL, &persistent);
  MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  world_rank == 0 ? MPI_Group_excl(all, 1, &root, &group) : MPI_Group_incl(all, 1, &root, &group);
  for (int round = 0; round < kRounds; ++round) {
    message_is_there(round);
    messages_are_there(round);
    access_is_over(window, group, round);
  }
  MPI_Group_free(&all), MPI_Group_free(&group);
  MPI_Win_free(&window);
  MPI_Request_free(&persistent);
  return end("%d rounds", kRounds);
}
