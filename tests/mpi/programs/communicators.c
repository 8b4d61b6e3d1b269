// SPDX-License-Identifier: BSD-3-Clause
// Communicators of every making are used at once, beside one another, and freed at will, also while their
// operations are in flight.
#include "check.h"

static int made;

// A sum, and an exchange, over the communicator, whose members are checked by their world ranks.
static void use(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return;
  int rank, size, sum = -1, root_says = -1, everybody[64], wanted = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Request requests[2];
  root_says = rank == size - 1 ? world_rank : -1;
  MPI_Iallgather(&world_rank, 1, MPI_INT, everybody, 1, MPI_INT, comm, &requests[0]);
  MPI_Ibcast(&root_says, 1, MPI_INT, size - 1, comm, &requests[1]);
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < size; ++i) wanted += everybody[i];
  CHECK(everybody[rank] == world_rank, "%d", everybody[rank]);
  CHECK(sum == wanted, "sum %d of communicator %d, wanted %d", sum, made, wanted);
  CHECK(root_says == everybody[size - 1], "%d", root_says);
  ++made;
}

static void use_and_free(MPI_Comm comm) {
  use(comm);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

// From every rank of both sides, with one more on one side where their number is odd.
static void bcast_between(MPI_Comm inter) {
  for (int root = 0; root < world_size; ++root) {
    int word = world_rank == root ? 77 + root : -1;
    const int is_here = root % 2 == world_rank % 2;
    const int who = !is_here ? root / 2 : root == world_rank ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(&word, 1, MPI_INT, who, inter);
    if (!is_here) CHECK(word == 77 + root, "%d from rank %d of the other side", word, root);
  }
}

static void constructors(void) {
  MPI_Comm made_comm, half, inter, merged;
  MPI_Group world, evens;
  MPI_Comm_dup(MPI_COMM_WORLD, &made_comm);
  use_and_free(made_comm);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &made_comm);
  use_and_free(made_comm);
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 3, -world_rank, &made_comm);
  use_and_free(made_comm);
  MPI_Comm_split(MPI_COMM_WORLD, world_rank == 0 ? MPI_UNDEFINED : 0, 0, &made_comm);
  CHECK((made_comm == MPI_COMM_NULL) == (world_rank == 0), "rank %d", world_rank);
  use_and_free(made_comm);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world_rank, MPI_INFO_NULL, &made_comm);
  use_and_free(made_comm);

  int even_ranks[64], count = 0;
  for (int r = 0; r < world_size; r += 2) even_ranks[count++] = r;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, count, even_ranks, &evens);
  MPI_Comm_create(MPI_COMM_WORLD, evens, &made_comm);
  use_and_free(made_comm);
  if (world_rank % 2 == 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, evens, 17, &made_comm);
    use_and_free(made_comm);
  }
  MPI_Group_free(&evens);
  MPI_Group_free(&world);

  int dims[2] = {0, 0}, periods[2] = {1, 0};
  MPI_Dims_create(world_size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &made_comm);
  use(made_comm);
  MPI_Comm line;
  MPI_Cart_sub(made_comm, (int[2]){1, 0}, &line);
  use_and_free(line);
  MPI_Comm_free(&made_comm);
  const int next = (world_rank + 1) % world_size, previous = (world_rank + world_size - 1) % world_size;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &previous, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &made_comm);
  use_and_free(made_comm);

  if (world_size == 1) return;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - world_rank % 2, 3, &inter);
  int theirs = -1, wanted = 0;
  MPI_Allreduce(&world_rank, &theirs, 1, MPI_INT, MPI_SUM, inter);
  for (int r = 1 - world_rank % 2; r < world_size; r += 2) wanted += r;
  CHECK(theirs == wanted, "%d from the other side, wanted %d", theirs, wanted);
  MPI_Barrier(inter);
  bcast_between(inter);
  MPI_Request request;
  MPI_Ibarrier(inter, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Intercomm_merge(inter, world_rank % 2, &merged);
  use_and_free(merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

// Makes others of the communicator that is just being duplicated.
static int copy_within(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
  (void)keyval, (void)in, (void)out;
  MPI_Comm within;
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_split(comm, (world_rank + i) % 2, 0, &within);
    use_and_free(within);
  }
  *flag = 0;
  ++*(int*)extra;
  return MPI_SUCCESS;
}

// Constructors inside constructors; and some that are called in vain.
static void nested_and_refused(void) {
  int keyval, copies = 0, one = 1;
  MPI_Comm parent, child;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
  MPI_Comm_create_keyval(copy_within, MPI_COMM_NULL_DELETE_FN, &keyval, &copies);
  MPI_Comm_set_attr(parent, keyval, &one);
  for (int i = 0; i < 4; ++i) {
    for (int refused = 0; refused < i % 3; ++refused)
      CHECK(MPI_Comm_split(parent, 0, 0, NULL) != MPI_SUCCESS, "no place for a communicator, %d", i);
    MPI_Comm_split(parent, 0, -world_rank, &child);
    use_and_free(child);
    MPI_Comm_dup(parent, &child);
    use_and_free(child);
  }
  CHECK(copies == 4, "%d copies", copies);
  MPI_Comm_free_keyval(&keyval);
  MPI_Comm_free(&parent);
}

// Completed in every way, while other calls on the same communicator go on; then what is made of it.
static void idup(void) {
  for (int way = 0; way < 4; ++way) {
    MPI_Comm copies[3], child, last;
    MPI_Request requests[4];
    int sum = -1, flag = 0;
    MPI_Comm_idup(MPI_COMM_WORLD, &copies[0], &requests[0]);
    MPI_Comm_idup(MPI_COMM_SELF, &copies[1], &requests[1]);
    MPI_Comm_idup(MPI_COMM_WORLD, &copies[2], &requests[2]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[3]);
    MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(sum == world_size - 1, "%d", sum);
    if (way == 0) MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 3; way > 0 && i >= 0; --i) {
      if (way == 1) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
      for (flag = way == 1; !flag;)
        if (way == 2) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
        else MPI_Testall(1, &requests[i], &flag, MPI_STATUSES_IGNORE);
      CHECK(requests[i] == MPI_REQUEST_NULL, "request %d stays, way %d", i, way);
    }
    for (int i = 0; i < 3; ++i) use(copies[i]);
    MPI_Comm_dup(copies[2], &child);
    use(child);
    MPI_Comm_idup(child, &last, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    use_and_free(last);
    MPI_Comm_free(&child);
    for (int i = 0; i < 3; ++i) MPI_Comm_free(&copies[i]);
  }
}

// The communicator's handle goes before its operations are complete.
static void freed_in_flight(void) {
  for (int round = 0; round < 100; ++round) {
    MPI_Comm comm;
    MPI_Request requests[12];
    int in[12][64], out[64];
    for (int i = 0; i < 64; ++i) out[i] = world_rank + round;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 12; i += 2) {
      MPI_Iallreduce(out, in[i], 3, MPI_INT, MPI_SUM, comm, &requests[i]);
      MPI_Ialltoall(out, 1, MPI_INT, in[i + 1], 1, MPI_INT, comm, &requests[i + 1]);
    }
    MPI_Comm_free(&comm);
    MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 12; i += 2) {
      const int wanted = world_size * (world_size - 1) / 2 + world_size * round;
      CHECK(in[i][2] == wanted, "%d in operation %d of round %d", in[i][2], i, round);
      for (int r = 0; r < world_size; ++r) CHECK(in[i + 1][r] == r + round, "%d from %d", in[i + 1][r], r);
    }
  }
}

// Many alive at the same time, freed in another order.
static void many_at_once(void) {
  enum { kMany = 150 };
  static MPI_Comm comms[kMany];
  int order[kMany];
  uint64_t seed = 3;
  for (int i = 0; i < kMany; ++i)
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % (1 + i % 3), world_rank, &comms[i]);
  shuffle(order, kMany, &seed);
  for (int i = 0; i < kMany; ++i) use(comms[order[i]]);
  for (int i = 0; i < kMany; ++i) MPI_Comm_free(&comms[order[i]]);
}

// One after the other, with other neighbours each: what is called alike on them means other ranks.
static void other_neighbors(void) {
  for (int distance = 0; distance < 6; ++distance) {
    const int to = (world_rank + distance) % world_size;
    const int from = (world_rank + world_size - distance % world_size) % world_size;
    int got = -1;
    MPI_Comm graph;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_alltoall(&world_rank, 1, MPI_INT, &got, 1, MPI_INT, graph);
    CHECK(got == from, "%d from %d, at distance %d", got, from, distance);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&graph);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  use(MPI_COMM_SELF);
  for (int i = 0; i < 3; ++i) constructors();
  nested_and_refused();
  idup();
  freed_in_flight();
  many_at_once();
  other_neighbors();
  use(MPI_COMM_WORLD);
  return end("communicators made, used and freed");
}
