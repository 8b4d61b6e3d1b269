// SPDX-License-Identifier: BSD-3-Clause
// A callback that MPI_Comm_free runs uses the communicator once more, blocking and not. On a copy made by
// MPI_Comm_dup the callback's attribute is older than whatever a library sets there.
#include "check.h"

static int calls = 0;

static int use(MPI_Comm comm, int keyval, void* value, void* state) {
  (void)keyval, (void)value, (void)state;
  static int in[20000], out[20000];
  int one = 1, ranks = 0;
  MPI_Request request;
  for (int i = 0; i < 20000; ++i) in[i] = i, out[i] = 0;
  MPI_Iallreduce(in, out, 20000, MPI_INT, MPI_SUM, comm, &request);
  MPI_Allreduce(&one, &ranks, 1, MPI_INT, MPI_SUM, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(ranks == world_size && out[19999] == 19999 * world_size, "%d ranks, %d", ranks, out[19999]);
  ++calls;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int keyval = MPI_KEYVAL_INVALID, sum = 0;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, use, &keyval, NULL);
  for (int round = 0; round < 20; ++round) {
    MPI_Comm first, copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_set_attr(first, keyval, NULL);
    MPI_Comm_dup(first, &copy);
    MPI_Comm_free(&copy);
    MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, first);
    CHECK(sum == world_size * (world_size - 1) / 2, "%d", sum);
    MPI_Comm_free(&first);
  }
  CHECK(calls == 40, "%d", calls);
  MPI_Comm_free_keyval(&keyval);
  return end("callbacks");
}
