// SPDX-License-Identifier: BSD-3-Clause
// MPI-4's sessions: communicators made from process sets, before MPI_Init, beside MPI_COMM_WORLD, around it
// or with none of it, and what is made of them.
#include <unistd.h>

#include "check.h"

static MPI_Comm from_set(MPI_Session session, const char* set, const char* tag) {
  MPI_Group group;
  MPI_Comm comm;
  MPI_Group_from_session_pset(session, set, &group);
  MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &world_rank);
  MPI_Comm_size(comm, &world_size);
  return comm;
}

// Blocking, non-blocking and persistent on one communicator, with a message among the requests.
static void use(MPI_Comm comm) {
  int rank = 0, size = 0, sum = 0, sums[2] = {0, 0}, from = -1, root = -1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size, all = size * (size + 1) / 2;
  int mine = rank + 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == all, "MPI_Allreduce gave %d, wanted %d", sum, all);

  MPI_Request requests[4];
  MPI_Iallreduce(&mine, &sums[0], 1, MPI_INT, MPI_SUM, comm, &requests[0]);
  MPI_Irecv(&from, 1, MPI_INT, left, 3, comm, &requests[1]);
  MPI_Isend(&rank, 1, MPI_INT, right, 3, comm, &requests[2]);
  MPI_Allreduce_init(&mine, &sums[1], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[3]);
  for (int turn = 0; turn < 3; ++turn) {
    sums[1] = -1;
    MPI_Start(&requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    CHECK(sums[0] == all && sums[1] == all, "MPI_Iallreduce gave %d, the persistent one %d, wanted %d",
          sums[0], sums[1], all);
    CHECK(from == left, "the message was from %d, not %d", from, left);
  }
  MPI_Request_free(&requests[3]);

  if (rank == size - 1) root = 77;
  MPI_Bcast(&root, 1, MPI_INT, size - 1, comm);
  CHECK(root == 77, "MPI_Bcast gave %d", root);
  MPI_Barrier(comm);
}

static void use_it_and_its_children(MPI_Comm comm) {
  MPI_Comm half, copy, inter, merged;
  use(comm);
  MPI_Comm_split(comm, world_rank % 2, -world_rank, &half);
  use(half);
  const int others_leader = world_size - 1 - ((world_size - 1 - world_rank) % 2 == 0);  // the highest
  MPI_Intercomm_create(half, 0, comm, others_leader, 6, &inter);
  MPI_Intercomm_merge(inter, world_rank % 2, &merged);
  MPI_Comm_free(&inter);
  use(merged);
  MPI_Comm_free(&merged);
  MPI_Comm_dup(half, &copy);
  MPI_Comm_free(&half);
  use(copy);
  MPI_Comm_free(&copy);
}

static void session(const char* tag) {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Comm world = from_set(session, "mpi://WORLD", tag), self = from_set(session, "mpi://SELF", tag);
  use(self);
  MPI_Comm_rank(world, &world_rank);
  MPI_Comm_size(world, &world_size);
  use_it_and_its_children(world);
  MPI_Comm_free(&self);
  MPI_Comm_free(&world);
  MPI_Session_finalize(&session);
}

// MPI_Finalize ends MPI_COMM_WORLD, but not the session.
static void around(int* argc, char*** argv) {
  MPI_Session session;
  MPI_Request requests[2];
  int from = -1, done = 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Comm comm = from_set(session, "mpi://WORLD", "around");
  begin(argc, argv);
  use(MPI_COMM_WORLD);
  MPI_Finalize();
  const int left = (world_rank + world_size - 1) % world_size;
  MPI_Irecv(&from, 1, MPI_INT, left, 4, comm, &requests[0]);
  MPI_Isend(&world_rank, 1, MPI_INT, (world_rank + 1) % world_size, 4, comm, &requests[1]);
  while (!done) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
  CHECK(from == left, "the message was from %d, not %d", from, left);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}

// argv: "alone", with no MPI_Init; "beside" MPI_COMM_WORLD; "before" it; or "around" it.
int main(int argc, char** argv) {
  const char* when = argc > 1 ? argv[1] : "alone";
  const int has_init = strcmp(when, "beside") == 0 || strcmp(when, "before") == 0;
  if (strcmp(when, "around") == 0) around(&argc, &argv);
  else if (strcmp(when, "beside") != 0) session("first");
  if (!has_init) {
    if (world_rank == 0) printf("a session %s\n", when);
    return 0;
  }
  // MPICH 5 itself hangs in one of five launches where a rank calls MPI_Init while another still ends a
  // session.
  if (strcmp(when, "before") == 0) usleep(300 * 1000);
  begin(&argc, &argv);
  use_it_and_its_children(MPI_COMM_WORLD);
  session("second");
  use(MPI_COMM_WORLD);
  return end("a session %s", when);
}
