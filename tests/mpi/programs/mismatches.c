// SPDX-License-Identifier: BSD-3-Clause
// Programs that are wrong, one by name: what ranks do is not the same.
#include "check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const char* what = argv[1];
  const int me = world_rank, last = me == world_size - 1;
  double in[4] = {0, 1, 2, 3}, out[64];
  MPI_Request request;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_name(comm, "the second world");
  MPI_Barrier(comm);
  if (strcmp(what, "right") == 0) {  // in all its ways
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    if (last) MPI_Bcast(in, 2, pair, 0, comm);
    else MPI_Bcast(in, 4, MPI_DOUBLE, 0, comm);
    MPI_Type_free(&pair);
    if (last) MPI_Type_set_name(MPI_DOUBLE, "a name of one's own");
    MPI_Gather(in, 4, MPI_DOUBLE, me == 1 ? out : NULL, 4, MPI_DOUBLE, 1, comm);
    int counts[64], places[64];
    for (int i = 0; i < world_size; ++i) counts[i] = i % 2, places[i] = 2 * i;
    MPI_Type_contiguous(counts[me], MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    MPI_Gatherv(in, 1, pair, out, last ? counts : NULL, last ? places : NULL, MPI_DOUBLE, world_size - 1,
                comm);
    MPI_Type_free(&pair);
    MPI_Iallreduce(in, out, 4, MPI_DOUBLE, MPI_MAX, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    INIT(Bcast)(in, 4, MPI_DOUBLE, 0, comm, MPI_INFO_NULL, &request);
    for (int i = 0; i < 3; ++i) MPI_Start(&request), MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  } else if (strcmp(what, "function") == 0) {
    if (last) MPI_Barrier(comm);
    else MPI_Bcast(in, 4, MPI_DOUBLE, 0, comm);
  } else if (strcmp(what, "root") == 0) {
    MPI_Bcast(in, 4, MPI_DOUBLE, last ? 1 : 0, comm);
  } else if (strcmp(what, "count") == 0) {
    MPI_Allreduce(in, out, last ? 3 : 4, MPI_DOUBLE, MPI_SUM, comm);
  } else if (strcmp(what, "type") == 0) {
    MPI_Allgather(in, 1, last ? MPI_LONG : MPI_DOUBLE, out, 1, last ? MPI_LONG : MPI_DOUBLE, comm);
  } else if (strcmp(what, "itself") == 0) {
    MPI_Alltoall(in, 1, MPI_DOUBLE, out, last ? 2 : 1, MPI_DOUBLE, comm);
  } else if (strcmp(what, "own block") == 0) {
    int counts[64] = {1, 1, 1}, places[64] = {0, 2, 4};
    MPI_Allgatherv(in, last ? 2 : counts[me], MPI_DOUBLE, out, counts, places, MPI_DOUBLE, comm);
  } else if (strcmp(what, "gathered") == 0) {  // the root expects one more from the last
    int counts[64] = {1, 1, 1}, places[64] = {0, 2, 4};
    counts[world_size - 1] = 2;
    MPI_Gatherv(in, 1, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, 0, comm);
  } else if (strcmp(what, "scattered") == 0) {  // the last expects other numbers than it is sent
    int counts[64] = {1, 1, 1}, places[64] = {0, 1, 2};
    MPI_Iscatterv(in, counts, places, MPI_DOUBLE, out, 1, last ? MPI_LONG : MPI_DOUBLE, 0, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (strcmp(what, "exchanged") == 0) {  // the last sends the first one more than this expects
    int out_counts[64] = {1, 1, 1}, in_counts[64] = {1, 1, 1}, places[64] = {0, 2, 4};
    if (last) out_counts[0] = 2;
    MPI_Alltoallv(in, out_counts, (int[64]){0}, MPI_DOUBLE, out, in_counts, places, MPI_DOUBLE, comm);
  } else if (strcmp(what, "neighbours") == 0) {  // a ring, on which the last sends other numbers upwards
    MPI_Comm ring;
    MPI_Cart_create(comm, 1, (int[]){world_size}, (int[]){1}, 0, &ring);
    MPI_Comm_set_name(ring, "the second world");
    MPI_Datatype of_in[2] = {MPI_DOUBLE, last ? MPI_LONG : MPI_DOUBLE}, of_out[2] = {MPI_DOUBLE, MPI_DOUBLE};
    int ones[2] = {1, 1};
    MPI_Aint places[2] = {0, 8};
    MPI_Neighbor_alltoallw(in, ones, places, of_in, out, ones, places, of_out, ring);
    MPI_Comm_free(&ring);
  } else if (strcmp(what, "parts") == 0 || strcmp(what, "blocks") == 0) {
    int counts[64] = {1, 1}, places[64] = {0, 2};
    if (last) ++counts[0], --counts[1];
    if (strcmp(what, "parts") == 0) MPI_Reduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, comm);
    else MPI_Allgatherv(in, counts[me], MPI_DOUBLE, out, counts, places, MPI_DOUBLE, comm);
  } else if (strcmp(what, "operator") == 0) {
    MPI_Iallreduce(in, out, 4, MPI_DOUBLE, last ? MPI_MAX : MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (strcmp(what, "order") == 0) {
    MPI_Request other;
    MPI_Ibcast(last ? (void*)out : (void*)in, 1, MPI_DOUBLE, 0, comm, &request);
    if (last) MPI_Ibarrier(comm, &other);
    MPI_Ireduce(in, &out[8], 1, MPI_DOUBLE, MPI_SUM, 0, comm, last ? &other : &request);
    MPI_Barrier(comm);
  } else if (strcmp(what, "blocking") == 0) {
    if (last) MPI_Barrier(comm);
    else MPI_Ibarrier(comm, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (strcmp(what, "missing") == 0) {
    if (!last) MPI_Barrier(comm);
  } else if (strcmp(what, "freed") == 0) {
    if (last) MPI_Recv(in, 1, MPI_DOUBLE, 0, 7, comm, MPI_STATUS_IGNORE);
    MPI_Iallreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, comm, &request);
    if (me == 0) MPI_Request_free(&request), MPI_Send(in, 1, MPI_DOUBLE, world_size - 1, 7, comm);
    else MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
  } else if (strcmp(what, "cancelled") == 0) {
    MPI_Iallreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (strcmp(what, "cancelled persistent") == 0 || strcmp(what, "forgotten persistent") == 0) {
    INIT(Allreduce)(in, out, 4, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &request);
    for (int turn = 0; turn < 3; ++turn) {
      in[1] = turn;
      MPI_Start(&request);
      if (strcmp(what, "forgotten persistent") == 0) break;
      MPI_Cancel(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK(out[1] == turn * world_size, "%g in turn %d", out[1], turn);
    }
    MPI_Barrier(comm);
  } else if (strcmp(what, "forgotten") == 0) {
    MPI_Iallreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, comm, &request);
    MPI_Barrier(comm);
  }
  MPI_Comm_free(&comm);
  return end("%s", what);
}
