// SPDX-License-Identifier: BSD-3-Clause
// Calls whose buffers overlap, or whose lengths do not agree: refused PART.
//   overlap  what a host says of each, on whom: nobody waits for a rank that is refused
//   others   one rank is refused; the others get their results, and what follows on the communicator is right
//   lengths  a rank sends itself more or less than it expects from itself
//   told     a failed persistent operation says the same error by whatever call completes it
#include "collectives.h"
#include "forms.h"

enum { kMost = 64, kLength = 8 };
static int in[kMost * kLength], memory[2 * kMost * kLength], counts[kMost], places[kMost], byte_places[kMost];
static int more_counts[kMost];
static MPI_Datatype types[kMost], int_again;
static MPI_Comm control;

// What one rank does with its two buffers.
typedef struct {
  void *sends, *receives;
  int count, own;  // elements of a block, and of the one that is sent to the rank itself
  MPI_Datatype type;
} Side;

static int code;
#define TRY(Name, name, ...)                                                  \
  do {                                                                        \
    if (form == kBlocking) code = MPI_##Name(__VA_ARGS__);                    \
    else if (form == kNonblocking) code = MPI_I##name(__VA_ARGS__, &request); \
    else code = INIT(Name)(__VA_ARGS__, MPI_INFO_NULL, &request);             \
  } while (0)

static void call(Collective which, Side s, int root, MPI_Comm comm) {
  const int n = s.count, own = s.own;
  for (int r = 0; r < world_size; ++r) {
    counts[r] = more_counts[r] = n, places[r] = n * r, byte_places[r] = (int)sizeof(int) * n * r;
    types[r] = MPI_INT;
  }
  const int* sent = counts;
  if (own != n) more_counts[world_rank] = own, sent = more_counts;
  void *a = s.sends, *b = s.receives;
  switch (which) {
    case kGather: TRY(Gather, gather, a, own, s.type, b, n, MPI_INT, root, comm); break;
    case kGatherv: TRY(Gatherv, gatherv, a, own, s.type, b, counts, places, MPI_INT, root, comm); break;
    case kScatter: TRY(Scatter, scatter, a, n, MPI_INT, b, own, s.type, root, comm); break;
    case kScatterv: TRY(Scatterv, scatterv, a, counts, places, MPI_INT, b, own, s.type, root, comm); break;
    case kAllgather: TRY(Allgather, allgather, a, own, s.type, b, n, MPI_INT, comm); break;
    case kAllgatherv: TRY(Allgatherv, allgatherv, a, own, s.type, b, counts, places, MPI_INT, comm); break;
    case kAlltoall: TRY(Alltoall, alltoall, a, own, s.type, b, n, MPI_INT, comm); break;
    case kAlltoallv:
      TRY(Alltoallv, alltoallv, a, sent, places, s.type, b, counts, places, MPI_INT, comm);
      break;
    case kAlltoallw:
      TRY(Alltoallw, alltoallw, a, sent, byte_places, types, b, counts, byte_places, types, comm);
      break;
    case kReduce: TRY(Reduce, reduce, a, b, n, MPI_INT, MPI_SUM, root, comm); break;
    case kAllreduce: TRY(Allreduce, allreduce, a, b, n, MPI_INT, MPI_SUM, comm); break;
    case kReduceScatterBlock:
      TRY(Reduce_scatter_block, reduce_scatter_block, a, b, n, MPI_INT, MPI_SUM, comm);
      break;
    case kReduceScatter: TRY(Reduce_scatter, reduce_scatter, a, b, counts, MPI_INT, MPI_SUM, comm); break;
    case kScan: TRY(Scan, scan, a, b, n, MPI_INT, MPI_SUM, comm); break;
    default: TRY(Exscan, exscan, a, b, n, MPI_INT, MPI_SUM, comm);
  }
  if (form == kPersistent && code == MPI_SUCCESS) code = MPI_Start(&request);
  if (form != kBlocking && code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (form == kPersistent && request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

static int class_of(int error) {
  int error_class = 0;
  MPI_Error_class(error, &error_class);
  return error_class;
}

static const Collective tried[] = {
    kGather,    kGatherv, kScatter,   kScatterv,           kAllgather,     kAllgatherv, kAlltoall, kAlltoallv,
    kAlltoallw, kReduce,  kAllreduce, kReduceScatterBlock, kReduceScatter, kScan,       kExscan};
enum { kTried = sizeof tried / sizeof *tried };

enum { kSameAddress, kOwnBlock, kOtherType, kPlaces };
static const char* const place_names[] = {"the same address", "the own block",
                                          "the own block by another type"};

static MPI_Comm another_comm(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

static int value(int rank, int i) { return 1000 * (rank + 1) + i; }

static Side apart(int n) {
  for (int i = 0; i < kMost * kLength; ++i) in[i] = value(world_rank, i);
  for (int i = 0; i < 2 * kMost * kLength; ++i) memory[i] = -1;
  return (Side){in, memory, n, n, MPI_INT};
}

static Side overlapping(Collective which, int n, int place) {
  Side s = apart(n);
  memcpy(memory, in, sizeof in);
  int* const own = &memory[n * world_rank];
  s.sends = s.receives = memory;
  const int has_own_place = which >= kGather && which <= kAllgatherv;
  if (place != kSameAddress && has_own_place) *(scatters(which) ? &s.receives : &s.sends) = own;
  if (place == kOtherType) s.type = int_again;
  return s;
}

// Who gathers sends and goes on; who is scattered to waits for a root that may be refused.
static void overlap(void) {
  for (form = 0; form < kForms; ++form)
    for (int i = 0; i < kTried; ++i)
      for (int place = 0; place < kPlaces; ++place)
        for (int n = 0; n <= 2; n += 2) {
          const Collective which = tried[i];
          const int root = 1, takes_root = is_rooted(which), is_wrong = !takes_root || world_rank == root;
#ifdef OPEN_MPI
          if (which == kAlltoall && place != kSameAddress)
            continue;  // what is there depends on its algorithm
#else
          if (place == kOtherType && which != kAlltoall) continue;  // ends the job
#endif
          const int is_own_block_of_one = which == kAllgather || which == kAllgatherv;
          if (place == kSameAddress && is_own_block_of_one) continue;  // the others would wait for it
          MPI_Comm comm = another_comm();
          int outcome = MPI_SUCCESS;
          const Side s = is_wrong ? overlapping(which, n, place) : apart(n);
          if (is_wrong || !scatters(which)) call(which, s, root, comm), outcome = class_of(code);
          if (scatters(which)) {
            int refused = outcome;
            MPI_Bcast(&refused, 1, MPI_INT, root, control);
            if (!is_wrong && refused == MPI_SUCCESS) call(which, s, root, comm), outcome = class_of(code);
          }
          int outcomes[kMost];
          MPI_Gather(&outcome, 1, MPI_INT, outcomes, 1, MPI_INT, 0, control);
          for (int rank = 0; world_rank == 0 && rank < world_size; ++rank)
            printf("%s %s of %d, %s: class %d on rank %d\n", form_names[form], collective_names[which], n,
                   place_names[place], outcomes[rank], rank);
          MPI_Barrier(control);
        }
}

static void check_others(Collective which, int n, int root, const char* what) {
  const int me = world_rank, size = world_size;
  int sum = 0;
  for (int r = 0; r < size; ++r) sum += value(r, 0);
  const int blocks = which == kAllgather || which == kAllgatherv;
  for (int r = 0; r < size && blocks; ++r)
    for (int k = 0; k < n; ++k)
      CHECK(memory[n * r + k] == value(r, (r == root ? n * r : 0) + k), "%s: block %d", what, r);
  for (int r = 0; r < size && which >= kAlltoall && which <= kAlltoallw; ++r)
    for (int k = 0; k < n; ++k) CHECK(memory[n * r + k] == value(r, n * me + k), "%s: block %d", what, r);
  if (scatters(which)) CHECK(memory[0] == value(root, n * me), "%s: %d", what, memory[0]);
  if (which == kAllreduce) CHECK(memory[0] == sum, "%s: %d", what, memory[0]);
  if (which == kReduceScatter || which == kReduceScatterBlock)
    CHECK(memory[0] == sum + size * n * me, "%s: %d", what, memory[0]);
}

static int handled;
static void handle(MPI_Comm* comm, int* error, ...) { (void)comm, (void)error, ++handled; }

static void others(void) {
  int any = 0;
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(handle, &handler);
  for (form = 0; form < kPersistent; ++form)
    for (int i = 0; i < kTried; ++i)
      for (int place = 0; place < kOtherType; ++place)
        for (int n = 2; n <= kLength; n += kLength - 2) {
          const Collective which = tried[i];
          const int root = 1;
          MPI_Comm comm = another_comm();
          MPI_Comm_set_errhandler(comm, handler);
          MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);  // Open MPI reports MPI_Allreduce there
          handled = 0;
          const Side s = world_rank == root ? overlapping(which, n, place) : apart(n);
          call(which, s, root, comm);
          const int kept = world_rank != root || memory[n * root] == value(root, n * root);
          int refused = handled;
          CHECK(handled <= (world_rank == root), "called %d times", handled);
          for (int rank = 0; rank < world_size; ++rank) {  // the same order of calls for all
            int x = world_rank, y = -1;
            MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm);
            CHECK(y == world_size * (world_size - 1) / 2, "%s and then %d", collective_names[which], y);
          }
          MPI_Request after;
          int x = world_rank, y = -1;
          MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_MAX, comm, &after);
          MPI_Wait(&after, MPI_STATUS_IGNORE);
          CHECK(y == world_size - 1, "%s and then %d", collective_names[which], y);
          MPI_Bcast(&refused, 1, MPI_INT, root, control);
          any += refused;
          if (refused && world_rank == root) CHECK(kept, "the buffer of a refused call is not touched");
          if (refused && world_rank != root) check_others(which, n, root, collective_names[which]);
          MPI_Comm_free(&comm);
        }
  CHECK(any > 0, "every host refuses something");
  MPI_Errhandler_free(&handler);
}

// What the host makes of a block by itself.
static int outcome_alone(Collective which, int sent, int expected) {
  int from[2 * kLength], into[2 * kLength];
  code = which >= kAlltoall ? MPI_Alltoall(from, sent, MPI_INT, into, expected, MPI_INT, MPI_COMM_SELF)
                            : MPI_Allgather(from, sent, MPI_INT, into, expected, MPI_INT, MPI_COMM_SELF);
  return class_of(code);
}

static void lengths(void) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (form = 0; form < kForms; ++form)
    for (int i = 0; i < kTried; ++i)
      for (int more = 0; more < 2; ++more) {
        const Collective which = tried[i];
        if (is_reduction(which)) continue;
        const int n = 4, root = 1, me = world_rank, other = more ? 2 * n : n / 2;
        MPI_Comm comm = another_comm();
        Side s = apart(n);
        if (me == root) s.own = other;
        const int sent = scatters(which) ? n : other, expected = scatters(which) ? other : n;
        const int outcome = me == root ? outcome_alone(which, sent, expected) : MPI_SUCCESS;
        call(which, s, root, comm);
        CHECK(class_of(code) == outcome, "%s %s: class %d, not %d", form_names[form], collective_names[which],
              class_of(code), outcome);
        int all_well = code == MPI_SUCCESS;
        MPI_Bcast(&all_well, 1, MPI_INT, root, control);
        const int own = scatters(which) ? 0 : n * root;
        if (me == root && all_well && !scatters(which))
          CHECK(memory[own] == value(root, which == kAlltoall  ? other * root
                                           : which > kAlltoall ? own
                                                               : 0) &&
                    memory[own + n - 1] == (more ? memory[own] + n - 1 : -1),
                "%s: %d and %d", collective_names[which], memory[own], memory[own + n - 1]);
        if (me != root && (which == kAllgather || which == kAllgatherv))
          CHECK(memory[n * root] == value(root, 0) && memory[n * me + 1] == value(me, 1), "%s: %d",
                collective_names[which], memory[n * root]);
        const int from = (which == kAlltoall ? other : n) * me;
        if (me != root && which >= kAlltoall)
          CHECK(memory[n * root] == value(root, from), "%s: %d", collective_names[which], memory[n * root]);
        if (me != root && scatters(which)) CHECK(memory[0] == value(root, n * me), "%d", memory[0]);
        int x = me, y = -1;
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm);
        CHECK(y == world_size * (world_size - 1) / 2, "%s and then %d", collective_names[which], y);
        MPI_Comm_free(&comm);
      }
}

enum { kWait, kTest, kWaitall, kTestall, kWaitany, kTestany, kWaitsome, kTestsome, kWaitallIgnored, kWays };

static int completed(int way, MPI_Request* both, int* error) {
  MPI_Status statuses[2] = {0};
  int flag = 0, index = 0, found = 0, indices[2];
  *error = MPI_SUCCESS;
  switch (way) {
    case kWait: return *error = MPI_Wait(&both[1], MPI_STATUS_IGNORE);
    case kTest:
      while (!flag && *error == MPI_SUCCESS) *error = MPI_Test(&both[1], &flag, MPI_STATUS_IGNORE);
      return *error;
    case kWaitany: return *error = MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
    case kTestany:
      while (!flag && *error == MPI_SUCCESS) *error = MPI_Testany(2, both, &index, &flag, MPI_STATUS_IGNORE);
      return *error;
    case kWaitallIgnored: return *error = MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    case kWaitall: code = MPI_Waitall(2, both, statuses); break;
    case kTestall:
      while (!flag && code == MPI_SUCCESS) code = MPI_Testall(2, both, &flag, statuses);
      break;
    case kWaitsome: code = MPI_Waitsome(2, both, &found, indices, statuses); break;
    default:
      while (found == 0 && code == MPI_SUCCESS) code = MPI_Testsome(2, both, &found, indices, statuses);
  }
  *error = statuses[found == 0 ? 1 : 0].MPI_ERROR;
  return code;
}

static void told(void) {
  const int n = 4, is_wrong = world_rank == 0;
  MPI_Comm comm = another_comm();
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int wanted = is_wrong ? outcome_alone(kAlltoallv, 2 * n, n) : MPI_SUCCESS;
  for (int way = 0; way < kWays; ++way) {
    MPI_Request both[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    const Side s = apart(n);
    for (int r = 0; r < world_size; ++r) counts[r] = more_counts[r] = n, places[r] = n * r;
    if (is_wrong) more_counts[world_rank] = 2 * n;
    INIT(Alltoallv)
    (s.sends, more_counts, places, MPI_INT, s.receives, counts, places, MPI_INT, comm, MPI_INFO_NULL,
     &both[1]);
    for (int round = 0; round < 2; ++round) {
      int error = MPI_SUCCESS;
      code = MPI_SUCCESS;
      MPI_Start(&both[1]);
      const int said = class_of(completed(way, both, &error));
      CHECK(class_of(error) == wanted, "way %d: class %d, not %d", way, class_of(error), wanted);
      CHECK((said != MPI_SUCCESS) == is_wrong && both[1] != MPI_REQUEST_NULL, "way %d: class %d", way, said);
      CHECK(MPI_Wait(&both[1], MPI_STATUS_IGNORE) == MPI_SUCCESS, "it is said once");
    }
    MPI_Request_free(&both[1]);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &control);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Type_contiguous(1, MPI_INT, &int_again);
  MPI_Type_commit(&int_again);
  const char* part = argv[1];
  if (strcmp(part, "overlap") == 0) overlap();
  if (strcmp(part, "others") == 0) others();
  if (strcmp(part, "lengths") == 0) lengths();
  if (strcmp(part, "told") == 0) told();
  MPI_Type_free(&int_again);
  return end("%s", part);
}
