// SPDX-License-Identifier: BSD-3-Clause
// Rank 0, the root, and the others do not say the same length: whoever would wait for ever gets an error.
// Arguments: gather, scatter, gatherv, scatterv or alltoallv, bytes at the root, bytes elsewhere; or roots, a
// gatherv of which everybody is the root by its own account; or last, in which only what rank 0 has for the
// last rank and what that expects differ in an alltoallv, so that it must be an error there. It ends with
// MPI_Abort: nothing that follows could be trusted.
#include <unistd.h>

#include "check.h"

enum { kMost = 16 };
static const char* what;
static int is(const char* name) { return strcmp(what, name) == 0; }

static int first_bytes, last_bytes;

static int disagree_with_the_last(char* in, char* out, MPI_Comm comm) {
  const int last = world_size - 1;
  int sent[kMost], got[kMost], places[kMost];
  for (int i = 0; i < world_size; ++i) sent[i] = got[i] = last_bytes, places[i] = i << 20;
  if (world_rank == 0) sent[last] = first_bytes;
  const int code = MPI_Alltoallv(in, sent, places, MPI_CHAR, out, got, places, MPI_CHAR, comm);
  CHECK(world_rank != last || code != MPI_SUCCESS, "%d bytes were taken for %d", first_bytes, last_bytes);
  return code;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  what = argv[1];
  first_bytes = atoi(argv[2]);
  last_bytes = atoi(argv[3]);
  const int bytes = world_rank == 0 ? first_bytes : last_bytes;
  char* in = calloc((size_t)world_size, 1 << 20);
  char* out = calloc((size_t)world_size, 1 << 20);
  int code, class, theirs;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int counts[kMost], places[kMost];
  CHECK(world_size <= kMost, "%d ranks are too many", world_size);
  for (int i = 0; i < world_size; ++i) counts[i] = i == world_rank ? 0 : bytes, places[i] = i << 20;
  const int own = world_rank == 0 ? 0 : bytes;
  if (is("gather")) code = MPI_Gather(in, bytes, MPI_CHAR, out, bytes, MPI_CHAR, 0, comm);
  else if (is("scatter")) code = MPI_Scatter(in, bytes, MPI_CHAR, out, bytes, MPI_CHAR, 0, comm);
  else if (is("gatherv")) code = MPI_Gatherv(in, own, MPI_CHAR, out, counts, places, MPI_CHAR, 0, comm);
  else if (is("scatterv")) code = MPI_Scatterv(in, counts, places, MPI_CHAR, out, own, MPI_CHAR, 0, comm);
  else if (is("roots"))
    code = MPI_Gatherv(in, own, MPI_CHAR, out, counts, places, MPI_CHAR, world_rank, comm);
  else if (is("last")) code = disagree_with_the_last(in, out, comm);
  else code = MPI_Alltoallv(in, counts, places, MPI_CHAR, out, counts, places, MPI_CHAR, comm);
  MPI_Error_class(code, &class);
  CHECK(code == MPI_SUCCESS || class == MPI_ERR_TRUNCATE, "class %d", class);
  class = code == MPI_SUCCESS ? 0 : 1;
  if (world_rank > 0) MPI_Send(&class, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  for (int rank = 1; world_rank == 0 && rank < world_size; ++rank)
    MPI_Recv(&theirs, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (world_rank > 0) {  // inside MPI, so as to answer others
    MPI_Recv(&class, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (;;) pause();
  }
  printf("all have ended\n");
  fflush(stdout);
  for (int rank = 1; rank < world_size; ++rank) MPI_Send(&class, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
  usleep(300000);  // launchers drop what is written right before an abort
  MPI_Abort(MPI_COMM_WORLD, 0);
  return 0;
}
