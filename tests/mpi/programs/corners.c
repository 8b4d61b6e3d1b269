// SPDX-License-Identifier: BSD-3-Clause
// Corners of legal (and of wrong but reported) use: corners NAME. Each has been a defect of a drop-in once.
#include "forms.h"

static int freed_inside;

static int free_another(MPI_Datatype type, int keyval, void* value, void* extra) {
  (void)type, (void)keyval, (void)extra;
  ++freed_inside;
  return MPI_Type_free((MPI_Datatype*)value);
}

// The status of a Sendrecv while a collective is under way, with neighbours and at the border.
static void sendrecv(void) {
  double x = 1, y = 0;
  for (int round = 0; round < 20; ++round) {
    MPI_Request request;
    MPI_Status status;
    int out = world_rank, in = -1, count = 0;
    const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    MPI_Iallreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Sendrecv(&out, 1, MPI_INT, right, 5, &in, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(in == left && status.MPI_SOURCE == left && status.MPI_TAG == 5 && count == 1, "a message from %d",
          left);
    MPI_Sendrecv_replace(&out, 1, MPI_INT, right, 6, left, 6, MPI_COMM_WORLD, &status);
    CHECK(out == left && status.MPI_SOURCE == left && status.MPI_TAG == 6, "replaced by %d's", left);
    MPI_Sendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 7, &in, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD,
                 &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && count == 0,
          "nobody's status");
    MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL, "nobody's status");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(y == world_size, "%d, not %g", world_size, y);
  }
}

// Absolute addresses: the datatype says where the data is.
static void bottom(void) {
  int a[2] = {world_rank == 0 ? 7 : 0, 0}, b = world_rank == 0 ? 9 : 0;
  MPI_Aint places[2];
  const int lengths[2] = {2, 1};
  MPI_Get_address(a, &places[0]);
  MPI_Get_address(&b, &places[1]);
  MPI_Datatype type;
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD);
  CHECK(a[0] == 7 && b == 9, "7 and 9, not %d and %d", a[0], b);
  MPI_Type_free(&type);
}

static void empty_type(void) {
  MPI_Datatype nothing;
  int x = world_rank;
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  MPI_Type_commit(&nothing);
  MPI_Bcast(&x, 3, nothing, 0, MPI_COMM_WORLD);
  CHECK(x == world_rank, "nothing to change");
  MPI_Type_free(&nothing);
}

// A root may broadcast from memory that cannot be written.
static void constant_root(void) {
  static const int table[6] = {1, 2, 3, 4, 5, 6};
  int mine[6] = {0};
  MPI_Datatype every_other;
  MPI_Type_vector(3, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Bcast(world_rank == 0 ? (void*)table : mine, 1, every_other, 0, MPI_COMM_WORLD);
  if (world_rank != 0)
    CHECK(mine[0] == 1 && mine[1] == 0 && mine[2] == 3 && mine[4] == 5, "only every other element");
  MPI_Type_free(&every_other);
}

// A type that was never committed is the caller's error, and its communicator says what becomes of it.
static void uncommitted(void) {
  MPI_Datatype type;
  int x[4] = {0}, error_class = MPI_SUCCESS;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  const int code = MPI_Bcast(x, 1, type, 0, MPI_COMM_WORLD);
  MPI_Error_class(code, &error_class);
  CHECK(error_class == MPI_ERR_TYPE, "MPI_ERR_TYPE (%d), not class %d", MPI_ERR_TYPE, error_class);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Type_free(&type);
}

// A message that is too long ends the operation with an error, and what follows works.
static void truncated(void) {
  int data[8] = {0}, all[64], error_class = MPI_SUCCESS;
  MPI_Comm comm;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // where MPICH reports what its MPI_Test finds
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (int round = 0; round < 5; ++round) {
    const int code = MPI_Bcast(data, world_rank == 0 ? 8 : 2, MPI_INT, 0, comm);
    MPI_Error_class(code, &error_class);
    if (world_rank != 0) CHECK(error_class != MPI_SUCCESS, "an error");
    for (int i = 0; i < world_size; ++i) data[i % 8] = 100 * world_rank + i;
    MPI_Alltoall(data, 1, MPI_INT, all, 1, MPI_INT, comm);
    for (int i = 0; i < world_size; ++i)
      CHECK(all[i] == 100 * i + world_rank, "%d from %d, not %d", 100 * i + world_rank, i, all[i]);
  }
  MPI_Comm_free(&comm);
}

// Freeing a type whose attribute frees another, while a collective that uses the first is under way.
static void free_callback(void) {
  int keyval;
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, free_another, &keyval, NULL);
  for (int round = 0; round < 20; ++round) {
    int from[2] = {world_rank, -1}, into[64];
    MPI_Datatype type, other;
    MPI_Request request;
    MPI_Type_vector(1, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_contiguous(2, MPI_INT, &other);
    MPI_Type_set_attr(type, keyval, &other);
    MPI_Iallgather(from, 1, type, into, 1, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Type_free(&type);
    CHECK(type == MPI_DATATYPE_NULL, "a null handle");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < world_size; ++i) CHECK(into[i] == i, "%d, not %d", i, into[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(freed_inside == round + 1, "%d types freed by callbacks, not %d", round + 1, freed_inside);
  }
  MPI_Type_free_keyval(&keyval);
}

// A null handle stays an error while operations are under way.
static void free_null(void) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Request request;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (world_rank == 0) {
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    CHECK(MPI_Type_free(&type) != MPI_SUCCESS, "an error");
    CHECK(MPI_Op_free(&op) != MPI_SUCCESS, "an error");
    MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    if (world_rank == 1) MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Blocking against non-blocking calls in another order on each rank: hosts let it pass, so must a drop-in.
static void crossed_order(void) {
  for (int root = 0; root < world_size; ++root) {
    double x = 1, y = 0;
    MPI_Request request;
    if (world_rank == root) MPI_Iallreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank != root) MPI_Iallreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(y == world_size, "%d, not %g", world_size, y);
  }
}

// More than Weft keeps of packed copies, which a persistent operation needs again at its next start.
static void large_persistent(void) {
  enum { kCount = 17 << 20 };
  MPI_Datatype spaced;
  MPI_Request request;
  double* buffer = malloc(2 * sizeof(double) * kCount);
  CHECK(buffer != NULL, "no memory");
  MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * sizeof(double), &spaced);
  MPI_Type_commit(&spaced);
  INIT(Bcast)(buffer, kCount, spaced, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < kCount; ++i) buffer[2 * i] = world_rank == 0 ? turn * 0.5 + i : -1;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < kCount; ++i)
      CHECK(buffer[2 * i] == turn * 0.5 + i, "%g at %d, start %d", buffer[2 * i], i, turn);
  }
  MPI_Request_free(&request);
  MPI_Type_free(&spaced);
  free(buffer);
}

// A buffer that means nothing on a rank may be anything there, MPI_IN_PLACE too.
static void meaningless_buffer(void) {
  MPI_Datatype spaced;
  int all[64] = {0}, mine[2] = {-1, -1};
  for (int i = 0; i < 64; ++i) all[i] = i;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spaced);
  MPI_Type_commit(&spaced);
  const void* from = world_rank == 0 ? (const void*)all : MPI_IN_PLACE;
  MPI_Scatter(from, 1, spaced, mine, 1, spaced, 0, MPI_COMM_WORLD);
  CHECK(mine[0] == 2 * world_rank && mine[1] == -1, "%d, %d", mine[0], mine[1]);
  MPI_Type_free(&spaced);
}

// One rank waits before it makes a communicator, the other afterwards.
static void constructor_first(void) {
  enum { kElements = 60000 };
  static int mine[kElements], sums[kElements];
  MPI_Request started;
  MPI_Comm copy;
  for (int i = 0; i < kElements; ++i) mine[i] = world_rank + i;
  MPI_Iallreduce(mine, sums, kElements, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &started);
  if (world_rank == 0) MPI_Wait(&started, MPI_STATUS_IGNORE);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Wait(&started, MPI_STATUS_IGNORE);
  for (int i = 0; i < kElements; ++i)
    CHECK(sums[i] == world_size * (world_size - 1) / 2 + world_size * i, "%d at %d", sums[i], i);
  MPI_Comm_free(&copy);
}

// MPICH takes no datatype for no elements, which only one rank may have.
static void no_type(void) {
  int out[64], in[64], counts[64], places[64];
  MPI_Datatype types[64];
  for (int i = 0; i < world_size; ++i) {
    const int is_sent = (world_rank + i) % 2;
    counts[i] = is_sent;
    places[i] = i * (int)sizeof(int);
    types[i] = is_sent || world_rank > 0 ? MPI_INT : MPI_DATATYPE_NULL;
    out[i] = 10 * world_rank + i;
    in[i] = -1;
  }
  MPI_Alltoallw(out, counts, places, types, in, counts, places, types, MPI_COMM_WORLD);
  for (int i = 0; i < world_size; ++i)
    CHECK(in[i] == (counts[i] ? 10 * i + world_rank : -1), "%d from %d", in[i], i);
}

// The lists lie in the same arrays each time, with other numbers: every other call repeats the one before.
static void changed_lists(void) {
  enum { kMost = 8, kBlock = 4, kRoom = (kMost + 2) * kBlock };
  int out[kRoom], in[kRoom], counts[kMost], out_at[kMost], in_at[kMost], bytes[kMost];
  MPI_Datatype types[kMost];
  CHECK(world_size <= kMost, "%d ranks are too many", world_size);
  for (int round = 0; round < 24; ++round) {
    const int kind = round / 2;
    int* const from = out + kind % 4;
    for (int i = 0; i < kRoom; ++i) out[i] = 1000 * round + 100 * world_rank + i, in[i] = -1;
    for (int i = 0; i < world_size; ++i) {
      counts[i] = (world_rank + i + kind) % kBlock;  // the same both ways
      out_at[i] = i * kBlock + kind % 2;
      in_at[i] = (world_size - 1 - i) * kBlock + kind % 3;
      bytes[i] = out_at[i] * (int)sizeof(int);
      types[i] = MPI_INT;
    }
    MPI_Alltoallv(from, counts, out_at, MPI_INT, in, counts, in_at, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < world_size; ++i)
      for (int k = 0; k < counts[i]; ++k)
        CHECK(in[in_at[i] + k] == 1000 * round + 100 * i + kind % 4 + world_rank * kBlock + kind % 2 + k,
              "alltoallv, round %d: %d from %d", round, in[in_at[i] + k], i);
    MPI_Alltoallw(from, counts, bytes, types, in, counts, bytes, types, MPI_COMM_WORLD);
    for (int i = 0; i < world_size; ++i)
      for (int k = 0; k < counts[i]; ++k)
        CHECK(in[out_at[i] + k] == 1000 * round + 100 * i + kind % 4 + world_rank * kBlock + kind % 2 + k,
              "alltoallw, round %d: %d from %d", round, in[out_at[i] + k], i);
    for (int i = 0; i < world_size; ++i) counts[i] = (i + kind) % kBlock;
    MPI_Allgatherv(from, counts[world_rank], MPI_INT, in, counts, in_at, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < world_size; ++i)
      for (int k = 0; k < counts[i]; ++k)
        CHECK(in[in_at[i] + k] == 1000 * round + 100 * i + kind % 4 + k, "allgatherv, round %d: %d from %d",
              round, in[in_at[i] + k], i);
    const int root = kind % world_size;
    MPI_Gatherv(from, counts[world_rank], MPI_INT, in, world_rank == root ? counts : NULL,
                world_rank == root ? out_at : NULL, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < world_size && world_rank == root; ++i)
      for (int k = 0; k < counts[i]; ++k)
        CHECK(in[out_at[i] + k] == 1000 * round + 100 * i + kind % 4 + k, "gatherv, round %d: %d from %d",
              round, in[out_at[i] + k], i);
    int elements = 0, before = 0;
    for (int i = 0; i < world_size; ++i) elements += counts[i], before += i < world_rank ? counts[i] : 0;
    MPI_Reduce_scatter(from, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int k = 0; k < counts[world_rank]; ++k)
      CHECK(in[k] == world_size * (1000 * round + kind % 4 + before + k) + 50 * world_size * (world_size - 1),
            "reduce_scatter, round %d: %d at %d", round, in[k], k);
  }
}

// Long blocks beside empty and short ones, in sizes of one class.
static void long_and_empty_blocks(void) {
  enum { kLong = 40000, kRanks = 16 };
  CHECK(world_size <= kRanks, "%d ranks are too many", world_size);
  double* from = malloc(2 * kLong * sizeof *from);
  double* in = malloc(2 * kLong * sizeof *in);
  int counts[kRanks] = {0}, places[kRanks] = {0};
  const int last = world_size - 1;
  for (int length = 500; length <= kLong; length = length * 3 / 2)
    for (int others = 1; others <= length; others *= 20) {
      counts[last] = others;
      counts[0] = length;  // on one rank the only block
      for (int i = 1; i < world_size; ++i) places[i] = places[i - 1] + counts[i - 1];
      const int all = places[last] + counts[last], own = places[world_rank];
      for (int k = 0; k < all; ++k) from[k] = world_rank + k;
      MPI_Allgatherv(from + own, counts[world_rank], MPI_DOUBLE, in, counts, places, MPI_DOUBLE,
                     MPI_COMM_WORLD);
      for (int k = 0; k < all; ++k)
        CHECK(in[k] == k + (k < length ? 0 : last), "allgatherv of %d and %d: %g at %d", length, others,
              in[k], k);
      MPI_Reduce_scatter(from, in, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      for (int k = 0; k < counts[world_rank]; ++k)
        CHECK(in[k] == (double)world_size * (own + k) + world_size * (world_size - 1) / 2,
              "reduce_scatter of %d and %d: %g at %d", length, others, in[k], k);
    }
  free(from);
  free(in);
}

static void finalize_at_exit(void) { MPI_Finalize(); }

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } corners[] = {{"sendrecv", sendrecv},
                 {"bottom", bottom},
                 {"empty_type", empty_type},
                 {"constant_root", constant_root},
                 {"uncommitted", uncommitted},
                 {"truncated", truncated},
                 {"free_callback", free_callback},
                 {"free_null", free_null},
                 {"crossed_order", crossed_order},
                 {"large_persistent", large_persistent},
                 {"meaningless_buffer", meaningless_buffer},
                 {"no_type", no_type},
                 {"constructor_first", constructor_first},
                 {"changed_lists", changed_lists},
                 {"long_and_empty_blocks", long_and_empty_blocks}};
  const char* wanted = argc > 1 ? argv[1] : "";
  // Handlers that are registered first run last, after the static objects of libraries are gone.
  if (strcmp(wanted, "at_exit") == 0) atexit(finalize_at_exit);
  begin(&argc, &argv);
  if (strcmp(wanted, "at_exit") == 0) {
    int x = world_rank, y = 0;
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (world_rank == 0) printf("at_exit: %d\n", y);
    return 0;
  }
  int ran = 0;
  for (size_t i = 0; i < sizeof corners / sizeof *corners; ++i)
    if (strcmp(corners[i].name, wanted) == 0) corners[i].run(), ++ran;
  CHECK(ran == 1, "%s is no corner", wanted);
  return end("%s: done", wanted);
}
