// SPDX-License-Identifier: BSD-3-Clause
#include "collective.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"

// Where the host's MPI has persistent collectives: in the standard, or as Open MPI 4's extension.
#if MPI_VERSION >= 4
#define BENCH_HAS_PERSISTENT 1
#define INIT(Name) MPI_##Name##_init
#elif defined(OPEN_MPI)
#include <mpi-ext.h>
#if defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define BENCH_HAS_PERSISTENT 1
#define INIT(Name) MPIX_##Name##_init
#endif
#endif

// name, Name, blocks going in and coming out, arguments of the blocking form. Broadcast works in its output.
#define COLLECTIVES(X)                                                                                       \
  X(barrier, Barrier, kNone, kNone, comm)                                                                    \
  X(bcast, Bcast, kNone, kOne, out, count, type, 0, comm)                                                    \
  X(gather, Gather, kOne, kPerRank, in, count, type, out, count, type, 0, comm)                              \
  X(gatherv, Gatherv, kOne, kPerRank, in, count, type, out, counts, places, type, 0, comm)                   \
  X(scatter, Scatter, kPerRank, kOne, in, count, type, out, count, type, 0, comm)                            \
  X(scatterv, Scatterv, kPerRank, kOne, in, counts, places, type, out, count, type, 0, comm)                 \
  X(allgather, Allgather, kOne, kPerRank, in, count, type, out, count, type, comm)                           \
  X(allgatherv, Allgatherv, kOne, kPerRank, in, count, type, out, counts, places, type, comm)                \
  X(alltoall, Alltoall, kPerRank, kPerRank, in, count, type, out, count, type, comm)                         \
  X(alltoallv, Alltoallv, kPerRank, kPerRank, in, counts, places, type, out, counts, places, type, comm)     \
  X(alltoallw, Alltoallw, kPerRank, kPerRank, in, counts, offsets, types, out, counts, offsets, types, comm) \
  X(reduce, Reduce, kOne, kOne, in, out, count, type, MPI_SUM, 0, comm)                                      \
  X(allreduce, Allreduce, kOne, kOne, in, out, count, type, MPI_SUM, comm)                                   \
  X(reduce_scatter, Reduce_scatter, kPerRank, kOne, in, out, counts, type, MPI_SUM, comm)                    \
  X(reduce_scatter_block, Reduce_scatter_block, kPerRank, kOne, in, out, count, type, MPI_SUM, comm)         \
  X(scan, Scan, kOne, kOne, in, out, count, type, MPI_SUM, comm)                                             \
  X(exscan, Exscan, kOne, kOne, in, out, count, type, MPI_SUM, comm)                                         \
  X(neighbor_allgather, Neighbor_allgather, kOne, kPerNeighbour, in, count, type, out, count, type, comm)    \
  X(neighbor_allgatherv, Neighbor_allgatherv, kOne, kPerNeighbour, in, count, type, out, counts, places,     \
    type, comm)                                                                                              \
  X(neighbor_alltoall, Neighbor_alltoall, kPerNeighbour, kPerNeighbour, in, count, type, out, count, type,   \
    comm)                                                                                                    \
  X(neighbor_alltoallv, Neighbor_alltoallv, kPerNeighbour, kPerNeighbour, in, counts, places, type, out,     \
    counts, places, type, comm)                                                                              \
  X(neighbor_alltoallw, Neighbor_alltoallw, kPerNeighbour, kPerNeighbour, in, counts, addresses, types, out, \
    counts, addresses, types, comm)

enum blocks { kNone, kOne, kPerRank, kPerNeighbour };

typedef void blocking_function(const struct collective*, int buffer);
typedef void starting_function(const struct collective*, int buffer, MPI_Request*);

struct operations {
  const char* name;
  enum blocks in, out;
  blocking_function* run;
  starting_function *start, *init;
  int requests;  // of one started operation
};

// The names that the arguments above are written with.
#define ARGUMENTS                                                                                           \
  const void* const in = c->in[buffer];                                                                     \
  void* const out = c->out[buffer];                                                                         \
  const int count = c->count, *const counts = c->counts, *const places = c->displacements;                  \
  const int* const offsets = c->byte_displacements;                                                         \
  const MPI_Aint* const addresses = c->addresses;                                                           \
  const MPI_Datatype type = c->type, *const types = c->types;                                               \
  const MPI_Comm comm = c->comm;                                                                            \
  (void)in, (void)out, (void)count, (void)counts, (void)places, (void)offsets, (void)addresses, (void)type, \
      (void)types

#define DEFINE_FORMS(name, Name, inputs, outputs, ...)                                     \
  static void run_##name(const struct collective* c, int buffer) {                         \
    ARGUMENTS;                                                                             \
    MPI_##Name(__VA_ARGS__);                                                               \
  }                                                                                        \
  static void start_##name(const struct collective* c, int buffer, MPI_Request* request) { \
    ARGUMENTS;                                                                             \
    MPI_I##name(__VA_ARGS__, request);                                                     \
  }                                                                                        \
  DEFINE_INIT(name, Name, __VA_ARGS__)

#ifdef BENCH_HAS_PERSISTENT
#define DEFINE_INIT(name, Name, ...)                                                      \
  static void init_##name(const struct collective* c, int buffer, MPI_Request* request) { \
    ARGUMENTS;                                                                            \
    INIT(Name)(__VA_ARGS__, MPI_INFO_NULL, request);                                      \
  }
#define INIT_OF(name) init_##name
#else
#define DEFINE_INIT(name, Name, ...)
#define INIT_OF(name) NULL
#endif

COLLECTIVES(DEFINE_FORMS)

#define LIST(name, Name, inputs, outputs, ...) \
  {#name, inputs, outputs, run_##name, start_##name, INIT_OF(name), 1},
static const struct operations kOperations[] = {
    COLLECTIVES(LIST)  //
    {"sendrecv", kOne, kOne, run_sendrecv, NULL, NULL, 0},
    {"isend", kOne, kOne, NULL, start_isend, NULL, 2},
    {"put", kOne, kOne, run_put, NULL, NULL, 0},
    {"iput", kOne, kOne, NULL, start_put, NULL, 0},
};

static int is(const struct collective* c, const char* name) { return strcmp(c->operations->name, name) == 0; }
static int is_one_sided(const struct collective* c) { return is(c, "put") || is(c, "iput"); }
static int starts(const struct collective* c, const char* prefix) {
  return strncmp(c->operations->name, prefix, strlen(prefix)) == 0;
}

static const struct operations* find(const char* name, enum form* form, const char** why) {
  static char wanted[40];
  const size_t length = strlen(name);
  *why = "there is no such collective";
  for (size_t i = 0; i < sizeof kOperations / sizeof *kOperations; ++i) {
    const struct operations* o = &kOperations[i];
    const char* forms[] = {"%s", "i%s", "%s_init"};
    for (int f = kBlocking; f <= kPersistent; ++f) {
      if (o->run == NULL || o->start == NULL) {  // what is no collective has the one form that its name says
        if (strcmp(name, o->name) != 0) continue;
        *form = o->run != NULL ? kBlocking : kNonblocking;
        return o;
      }
      snprintf(wanted, sizeof wanted, forms[f], o->name);
      if (length >= sizeof wanted || strcmp(name, wanted) != 0) continue;
      *form = (enum form)f;
      if (f != kPersistent || o->init != NULL) return o;
      *why = "this MPI has no persistent collectives";
    }
  }
  return NULL;
}

void collectives_require(const struct word_list* names) {
  for (int i = 0; i < names->count; ++i) {
    enum form form;
    const char* why;
    if (find(names->words[i], &form, &why) == NULL) refuse(names->words[i], why);
  }
}

int collectives_measure(const struct word_list* names, const struct number_list* sizes,
                        int (*measure)(const char* name, size_t bytes)) {
  int right = 1;
  for (int i = 0; i < names->count; ++i)
    for (int s = 0; s < sizes->count; ++s) {
      right &= measure(names->words[i], sizes->numbers[s]);
      if (strstr(names->words[i], "barrier") != NULL) break;
    }
  return right;
}

int buffers_of(const char* word) { return strcmp(word, "hot") == 0 ? kHot : kRotating; }

// ---- data ----

static size_t blocks(enum blocks which, const struct collective* c) {
  switch (which) {
    case kNone: return 0;
    case kOne: return 1;
    case kPerRank: return (size_t)c->ranks;
    default: return (size_t)c->neighbours;
  }
}

// Small whole numbers, so that sums are exact; they depend on rank and place.
static int value(int rank, size_t item) { return (int)((item * 7 + (size_t)rank * 3) % 11); }

static void fill(const struct collective* c, int buffer) {
  const size_t in = (size_t)c->count * c->in_blocks, out = (size_t)c->count * c->out_blocks;
  const int has_data = is(c, "bcast") && c->me == 0;
  if (c->type == MPI_DOUBLE) {
    double *const from = (double*)(void*)c->in[buffer], *const into = (double*)(void*)c->out[buffer];
    for (size_t i = 0; i < in; ++i) from[i] = value(c->me, i);
    for (size_t i = 0; i < out; ++i) into[i] = has_data ? value(0, i) : 255;
  } else {
    for (size_t i = 0; i < in; ++i) c->in[buffer][i] = (unsigned char)value(c->me, i);
    for (size_t i = 0; i < out; ++i) c->out[buffer][i] = (unsigned char)(has_data ? value(0, i) : 255);
  }
}

// What a block of a result is made of: what one rank has from item `offset` on, or the sum of what all ranks
// before `end` have there.
struct origin {
  size_t offset;
  int rank, end;
};

static struct origin origin_of(const struct collective* c, size_t block) {
  const size_t n = (size_t)c->count, mine = (size_t)c->me * n;
  const int from = (int)block;
  if (is(c, "bcast")) return (struct origin){0, 0, 0};
  if (is(c, "sendrecv") || is(c, "isend") || is_one_sided(c)) return (struct origin){0, left_of(c), 0};
  if (starts(c, "neighbor_")) {
    const int neighbour = c->neighbour[block];
    // A left neighbour comes first in everybody's list, unless there is but one neighbour.
    const int i_am_its_right = c->neighbours == 2 && (neighbour + 1) % c->ranks == c->me;
    return (struct origin){starts(c, "neighbor_alltoall") && i_am_its_right ? n : 0, neighbour, 0};
  }
  if (starts(c, "scatter")) return (struct origin){mine, 0, 0};
  if (starts(c, "alltoall")) return (struct origin){mine, from, 0};
  if (starts(c, "reduce_scatter")) return (struct origin){mine, 0, c->ranks};
  if (is(c, "reduce") || is(c, "allreduce")) return (struct origin){0, 0, c->ranks};
  if (is(c, "scan")) return (struct origin){0, 0, c->me + 1};
  if (is(c, "exscan")) return (struct origin){0, 0, c->me};
  return (struct origin){0, from, 0};  // gather, allgather
}

static int expected(struct origin origin, size_t item) {
  if (origin.end == 0) return value(origin.rank, origin.offset + item);
  int sum = 0;
  for (int r = 0; r < origin.end; ++r) sum += value(r, origin.offset + item);
  return sum;
}

static int has_result(const struct collective* c) {
  const int rooted = starts(c, "gather") || is(c, "reduce");
  return !(rooted && c->me != 0) && !(is(c, "exscan") && c->me == 0);
}

void collective_refresh(struct collective* c, long turn) { fill(c, (int)(turn % c->buffers)); }

int collective_result_is_right(struct collective* c, long turn) {
  const unsigned char* const out = c->out[turn % c->buffers];
  const size_t n = (size_t)c->count;
  int right = 1;
  for (size_t block = 0; has_result(c) && block < c->out_blocks; ++block) {
    const struct origin origin = origin_of(c, block);
    for (size_t i = 0; i < n; ++i) {
      const size_t at = block * n + i;
      const int wanted = expected(origin, i);
      right &=
          c->type == MPI_DOUBLE ? ((const double*)(const void*)out)[at] == wanted : out[at] == wanted % 256;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return right;
}

int collective_is_right(struct collective* c) {
  collective_refresh(c, 0);
  collective_run(c, 0);
  return collective_result_is_right(c, 0);
}

// ---- making and freeing ----

static void* memory(size_t size) {
  void* allocated = NULL;
  if (posix_memalign(&allocated, 4096, size == 0 ? 1 : size) != 0)
    refuse("memory", "there is not enough for the buffers");
  return allocated;
}

// MPICH 4.0 takes other places for those of windows that are no whole pages.
static MPI_Aint whole_pages(size_t bytes) { return (MPI_Aint)((bytes + 4095) / 4096 * 4096); }

static void make_buffers(struct collective* c, int buffers) {
  const size_t pair = (c->in_blocks + c->out_blocks) * c->bytes, outgrown = 16u << 20;
  c->buffers = buffers;
  if (buffers == kRotating) c->buffers = pair == 0 || outgrown / pair > 64 ? 64 : (int)(outgrown / pair);
  if (c->buffers < 2 && buffers == kRotating) c->buffers = 2;
  c->in = memory((size_t)c->buffers * sizeof *c->in);
  c->out = memory((size_t)c->buffers * sizeof *c->out);
  if (is_one_sided(c)) c->windows = memory((size_t)c->buffers * sizeof *c->windows);
  for (int b = 0; b < c->buffers; ++b) {
    c->in[b] = memory(c->in_blocks * c->bytes);
    if (c->windows == NULL) c->out[b] = memory(c->out_blocks * c->bytes);
    else
      MPI_Win_allocate(whole_pages(c->out_blocks * c->bytes), 1, MPI_INFO_NULL, c->comm, &c->out[b],
                       &c->windows[b]);
    fill(c, b);
  }
}

static void make_groups(struct collective* c) {
  MPI_Group all;
  MPI_Comm_group(c->comm, &all);
  MPI_Group_incl(all, 1, &(int){left_of(c)}, &c->left);
  MPI_Group_incl(all, 1, &(int){right_of(c)}, &c->right);
  MPI_Group_free(&all);
}

static size_t most_blocks(const struct collective* c) { return (size_t)(c->ranks > 2 ? c->ranks : 2); }

void collective_set_count(struct collective* c, int count) {
  const size_t item = c->type == MPI_DOUBLE ? sizeof(double) : 1, bytes = (size_t)count * item;
  c->count = count;
  for (size_t i = 0; i < most_blocks(c); ++i) {
    c->counts[i] = count;
    c->displacements[i] = (int)i * count;
    c->byte_displacements[i] = (int)(i * bytes);
    c->addresses[i] = (MPI_Aint)(i * bytes);
  }
}

static void make_layout(struct collective* c) {
  const size_t n = most_blocks(c);
  c->counts = memory(n * sizeof *c->counts);
  c->displacements = memory(n * sizeof *c->displacements);
  c->byte_displacements = memory(n * sizeof *c->byte_displacements);
  c->addresses = memory(n * sizeof *c->addresses);
  c->types = memory(n * sizeof(MPI_Datatype));
  for (size_t i = 0; i < n; ++i) c->types[i] = c->type;
  collective_set_count(c, c->count);
}

struct collective collective_make(const char* name, size_t bytes, int buffers, MPI_Comm comm) {
  struct collective c = {.name = name};
  const char* why;
  c.operations = find(name, &c.form, &why);
  if (c.operations == NULL) refuse(name, why);
  MPI_Comm_rank(comm, &c.me);
  MPI_Comm_size(comm, &c.ranks);
  const int left = left_of(&c), right = right_of(&c);
  c.neighbours = left == right ? 1 : 2;
  c.neighbour[0] = left;
  c.neighbour[1] = right;
  if (starts(&c, "neighbor_"))
    MPI_Dist_graph_create_adjacent(comm, c.neighbours, c.neighbour, MPI_UNWEIGHTED, c.neighbours, c.neighbour,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c.comm);
  else MPI_Comm_dup(comm, &c.comm);
  c.in_blocks = blocks(c.operations->in, &c);
  c.out_blocks = blocks(c.operations->out, &c);
  c.bytes = c.in_blocks + c.out_blocks == 0 ? 0 : bytes;
  c.type = c.bytes % sizeof(double) == 0 ? MPI_DOUBLE : MPI_UNSIGNED_CHAR;
  if (c.bytes > (size_t)1 << 30) refuse(name, "blocks of more than 1 GiB are not measured");
  c.count = (int)(c.type == MPI_DOUBLE ? c.bytes / sizeof(double) : c.bytes);
  make_layout(&c);
  make_groups(&c);
  make_buffers(&c, buffers);
  c.persistent = memory((size_t)c.buffers * sizeof *c.persistent);
  for (int b = 0; c.form == kPersistent && b < c.buffers; ++b) c.operations->init(&c, b, &c.persistent[b]);
  return c;
}

void collective_free(struct collective* c) {
  for (int b = 0; b < c->buffers; ++b) {
    if (c->form == kPersistent) MPI_Request_free(&c->persistent[b]);
    free(c->in[b]);
    if (c->windows == NULL) free(c->out[b]);
    else MPI_Win_free(&c->windows[b]);
  }
  MPI_Group_free(&c->left);
  MPI_Group_free(&c->right);
  free(c->in), free(c->out), free(c->persistent), free(c->windows);
  free(c->counts), free(c->displacements), free(c->byte_displacements), free(c->addresses), free(c->types);
  MPI_Comm_free(&c->comm);
}

// ---- running ----

void collective_start(struct collective* c, long turn, struct started* started) {
  const int buffer = (int)(turn % c->buffers);
  started->count = c->operations->requests;
  started->window = c->windows == NULL ? MPI_WIN_NULL : c->windows[buffer];
  started->has_completed = 0;
  if (c->form == kPersistent) {
    started->requests = &c->persistent[buffer];
    MPI_Start(started->requests);
  } else {
    started->requests = started->own;
    c->operations->start(c, buffer, started->own);
  }
}

int collective_can_be_tested(const struct collective* c) { return c->windows == NULL; }

int collective_test(struct started* started) {
  int complete = 0;
  if (started->window != MPI_WIN_NULL) return test_put(started);
  if (started->count == 1) MPI_Test(started->requests, &complete, MPI_STATUS_IGNORE);
  else MPI_Testall(started->count, started->requests, &complete, MPI_STATUSES_IGNORE);
  return complete;
}

void collective_wait(struct started* started) {
  if (started->window != MPI_WIN_NULL) wait_for_put(started);
  else if (started->count == 1) MPI_Wait(started->requests, MPI_STATUS_IGNORE);
  else MPI_Waitall(started->count, started->requests, MPI_STATUSES_IGNORE);
}

void collective_run(struct collective* c, long turn) {
  struct started started;
  if (c->form == kBlocking) {
    c->operations->run(c, (int)(turn % c->buffers));
  } else {
    collective_start(c, turn, &started);
    collective_wait(&started);
  }
}
