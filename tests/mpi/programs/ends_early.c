// SPDX-License-Identifier: BSD-3-Clause
// The last rank begins no more collectives on a communicator, of which the others call one: they get an
// error. Arguments: how it ends (finalize, free); the others' call (allreduce, bcast, allgatherv,
// iallreduce). Before that all are called once, and the last rank goes away before others have what it sent.
#include <unistd.h>

#include "check.h"

enum { kMost = 16, kPatience = 5, kMicrosecondsLate = 300000 };
static MPI_Comm comm;

static int call(const char* what) {
  int in = world_rank, out[kMost] = {0}, counts[kMost], places[kMost];
  MPI_Request request;
  for (int i = 0; i < world_size; ++i) counts[i] = 1, places[i] = i;
  if (strcmp(what, "allreduce") == 0) return MPI_Allreduce(&in, out, 1, MPI_INT, MPI_SUM, comm);
  if (strcmp(what, "bcast") == 0) return MPI_Bcast(out, kMost, MPI_INT, world_size - 1, comm);
  if (strcmp(what, "allgatherv") == 0)
    return MPI_Allgatherv(&in, 1, MPI_INT, out, counts, places, MPI_INT, comm);
  const int code = MPI_Iallreduce(&in, out, 1, MPI_INT, MPI_SUM, comm, &request);
  return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int is_last = world_rank == world_size - 1;
  CHECK(world_size <= kMost, "%d ranks are too many", world_size);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // MPI_Wait calls that one
  call("allreduce"), call("allgatherv"), call("iallreduce");
  if (!is_last) usleep(kMicrosecondsLate);
  for (int i = 0; i < 3; ++i) {
    const int code = call("bcast");
    CHECK(code == MPI_SUCCESS, "%d", code);
  }
  if (is_last) {
    if (strcmp(argv[1], "free") == 0) MPI_Comm_free(&comm);
    return end("");
  }
  for (int i = 0; i < 2; ++i) {
    int class = MPI_SUCCESS;
    alarm(kPatience);
    const int code = call(argv[2]);
    alarm(0);
    CHECK(code != MPI_SUCCESS, "%s", argv[2]);
    MPI_Error_class(code, &class);
    CHECK(class == MPI_ERR_OTHER, "error class %d", class);
  }
  return end("told twice");
}
