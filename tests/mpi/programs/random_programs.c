// SPDX-License-Identifier: BSD-3-Clause
// Random programs: sequences of collectives, point-to-point and communicator operations, one per seed; all
// are legal but for calls with overlapping buffers, whose errors are part of what is found. Every rank draws
// the same steps; each step has a seed of its own, from which the members of its communicator draw the
// arguments. When and in which order requests are completed is each rank's own affair. One line per seed: the
// hash of everything that all ranks received.
//
//   random_programs FIRST_SEED SEEDS [simple] [trace] [threads]
#include <unistd.h>

#include "random_besides.h"
#include "random_operations.h"

enum { kMostSlots = 8, kMostSteps = 60, kMostActive = 20 };

typedef struct {
  int alive, is_topology;  // the same on all ranks
  MPI_Comm comm;           // none on a rank that is no member
  Neighborhood near;
} Slot;

static Slot slots[kMostSlots];
static Operation operations[kMostSteps];
static uint64_t common, own;
static int step, threaded;

static uint32_t below(uint64_t* state, int limit) { return draw(state) % (uint32_t)limit; }

static void trace(const char* what, int slot, const Operation* o) {
  if (!traced) return;
  fprintf(stderr, "rank %d, step %d: %s on communicator %d", world_rank, step, what, slot);
  if (o) {
    fprintf(stderr, ", %s, made at step %d, start %d, member %d of %d, root %d, unit %d", form_names[o->form],
            o->step, o->turn, o->me, o->size, o->root, o->unit);
    if (is_reduction(o->which)) fprintf(stderr, ", %s", o->reduction->name);
    else fprintf(stderr, ", family %d%s", o->family, o->mixed ? ", ranks differ" : "");
    fprintf(stderr, "%s%s%s", o->in_place ? ", in place" : "", o->scattered ? ", scattered" : "",
            o->frees_early ? ", freed early" : "");
  }
  fprintf(stderr, "\n");
}

// --- completion

typedef struct {
  int count, step[2 * kMostSteps], which[2 * kMostSteps];
  MPI_Request requests[2 * kMostSteps + 1];
} Active;

static void collect(Active* a, const Operation* one) {
  a->count = 0;
  for (int i = 0; i < kMostSteps; ++i)
    for (int r = 0; r < 2; ++r)
      if (operations[i].active[r] && (!one || one == &operations[i]))
        a->step[a->count] = i, a->which[a->count++] = r;
}

static void load(Active* a, const Active* from, const int* order, int count) {
  a->count = count;
  for (int i = 0; i < count; ++i) {
    a->step[i] = from->step[order[i]], a->which[i] = from->which[order[i]];
    a->requests[i] = operations[a->step[i]].requests[a->which[i]];
  }
  a->requests[count] = MPI_REQUEST_NULL;
}

static void completed(Active* a, int i) {
  Operation* o = &operations[a->step[i]];
  o->requests[a->which[i]] = a->requests[i];
  o->active[a->which[i]] = 0;
  if (!o->active[0] && !o->active[1]) end_of(o);
}

// Some of the requests of this rank, in an order and by a function of its own.
static void complete(const Operation* one, int everything) {
  Active all, some;
  int order[2 * kMostSteps], which[2 * kMostSteps + 1], done = 0, flag = 0;
  MPI_Status* const no = MPI_STATUSES_IGNORE;
  collect(&all, one);
  if (all.count == 0) return;
  shuffle(order, all.count, &own);
  load(&some, &all, order, everything ? all.count : 1 + (int)below(&own, all.count));
  const int n = some.count + (int)below(&own, 2);  // at times with a null request
  switch (everything ? below(&own, 2) : below(&own, 7)) {
    case 0:
      MPI_Waitall(n, some.requests, no);
      for (int i = 0; i < some.count; ++i) completed(&some, i);
      break;
    case 1:
      for (int i = 0; i < some.count; ++i) {
        MPI_Wait(&some.requests[i], MPI_STATUS_IGNORE);
        completed(&some, i);
      }
      break;
    case 2:
      MPI_Waitany(n, some.requests, &which[0], MPI_STATUS_IGNORE);
      completed(&some, which[0]);
      break;
    case 3:
      MPI_Waitsome(n, some.requests, &done, which, no);
      for (int i = 0; i < done; ++i) completed(&some, which[i]);
      break;
    case 4:
      for (int tries = 0; tries < 3 && !flag; ++tries) MPI_Testall(n, some.requests, &flag, no);
      for (int i = 0; flag && i < some.count; ++i) completed(&some, i);
      break;
    case 5:
      MPI_Testany(n, some.requests, &which[0], &flag, MPI_STATUS_IGNORE);
      if (flag) completed(&some, which[0]);
      break;
    default:
      MPI_Testsome(n, some.requests, &done, which, no);
      for (int i = 0; i < done; ++i) completed(&some, which[i]);
  }
}

// --- communicators

static void on_grid(MPI_Comm parent, int size, uint64_t* state, Slot* made) {
  const int ndims = 1 + (int)below(state, 2);
  int dims[2] = {0, 0}, periods[2];
  for (int d = 0; d < 2; ++d) periods[d] = (int)below(state, 2);
  MPI_Dims_create(size, ndims, dims);
  MPI_Cart_create(parent, ndims, dims, periods, 0, &made->comm);
  Neighborhood* near = &made->near;
  near->out = near->in = 2 * ndims;
  for (int d = 0; d < ndims; ++d) {
    MPI_Cart_shift(made->comm, d, 1, &near->to[2 * d], &near->to[2 * d + 1]);
    for (int i = 2 * d; i < 2 * d + 2; ++i) {
      near->from[i] = near->to[i];
      near->tag_out[i] = i;
      near->tag_in[i] = i ^ 1;  // what is sent in one direction arrives as from the other
    }
  }
}

// Between any two ranks up to two edges.
static void on_graph(MPI_Comm parent, int me, int size, uint64_t* state, Slot* made) {
  Neighborhood* near = &made->near;
  for (int from = 0; from < size; ++from)
    for (int to = 0; to < size; ++to)
      for (int edge = 0, edges = (int)below(state, 4) % 3; edge < edges; ++edge) {
        if (from == me) near->to[near->out] = to, near->tag_out[near->out++] = edge;
        if (to == me) near->from[near->in] = from, near->tag_in[near->in++] = edge;
      }
  MPI_Dist_graph_create_adjacent(parent, near->in, near->from, MPI_UNWEIGHTED, near->out, near->to,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made->comm);
}

// Makes a communicator of some of the members, by a call of all of them or of those alone.
static void on_group(MPI_Comm parent, int me, int size, int by_all, uint64_t* state, Slot* made) {
  MPI_Group all, some;
  int ranks[kMostBlocks], count = 0, is_in = 0;
  for (int r = 0; r < size; ++r)
    if (below(state, 3)) ranks[count++] = r, is_in |= r == me;
  if (count == 0) ranks[count++] = 0, is_in = me == 0;
  MPI_Comm_group(parent, &all);
  MPI_Group_incl(all, count, ranks, &some);
  if (by_all) MPI_Comm_create(parent, some, &made->comm);
  else if (is_in) MPI_Comm_create_group(parent, some, step, &made->comm);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
}

enum { kDup, kSplit, kReversed, kCreate, kCreateGroup, kCart, kGraph, kMakings };

static void make(int slot, int parent_slot, int making, uint64_t seed) {
  static const char* const names[] = {"dup",          "split", "reversed split", "create",
                                      "create_group", "cart",  "graph"};
  Slot* made = &slots[slot];
  memset(made, 0, sizeof *made);
  made->alive = 1, made->is_topology = making >= kCart, made->comm = MPI_COMM_NULL;
#if defined OPEN_MPI && OMPI_MAJOR_VERSION >= 5
  // Open MPI 5 takes a graph for a grid that is made from one, or from what was made of one, and crashes.
  if (making >= kCart) parent_slot = 0;
#endif
  const MPI_Comm parent = slots[parent_slot].comm;
#if !defined OPEN_MPI && MPICH_NUMVERSION < 40200000
  // Inside this one, MPICH 4.0 has nothing that would drive Weft's operations, which others may wait for.
  if (making == kCreateGroup) complete(NULL, 1);
#endif
  if (parent == MPI_COMM_NULL) return;
  trace(names[making], parent_slot, NULL);
  int me, size;
  uint64_t state = seed;
  MPI_Comm_rank(parent, &me);
  MPI_Comm_size(parent, &size);
  const int parts = 1 + (int)below(&state, 2), left_out = (int)below(&state, 2 * size);
  switch (making) {
    case kDup: MPI_Comm_dup(parent, &made->comm); break;
    case kSplit: MPI_Comm_split(parent, me == left_out ? MPI_UNDEFINED : me % parts, 0, &made->comm); break;
    case kReversed: MPI_Comm_split(parent, me % parts, -me, &made->comm); break;
    case kCart: on_grid(parent, size, &state, made); break;
    case kGraph: on_graph(parent, me, size, &state, made); break;
    default: on_group(parent, me, size, making == kCreate, &state, made);
  }
}

// Operations may be under way; a persistent one is not started again.
static void free_slot(int slot) {
  trace("free", slot, NULL);
  if (simple) complete(NULL, 1);  // a communicator of Open MPI 4.1 is gone at once
  for (int i = 0; i < step; ++i)
    if (operations[i].slot == slot) retire(&operations[i]), operations[i].slot = -1;
  if (slots[slot].comm != MPI_COMM_NULL) MPI_Comm_free(&slots[slot].comm);
  slots[slot].alive = 0;
}

// --- steps

static int some_slot(int of_topology) {
  int found_slots[kMostSlots], count = 0;
  for (int i = 0; i < kMostSlots; ++i)
    if (slots[i].alive && (!of_topology || slots[i].is_topology)) found_slots[count++] = i;
  return found_slots[below(&common, count)];
}

static void begin_operation(Which which, int operation_form, int starts) {
  Operation* o = &operations[step];
  o->which = which, o->step = step, o->form = operation_form;
  o->starts_left = operation_form == kPersistent ? starts : 1;
  o->slot = some_slot(is_neighborly(which));
  o->seed = (uint64_t)draw(&common) << 32 | draw(&common);
  o->comm = slots[o->slot].comm;
  o->near = &slots[o->slot].near;
  o->member = o->comm != MPI_COMM_NULL;
  if (!o->member) {
    --o->starts_left;
    return;
  }
  MPI_Comm_rank(o->comm, &o->me);
  MPI_Comm_size(o->comm, &o->size);
  describe(o);
  trace(name_of(which), o->slot, o);
  start(o);
}

// Starts one persistent operation again, or several. The members of its communicator know the operation; the
// other ranks only count its starts.
static void begin_again(void) {
  Operation *some[kMostTogether], *mine[kMostTogether];
  int order[kMostSteps], count = 0, of_mine = 0;
  const int most = 1 + (int)below(&common, kMostTogether);
  shuffle(order, step, &common);
  for (int i = 0; i < step && count < most; ++i)
    if (operations[order[i]].slot >= 0 && operations[order[i]].starts_left > 0)
      some[count++] = &operations[order[i]];
  for (int i = 0; i < count; ++i)
    if (some[i]->member) mine[of_mine++] = some[i];
    else --some[i]->starts_left;
  for (int i = 0; i < of_mine; ++i) {
    complete(mine[i], 1);
    trace(name_of(mine[i]->which), mine[i]->slot, mine[i]);
  }
  start_together(mine, of_mine, (int)below(&own, 2), &own);
}

static void make_another(int making, int parent, uint64_t seed) {
  for (int i = 1; i < kMostSlots; ++i)
    if (!slots[i].alive) {
      make(i, parent, making, seed);
      return;
    }
  free_slot(2 + (int)(seed % (kMostSlots - 2)));
}

static void dawdle(void) {
  const uint32_t kind = below(&own, 24), microseconds = below(&own, 200);
  if (kind == 0) usleep(microseconds);
  for (double end = MPI_Wtime() + microseconds * 1e-6; kind == 1 && MPI_Wtime() < end;) continue;
}

static void misuse(int slot, uint64_t seed) {
  if (slots[slot].comm == MPI_COMM_NULL) return;
  trace("one buffer for two", slot, NULL);
  found += mix((uint64_t)step, class_of_one_buffer_for_two(slots[slot].comm, seed));
}

static void make_beside(uint64_t seed) {
  if (!threaded) return;
  trace("threads", 0, NULL);
  found += mix((uint64_t)step, make_in_threads(2 + (int)(seed % (kMostThreads - 1)), seed));
}

static void take_step(void) {
  const uint32_t kind = below(&common, 100), any = draw(&common);
  dawdle();
  Active active;
  collect(&active, NULL);
  if (active.count > kMostActive) complete(NULL, 1);
  const uint64_t more = (uint64_t)draw(&common) << 32 | draw(&common);
  const int slot = some_slot(0);
  const int some_form = (int)(more % kForms), starts = 1 + (int)(more / kForms % 3);
  if (kind < 56) begin_operation((Which)(any % kCollectives), some_form, starts);
  else if (kind < 67) begin_operation(any % 2 ? kRing : kPairs, some_form, starts);
  else if (kind < 77) begin_again();
  else if (kind < 88) complete(NULL, 0);
  else if (kind < 94) make_another((int)(any % kMakings), slot, more);
  else if (kind < 96) misuse(slot, more);
  else if (kind < 97) make_beside(more);
  else if (slot > 1) free_slot(slot);
}

static void run_seed(uint64_t seed) {
  common = seed * 2, own = mix(seed * 2 + 1, (uint64_t)world_rank);
  memset(operations, 0, sizeof operations);
  memset(slots, 0, sizeof slots);
  for (int i = 0; i < kMostSteps; ++i) operations[i].slot = -1;
  found = 0, step = 0;
  slots[0].comm = MPI_COMM_WORLD, slots[0].alive = 1;
  make(1, 0, kCart + (int)below(&common, 2), draw(&common));  // always there for neighbourhood collectives
  const int steps = 30 + (int)below(&common, kMostSteps - 30);
  for (; step < steps; ++step) take_step();
  complete(NULL, 1);
  for (int slot = 1; slot < kMostSlots; ++slot)
    if (slots[slot].alive) free_slot(slot);
  for (int i = 0; i < steps; ++i) retire(&operations[i]);

  for (int rank = 1; rank < world_size; ++rank) {
    uint64_t theirs = found;
    if (world_rank == rank) MPI_Send(&theirs, 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD);
    if (world_rank == 0) MPI_Recv(&theirs, 1, MPI_UINT64_T, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (world_rank == 0) found = mix(found, theirs);
  }
  if (world_rank == 0) printf("seed %llu: %016llx\n", (unsigned long long)seed, (unsigned long long)found);
  fflush(stdout);
}

int main(int argc, char** argv) {
  const long first = argc > 1 ? atol(argv[1]) : 1, seeds = argc > 2 ? atol(argv[2]) : 10;
  for (int i = 3; i < argc; ++i) {
    simple |= strcmp(argv[i], "simple") == 0;
    traced |= strcmp(argv[i], "trace") == 0;
    threaded |= strcmp(argv[i], "threads") == 0;
  }
  if (threaded) begin_with_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
  else begin(&argc, &argv);
  if (traced) setvbuf(stderr, NULL, _IOLBF, 1024);
  make_layouts();
  make_reductions();
  for (long seed = first; seed < first + seeds; ++seed) run_seed((uint64_t)seed);
  free_reductions();
  free_layouts();
  return end("%ld random programs", seeds);
}
