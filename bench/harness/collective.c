// SPDX-License-Identifier: BSD-3-Clause
#include "collective.h"

#include <stdlib.h>
#include <string.h>

#include "forms.h"
#include "ring.h"

static int is(const struct collective* c, const char* name) { return strcmp(c->operations->name, name) == 0; }
static int is_one_sided(const struct collective* c) { return is(c, "put") || is(c, "iput"); }
static int starts(const struct collective* c, const char* prefix) {
  return strncmp(c->operations->name, prefix, strlen(prefix)) == 0;
}

void collectives_require(const struct word_list* names) {
  for (int i = 0; i < names->count; ++i) {
    enum form form;
    const char* why;
    if (operations_find(names->words[i], &form, &why) == NULL) refuse(names->words[i], why);
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

enum datatype datatype_of(const char* word) { return strcmp(word, "strided") == 0 ? kStrided : kPredefined; }

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

static void put_item(const struct collective* c, unsigned char* block, size_t i, int number) {
  if (c->item == sizeof(double)) *(double*)(void*)(block + i * c->stride) = number;
  else block[i * c->stride] = (unsigned char)number;
}

static int is_item(const struct collective* c, const unsigned char* block, size_t i, int number) {
  if (c->item == sizeof(double)) return *(const double*)(const void*)(block + i * c->stride) == number;
  return block[i * c->stride] == number % 256;
}

static void fill(const struct collective* c, int buffer) {
  const size_t in = (size_t)c->count * c->in_blocks, out = (size_t)c->count * c->out_blocks;
  const int has_data = is(c, "bcast") && c->me == 0;
  for (size_t i = 0; i < in; ++i) put_item(c, c->in[buffer], i, value(c->me, i));
  for (size_t i = 0; i < out; ++i) put_item(c, c->out[buffer], i, has_data ? value(0, i) : 255);
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
    for (size_t i = 0; i < n; ++i) right &= is_item(c, out, block * n + i, expected(origin, i));
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
  const size_t block = c->bytes / c->item * c->stride, outgrown = 16u << 20;
  const size_t pair = (c->in_blocks + c->out_blocks) * block;
  c->buffers = buffers;
  if (buffers == kRotating) c->buffers = pair == 0 || outgrown / pair > 64 ? 64 : (int)(outgrown / pair);
  if (c->buffers < 2 && buffers == kRotating) c->buffers = 2;
  c->in = memory((size_t)c->buffers * sizeof *c->in);
  c->out = memory((size_t)c->buffers * sizeof *c->out);
  if (is_one_sided(c)) c->windows = memory((size_t)c->buffers * sizeof *c->windows);
  for (int b = 0; b < c->buffers; ++b) {
    c->in[b] = memory(c->in_blocks * block);
    if (c->windows == NULL) c->out[b] = memory(c->out_blocks * block);
    else
      MPI_Win_allocate(whole_pages(c->out_blocks * block), 1, MPI_INFO_NULL, c->comm, &c->out[b],
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
  const size_t bytes = (size_t)count * c->stride;
  c->count = count;
  for (size_t i = 0; i < most_blocks(c); ++i) {
    c->counts[i] = count;
    c->displacements[i] = (int)i * count;
    c->byte_displacements[i] = (int)(i * bytes);
    c->addresses[i] = (MPI_Aint)(i * bytes);
  }
}

void collective_vary_counts(struct collective* c, long turn, int least, int most) {
  const long sizes = (long)most - least + 1;
  for (int i = 0; i < (int)most_blocks(c); ++i) {
    const int peer = c->operations->out == kPerNeighbour ? c->neighbour[i % 2] : i;
    c->counts[i] = least + (int)((turn + 7919L * (c->sends_by_pair ? c->me + peer : peer)) % sizes);
  }
  c->count = least + (int)((turn + 7919L * c->me) % sizes);
}

void collective_set_type(struct collective* c, MPI_Datatype type, size_t bytes) {
  const size_t block = (size_t)c->count * c->item;
  c->type = type;
  c->item = c->stride = bytes;
  for (size_t i = 0; i < most_blocks(c); ++i) c->types[i] = type;
  collective_set_count(c, (int)(block / bytes));
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

static int has_lists(const struct collective* c) {
  const char* const with[] = {"gatherv", "scatterv", "alltoallv", "alltoallw"};
  for (size_t i = 0; i < sizeof with / sizeof *with; ++i)
    if (strstr(c->operations->name, with[i]) != NULL) return 1;
  return is(c, "reduce_scatter");
}

static int reduces(const struct collective* c) {
  return strstr(c->operations->name, "reduce") || strstr(c->operations->name, "scan");
}

static void make_type(struct collective* c, enum datatype datatype) {
  const int is_double = c->bytes % sizeof(double) == 0;
  c->type = is_double ? MPI_DOUBLE : MPI_UNSIGNED_CHAR;
  c->item = c->stride = is_double ? sizeof(double) : 1;
  c->count = (int)(c->bytes / c->item);
  if (datatype == kPredefined) return;
  if (reduces(c))
    refuse(c->name, "no predefined operator has derived datatypes: leave out --datatype strided");
  c->stride *= 2;
  MPI_Type_create_resized(c->type, 0, (MPI_Aint)c->stride, &c->type);
  MPI_Type_commit(&c->type);
}

struct collective collective_make(const char* name, size_t bytes, int buffers, enum datatype datatype,
                                  MPI_Comm comm) {
  struct collective c = {.name = name};
  const char* why;
  c.operations = operations_find(name, &c.form, &why);
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
  c.has_lists = has_lists(&c);
  c.sends_by_pair = starts(&c, "alltoall") || starts(&c, "neighbor_alltoall");
  c.in_blocks = blocks(c.operations->in, &c);
  c.out_blocks = blocks(c.operations->out, &c);
  c.bytes = c.in_blocks + c.out_blocks == 0 ? 0 : bytes;
  if (c.bytes > (size_t)1 << 30) refuse(name, "blocks of more than 1 GiB are not measured");
  make_type(&c, datatype);
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
  if (c->stride != c->item) MPI_Type_free(&c->type);
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
