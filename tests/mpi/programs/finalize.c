// SPDX-License-Identifier: BSD-3-Clause
// What programs do while MPI_Finalize runs: the callbacks of MPI_COMM_SELF's attributes come first, and
// everything is still there for them (MPI-4.0, section 11.2.2). Argument: what is left for then.
#include "check.h"

static const char* kind;
static int mine, sum;
static MPI_Request request;

static int is(const char* what) { return strcmp(kind, what) == 0; }

static int at_the_end(MPI_Comm self, int keyval, void* value, void* state) {
  int other = 0;
  (void)self, (void)keyval, (void)value, (void)state;
  if (is("started") && world_rank > 0)
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  if (is("persistent")) MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum == world_size * (world_size + 1) / 2, "the sum is %d", sum);
  MPI_Allreduce(&mine, &other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(other == sum, "MPI_Allreduce gave %d", other);
  if (is("persistent")) MPI_Request_free(&request);
  return MPI_SUCCESS;
}

static int never_copied(MPI_Comm old, int keyval, void* state, void* from, void* into, int* is_copied) {
  (void)old, (void)keyval, (void)state, (void)from, (void)into, (void)is_copied;
  CHECK(0, "nobody duplicates MPI_COMM_SELF");
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int keyval = MPI_KEYVAL_INVALID;
  begin(&argc, &argv);
  kind = argv[1];
  mine = world_rank + 1;
  if (!is("unmatched")) {
    MPI_Comm_create_keyval(never_copied, at_the_end, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    MPI_Comm_free_keyval(&keyval);
  }
  if (is("persistent"))
    INIT(Allreduce)(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  else if (world_rank == 0 || is("awaited"))  // the others never do if it is unmatched, which is an error
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  return end("%s", kind);
}
