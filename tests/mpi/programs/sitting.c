// SPDX-License-Identifier: BSD-3-Clause
// One rank starts a collective and then sits in a blocking call of the host, or polls one, until a message
// comes (or goes) that depends on others having completed that collective. Argument: the call it sits in.
#include "check.h"

static int in[64], out[64], block = 4;

static MPI_Request start(int kind, int root) {
  MPI_Request request;
  for (int i = 0; i < 64; ++i) out[i] = world_rank + i, in[i] = -1;
  switch (kind) {
    case 0: MPI_Ibarrier(MPI_COMM_WORLD, &request); break;
    case 1: MPI_Ibcast(world_rank == root ? out : in, block, MPI_INT, root, MPI_COMM_WORLD, &request); break;
    case 2: MPI_Ireduce(out, in, block, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &request); break;
    case 3: MPI_Iallreduce(out, in, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); break;
    case 4: MPI_Iallgather(out, block, MPI_INT, in, block, MPI_INT, MPI_COMM_WORLD, &request); break;
    default: MPI_Ialltoall(out, block, MPI_INT, in, block, MPI_INT, MPI_COMM_WORLD, &request); break;
  }
  return request;
}

static void check_result(int kind, int root) {
  const int n = world_size, ranks_sum = n * (n - 1) / 2;
  for (int i = 0; i < block; ++i) {
    if (kind == 1 && world_rank != root) CHECK(in[i] == root + i, "%d", in[i]);
    if (kind == 3 || (kind == 2 && world_rank == root)) CHECK(in[i] == ranks_sum + n * i, "%d", in[i]);
  }
  if (kind < 4) return;
  for (int r = 0; r < n; ++r)
    for (int i = 0; i < block; ++i)
      CHECK(in[r * block + i] == r + i + (kind == 5 ? world_rank * block : 0), "%d", in[r * block + i]);
}

// The sitter's call; `partner` releases it.
static void sit(const char* call, int partner) {
  int word = 0, other = 0, flag = 0, index;
  MPI_Message message;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Status* const ignore = MPI_STATUS_IGNORE;
  if (strcmp(call, "ssend") == 0) {
    MPI_Ssend(&word, 1, MPI_INT, partner, 1, world);
    return;
  }
  if (strcmp(call, "sendrecv") == 0) {
    MPI_Sendrecv(&word, 1, MPI_INT, partner, 1, &other, 1, MPI_INT, partner, 1, world, ignore);
    return;
  }
  if (strcmp(call, "probe") == 0) MPI_Probe(partner, 1, world, ignore);
  if (strcmp(call, "iprobe") == 0)
    while (!flag) MPI_Iprobe(partner, 1, world, &flag, ignore);
  if (strcmp(call, "mprobe") == 0) {
    MPI_Mprobe(partner, 1, world, &message, ignore);
    MPI_Mrecv(&word, 1, MPI_INT, &message, ignore);
    return;
  }
  if (strncmp(call, "wait", 4) != 0 && strncmp(call, "test", 4) != 0) {
    MPI_Recv(&word, 1, MPI_INT, partner, 1, world, ignore);
    return;
  }
  MPI_Irecv(&word, 1, MPI_INT, partner, 1, world, &requests[1]);
  if (strcmp(call, "wait") == 0) MPI_Wait(&requests[1], ignore);
  if (strcmp(call, "waitall") == 0) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (strcmp(call, "waitany") == 0) MPI_Waitany(2, requests, &index, ignore);
  if (strcmp(call, "waitsome") == 0) MPI_Waitsome(2, requests, &flag, (int[2]){0}, MPI_STATUSES_IGNORE);
  if (strcmp(call, "test") == 0)
    while (!flag) MPI_Test(&requests[1], &flag, ignore);
  CHECK(requests[1] == MPI_REQUEST_NULL, "%s to complete the message", call);
}

static void release(const char* call, int sitter) {
  int word = 7;
  if (strcmp(call, "ssend") == 0) MPI_Recv(&word, 1, MPI_INT, sitter, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else if (strcmp(call, "sendrecv") == 0)
    MPI_Sendrecv_replace(&word, 1, MPI_INT, sitter, 1, sitter, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else MPI_Send(&word, 1, MPI_INT, sitter, 1, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const char* call = argc > 1 ? argv[1] : "recv";
  int rounds = 0;
  for (int kind = 0; kind < 6; ++kind)
    for (int sitter = 0; sitter < world_size; ++sitter)
      for (int root = 0; root < world_size; ++root, ++rounds) {
        const int partner = (sitter + 1 + root) % world_size == sitter ? (sitter + 1) % world_size
                                                                       : (sitter + 1 + root) % world_size;
        MPI_Request request = start(kind, root);
        if (world_rank == sitter) sit(call, partner);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check_result(kind, root);
        if (world_rank == partner) release(call, sitter);
      }
  return end("%s: %d rounds", call, rounds);
}
