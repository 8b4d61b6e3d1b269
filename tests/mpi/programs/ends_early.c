// SPDX-License-Identifier: BSD-3-Clause
// The last rank begins no more collectives on a communicator, of which the others call one: they get an
// error. Arguments: how it ends (finalize, free); the others' call (allreduce, bcast, allgatherv, iallreduce,
// queued). Before that it frees a communicator on which others still wait for a slow rank: it has done its
// part there, and nothing fails.
#include <unistd.h>

#include "check.h"

enum { kMost = 16, kPatience = 5, kMicrosecondsLate = 700000, kQueued = 5, kLong = 1 << 18 };

static int waited(MPI_Request* request) { return MPI_Wait(request, MPI_STATUS_IGNORE); }

// More than have room at a time; an error if all have ended with one.
static int queued(MPI_Comm comm) {
  MPI_Request requests[kQueued];
  int* in = calloc(kLong, sizeof *in);
  int* out[kQueued];
  int code = MPI_ERR_OTHER;
  for (int i = 0; i < kQueued; ++i) {
    out[i] = calloc(kLong, sizeof **out);
    MPI_Iallreduce(in, out[i], kLong, MPI_INT, MPI_SUM, comm, &requests[i]);
  }
  for (int i = 0; i < kQueued; ++i)
    if (waited(&requests[i]) == MPI_SUCCESS) code = MPI_SUCCESS;
  for (int i = 0; i < kQueued; ++i) free(out[i]);
  free(in);
  return code;
}

static int call(const char* what, MPI_Comm comm) {
  int in = world_rank, out[kMost] = {0}, counts[kMost], places[kMost];
  MPI_Request request;
  for (int i = 0; i < world_size; ++i) counts[i] = 1, places[i] = i;
  if (strcmp(what, "allreduce") == 0) return MPI_Allreduce(&in, out, 1, MPI_INT, MPI_SUM, comm);
  if (strcmp(what, "bcast") == 0) return MPI_Bcast(out, kMost, MPI_INT, world_size - 1, comm);
  if (strcmp(what, "allgatherv") == 0)
    return MPI_Allgatherv(&in, 1, MPI_INT, out, counts, places, MPI_INT, comm);
  if (strcmp(what, "queued") == 0) return queued(comm);
  const int code = MPI_Iallreduce(&in, out, 1, MPI_INT, MPI_SUM, comm, &request);
  return code != MPI_SUCCESS ? code : waited(&request);
}

static void free_before_others_have_come(void) {
  MPI_Comm comm;
  int out[kMost] = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (world_rank == 1) usleep(kMicrosecondsLate);
  const int code = MPI_Gather(&world_rank, 1, MPI_INT, out, 1, MPI_INT, 0, comm);
  CHECK(code == MPI_SUCCESS, "%d", code);
  for (int i = 0; world_rank == 0 && i < world_size; ++i) CHECK(out[i] == i, "%d of rank %d", out[i], i);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int frees = strcmp(argv[1], "free") == 0;
  MPI_Comm comm;
  const int is_last = world_rank == world_size - 1;
  CHECK(world_size <= kMost, "%d ranks are too many", world_size);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // MPI_Wait calls that one
  call("allreduce", comm), call("allgatherv", comm), call("iallreduce", comm);
  free_before_others_have_come();
  if (is_last && frees) MPI_Comm_free(&comm);
  for (int i = 0; i < 2 && !is_last; ++i) {
    int class = MPI_SUCCESS;
    alarm(kPatience);
    const int code = call(argv[2], comm);
    alarm(0);
    CHECK(code != MPI_SUCCESS, "%s", argv[2]);
    MPI_Error_class(code, &class);
    CHECK(class == MPI_ERR_OTHER, "error class %d", class);
  }
  if (frees) MPI_Barrier(MPI_COMM_WORLD);
  return end("told twice");
}
