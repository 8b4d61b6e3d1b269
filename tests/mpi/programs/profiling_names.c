// SPDX-License-Identifier: BSD-3-Clause
// Tools and Fortran libraries start and free by the names of the profiling interface what the program has
// made by the others.
#include "check.h"

enum { kRounds = 20 };

// As a tool that is linked into the program has it.
int MPI_Init(int* argc, char*** argv) { return PMPI_Init(argc, argv); }
int MPI_Finalize(void) { return PMPI_Finalize(); }

// Rank 0 is late, so that everybody else frees what is in use.
static void come_late(void) {
  if (world_rank == 0)
    for (const double start = MPI_Wtime(); MPI_Wtime() < start + 1e-3;) continue;
}

static void add(void* in, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)into)[i] += ((int*)in)[i];
}

// A datatype that MPI itself has to pack: its blocks do not lie at one distance.
static MPI_Datatype uneven(void) {
  const int lengths[] = {1, 2, 1}, places[] = {0, 2, 7};
  MPI_Datatype type;
  MPI_Type_indexed(3, lengths, places, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

static void free_a_type(int round) {
  int values[8];
  MPI_Request request;
  MPI_Datatype type = uneven();
  for (int i = 0; i < 8; ++i) values[i] = world_rank == 0 ? round + i : -1;
  come_late();
  MPI_Ibcast(values, 1, type, 0, MPI_COMM_WORLD, &request);
  PMPI_Type_free(&type);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(values[0] == round && values[2] == round + 2 && values[3] == round + 3 && values[7] == round + 7,
        "%d %d %d %d in round %d", values[0], values[2], values[3], values[7], round);
}

static void free_an_operator(int round) {
  int value = world_rank + round, sum = -1;
  MPI_Op op;
  MPI_Request request;
  MPI_Op_create(add, 1, &op);
  come_late();
  MPI_Iallreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
  PMPI_Op_free(&op);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const int wanted = world_size * (world_size - 1) / 2 + world_size * round;
  CHECK(sum == wanted, "%d in round %d", sum, round);
}

static void start(int round) {
  int values[2], sums[2];
  MPI_Request requests[2];
  for (int i = 0; i < 2; ++i)
    INIT(Allreduce)(&values[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < 2; ++i) values[i] = round + turn + i, sums[i] = -1;
    if (turn == 1) PMPI_Startall(2, requests);
    else PMPI_Start(&requests[0]), PMPI_Start(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; ++i)
      CHECK(sums[i] == world_size * (round + turn + i), "%d in turn %d", sums[i], turn);
  }
  PMPI_Request_free(&requests[0]), PMPI_Request_free(&requests[1]);
}

// The handles come again, for what is nobody's collective, while there is one that is.
static void use_the_handles_again(int round) {
  int from = -1, to = round, count = -1;
  MPI_Request persistent, requests[2];
  MPI_Status status;
  INIT(Barrier)(MPI_COMM_WORLD, MPI_INFO_NULL, &persistent);
  if (world_rank == 0) {
    MPI_Recv_init(&from, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[0]);
    MPI_Send_init(&to, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Wait(&requests[0], &status);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(from == round && status.MPI_TAG == 5 && count == 1, "%d, tag %d, count %d in round %d", from,
          status.MPI_TAG, count, round);
    MPI_Request_free(&requests[0]), MPI_Request_free(&requests[1]);
  }
  MPI_Start(&persistent);
  MPI_Wait(&persistent, MPI_STATUS_IGNORE);
  MPI_Request_free(&persistent);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int round = 0; round < kRounds; ++round) {
    free_a_type(round);
    free_an_operator(round);
    start(round);
    use_the_handles_again(round);
  }
  return end("%d rounds", kRounds);
}
