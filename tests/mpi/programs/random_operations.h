// SPDX-License-Identifier: BSD-3-Clause
// One operation of a random program: a collective or an exchange between pairs, whose arguments all follow
// from its seed, so that the members of its communicator agree about it. start() begins it, or begins a
// persistent one again; end_of() adds what it gave to this rank's hash.
#pragma once

#include "forms.h"
#include "random_data.h"

typedef enum {
  kBarrier,
  kBcast,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kNeighborAllgather,
  kNeighborAllgatherv,
  kNeighborAlltoall,
  kNeighborAlltoallv,
  kNeighborAlltoallw,
  kReduce,
  kAllreduce,
  kReduceScatterBlock,
  kReduceScatter,
  kScan,
  kExscan,
  kCollectives,
  kRing = kCollectives,  // everybody to the one that is some steps away
  kPairs,                // neighbours by rank, one sends first
} Which;

static const char* const which_names[] = {"barrier",
                                          "bcast",
                                          "gather",
                                          "gatherv",
                                          "scatter",
                                          "scatterv",
                                          "allgather",
                                          "allgatherv",
                                          "alltoall",
                                          "alltoallv",
                                          "alltoallw",
                                          "neighbor_allgather",
                                          "neighbor_allgatherv",
                                          "neighbor_alltoall",
                                          "neighbor_alltoallv",
                                          "neighbor_alltoallw",
                                          "reduce",
                                          "allreduce",
                                          "reduce_scatter_block",
                                          "reduce_scatter",
                                          "scan",
                                          "exscan",
                                          "ring",
                                          "pairs"};

// The n-th block for a rank becomes its n-th from here, whatever the direction: told by the tags.
typedef struct {
  int out, in;
  int to[kMostBlocks], from[kMostBlocks];
  int tag_out[kMostBlocks], tag_in[kMostBlocks];
} Neighborhood;

typedef struct {
  // The same on all ranks of the world.
  Which which;
  int step, form, starts_left, slot;
  uint64_t seed;
  // On the members of the communicator.
  MPI_Comm comm;
  const Neighborhood* near;
  int member, me, size, turn, root, in_place, scattered, mixed, frees_early, family, unit, to, from;
  const Reduction* reduction;
  Buffer out, in;
  int parts[kMostBlocks];
  MPI_Op op;
  int own_handles;  // the operator and the types are the operation's own
  MPI_Request requests[2];
  int active[2];
} Operation;

static int traced;
static int simple;  // the host's run: see is_made_blocking() and neighbors_by_hand()
static uint64_t
    found;  // by this rank: a sum over operations, so that their order of completion does not count

static int is_v(Which w) {
  return w == kGatherv || w == kScatterv || w == kAllgatherv || w == kAlltoallv || w == kAlltoallw ||
         w == kNeighborAllgatherv || w == kNeighborAlltoallv || w == kNeighborAlltoallw;
}
static int is_w(Which w) { return w == kAlltoallw || w == kNeighborAlltoallw; }
static int is_neighborly(Which w) { return w >= kNeighborAllgather && w <= kNeighborAlltoallw; }
static int is_reduction(Which w) { return w >= kReduce && w <= kExscan; }
static int is_rooted(Which w) { return (w >= kBcast && w <= kScatterv) || w == kReduce; }
static int scatters(Which w) { return w == kScatter || w == kScatterv; }
static int gathers(Which w) { return w == kGather || w == kGatherv; }
static int goes_to_all(Which w) {
  return w == kAllgather || w == kAllgatherv || w == kNeighborAllgather || w == kNeighborAllgatherv;
}

// --- arguments

// Mostly small, sometimes nothing, seldom beyond every limit up to which blocks are copied eagerly.
static int some_count(uint64_t* state) {
  const uint32_t kind = draw(state) % 200, any = draw(state);
  if (kind < 20) return 0;
  if (kind < 130) return 1 + (int)(any % 16);
  if (kind < 185) return 1 + (int)(any % 400);
  if (kind < 198) return 400 + (int)(any % 3000);
  return 20000 + (int)(any % 40000);
}

static int rounded(int count, int multiple) { return (count + multiple - 1) / multiple * multiple; }

// Of the block from one rank to another: the same both ways where MPI_IN_PLACE demands it.
static int pieces_of(const Operation* o, int from, int to, int tag) {
  if (!is_v(o->which)) return o->unit;
  const int swapped = o->in_place && from > to;
  const uint64_t pair = (uint64_t)((swapped ? to : from) * 64 + (swapped ? from : to));
  return o->unit * (int)(mix(o->seed + 1, pair * 64 + (uint64_t)tag) % 4);
}

static uint64_t content_of(const Operation* o, int from, int to, int tag) {
  return mix(o->seed + 2, (uint64_t)((from * 64 + to) * 64 + tag));
}

// Layouts differ between the sides, between the ranks in a mixed operation, and between a w form's blocks. In
// place, what goes from one rank to another has the layout of what comes back.
static const Layout* layout_of(const Operation* o, int receives, int block) {
  const int others = o->in_place ? (1 << o->me | 1 << block) : block;
  const int which = (receives * 64 + (o->mixed ? o->me : 0)) * 4096 + (is_w(o->which) ? others : 0);
  return &layouts[families[o->family].first +
                  (int)(mix(o->seed + 3, (uint64_t)which) % (uint64_t)families[o->family].count)];
}

static void add_out(Operation* o, int to, int tag, int pieces) {
  add(&o->out, layout_of(o, 0, o->out.blocks), content_of(o, o->me, to, tag), pieces);
}

// What a block in place is filled with is what this rank would send.
static void add_in(Operation* o, int to, int tag, int pieces) {
  add(&o->in, layout_of(o, 1, o->in.blocks), content_of(o, o->me, to, tag), pieces);
}

static void describe_neighbors(Operation* o) {
  const Neighborhood* near = o->near;
  const int to_all = goes_to_all(o->which), me = o->me;
  if (to_all) add_out(o, 0, 0, pieces_of(o, me, 0, 0));
  for (int i = 0; !to_all && i < near->out; ++i) {
    const int to = near->to[i] < 0 ? me : near->to[i];
    add_out(o, to, near->tag_out[i], pieces_of(o, me, to, near->tag_out[i]));
  }
  for (int i = 0; i < near->in; ++i) {
    const int from = near->from[i] < 0 ? me : near->from[i], tag = near->tag_in[i];
    add_in(o, 0, 0, to_all ? pieces_of(o, from, 0, 0) : pieces_of(o, from, me, tag));
  }
}

static void describe_movement(Operation* o) {
  const int n = o->size, me = o->me, root = o->root;
  if (o->which == kBcast) {
    add_in(o, 0, 0, o->unit);
  } else if (o->which == kRing || o->which == kPairs) {
    add_out(o, 0, 0, o->unit);
    add_in(o, 0, 0, o->unit);
  } else if (gathers(o->which)) {
    add_out(o, 0, 0, pieces_of(o, me, root, 0));
    for (int r = 0; me == root && r < n; ++r) add_in(o, 0, 0, pieces_of(o, r, root, 0));
  } else if (scatters(o->which)) {
    for (int r = 0; me == root && r < n; ++r) add_out(o, r, 0, pieces_of(o, root, r, 0));
    add_in(o, 0, 0, pieces_of(o, root, me, 0));
  } else if (is_neighborly(o->which)) {
    describe_neighbors(o);
  } else if (goes_to_all(o->which)) {
    add_out(o, 0, 0, pieces_of(o, me, 0, 0));
    for (int r = 0; r < n; ++r) add_in(o, 0, 0, pieces_of(o, r, 0, 0));
  } else if (o->which != kBarrier) {
    for (int r = 0; r < n; ++r) add_out(o, r, 0, pieces_of(o, me, r, 0));
    for (int r = 0; r < n; ++r) add_in(o, r, 0, pieces_of(o, r, me, 0));
  }
}

// A reduce_scatter's parts are uneven, and some empty.
static int part_of(const Operation* o, int rank) {
  if (o->which == kReduceScatterBlock) return o->unit;
  return o->unit * (int)(mix(o->seed + 4, (uint64_t)rank) % 4);
}

static void describe_reduction(Operation* o) {
  const Layout* l = &layouts[o->reduction->layout];
  const int scattered = o->which == kReduceScatterBlock || o->which == kReduceScatter;
  int all = scattered ? 0 : o->unit;
  for (int r = 0; scattered && r < o->size; ++r) all += o->parts[r] = part_of(o, r);
  const int own = scattered ? o->parts[o->me] : all;
  add(&o->out, l, content_of(o, o->me, 0, 0), all * l->pieces);
  if (o->which == kReduce && o->me != o->root) return;
  add(&o->in, l, content_of(o, o->me, 0, 0), own * l->pieces);
  if (scattered && o->in_place) add(&o->in, l, content_of(o, o->me, 1, 0), (all - own) * l->pieces);
}

// What follows from the seed.
static void describe(Operation* o) {
  uint64_t state = o->seed;
  const int count = some_count(&state), n = o->size;
  o->root = (int)(draw(&state) % (uint32_t)n);
  o->in_place = draw(&state) % 3 == 0 && o->which != kBcast && o->which < kRing && !is_neighborly(o->which);
  o->scattered = is_v(o->which) && draw(&state) % 2;
  o->mixed = draw(&state) % 3 == 0 && !(o->in_place && o->which >= kAlltoall && o->which <= kAlltoallw);
  o->frees_early = draw(&state) % 4 == 0;
  o->family = (int)(draw(&state) % 5 % kFamilies);
  o->reduction = &reductions[draw(&state) % kReductionKinds];
  const int shift = n > 1 ? 1 + (int)(draw(&state) % (uint32_t)(n - 1)) : 0;
  o->to = (o->me + shift) % n, o->from = (o->me + n - shift) % n;
  if (o->which == kPairs) o->to = o->from = (o->me ^ 1) < n ? o->me ^ 1 : MPI_PROC_NULL;
  const int blocks = o->which == kBcast || o->which >= kReduce ? 1 : is_v(o->which) ? 2 * n : n;
  const int unit = o->which == kReduceScatterBlock || o->which == kReduceScatter ? count / n : count / blocks;
  o->unit = is_reduction(o->which) ? unit : rounded(unit, families[o->family].multiple);
  if (is_reduction(o->which)) describe_reduction(o);
  else describe_movement(o);
  lay_out(&o->out, o->scattered, is_w(o->which));
  lay_out(&o->in, o->scattered, is_w(o->which));
}

// Handles of the operation's own, which are freed while it is under way. A copy of a predefined type is none
// of those that a predefined operator takes.
static void take_own_handles(Operation* o) {
  o->own_handles = 1;
  if (is_reduction(o->which)) {
    if (o->reduction->function) MPI_Op_create(o->reduction->function, o->reduction->commutes, &o->op);
    if (!o->reduction->function) return;
  }
  for (int b = 0; b < o->out.blocks; ++b) MPI_Type_dup(o->out.layouts[b]->type, &o->out.types[b]);
  for (int b = 0; b < o->in.blocks; ++b) MPI_Type_dup(o->in.layouts[b]->type, &o->in.types[b]);
}

static void free_own_handles(Operation* o) {
  const int reduces = is_reduction(o->which);
  if (!o->own_handles || (reduces && !o->reduction->function)) return;
  o->own_handles = 0;
  if (reduces) MPI_Op_free(&o->op);
  for (int b = 0; b < o->out.blocks; ++b) MPI_Type_free(&o->out.types[b]);
  for (int b = 0; b < o->in.blocks; ++b) MPI_Type_free(&o->in.types[b]);
}

// --- calls

static void fill(Operation* o) {
  const Which w = o->which;
  const uint64_t t = (uint64_t)o->turn;
  const int is_root = o->me == o->root;
  for (int b = 0; b < o->out.blocks; ++b) fill_with(&o->out, b, mix(o->out.holds[b], t));
  const int all =
      (w == kBcast && is_root) || (o->in_place && (is_reduction(w) || (w >= kAlltoall && w <= kAlltoallw)));
  const int own = o->in_place && ((gathers(w) && is_root) || goes_to_all(w));
  for (int b = 0; b < o->in.blocks; ++b)
    if (all || (own && b == o->me)) fill_with(&o->in, b, mix(o->in.holds[b], t));
}

static void call(Operation* o) {
  const Which w = o->which;
  const Buffer *out = &o->out, *in = &o->in;
  const int root = o->root, is_root = o->me == root, sn = out->counts[0], rn = in->counts[0];
  const int sends_in_place = o->in_place && !scatters(w) && (!is_rooted(w) || is_root);
  const void* s = sends_in_place ? MPI_IN_PLACE : base(out);
  void* r = o->in_place && scatters(w) && is_root ? MPI_IN_PLACE : base(in);
  const MPI_Datatype st = out->types[0], rt = in->types[0], type = out->types[0];
  const MPI_Op op = o->op;
  const MPI_Comm comm = o->comm;
  const int *sc = out->counts, *rc = in->counts, *sd = out->displacements, *rd = in->displacements;
  switch (w) {
    case kBarrier: START(Barrier, barrier, comm); break;
    case kBcast: START(Bcast, bcast, r, rn, rt, root, comm); break;
    case kGather: START(Gather, gather, s, sn, st, r, rn, rt, root, comm); break;
    case kGatherv: START(Gatherv, gatherv, s, sn, st, r, rc, rd, rt, root, comm); break;
    case kScatter: START(Scatter, scatter, s, sn, st, r, rn, rt, root, comm); break;
    case kScatterv: START(Scatterv, scatterv, s, sc, sd, st, r, rn, rt, root, comm); break;
    case kAllgather: START(Allgather, allgather, s, sn, st, r, rn, rt, comm); break;
    case kAllgatherv: START(Allgatherv, allgatherv, s, sn, st, r, rc, rd, rt, comm); break;
    case kAlltoall: START(Alltoall, alltoall, s, sn, st, r, rn, rt, comm); break;
    case kAlltoallv: START(Alltoallv, alltoallv, s, sc, sd, st, r, rc, rd, rt, comm); break;
    case kAlltoallw:
      START(Alltoallw, alltoallw, s, sc, out->bytes_before, out->types, r, rc, in->bytes_before, in->types,
            comm);
      break;
    case kNeighborAllgather: START(Neighbor_allgather, neighbor_allgather, s, sn, st, r, rn, rt, comm); break;
    case kNeighborAllgatherv:
      START(Neighbor_allgatherv, neighbor_allgatherv, s, sn, st, r, rc, rd, rt, comm);
      break;
    case kNeighborAlltoall: START(Neighbor_alltoall, neighbor_alltoall, s, sn, st, r, rn, rt, comm); break;
    case kNeighborAlltoallv:
      START(Neighbor_alltoallv, neighbor_alltoallv, s, sc, sd, st, r, rc, rd, rt, comm);
      break;
    case kNeighborAlltoallw:
      START(Neighbor_alltoallw, neighbor_alltoallw, s, sc, out->long_bytes_before, out->types, r, rc,
            in->long_bytes_before, in->types, comm);
      break;
    case kReduce: START(Reduce, reduce, s, r, sn, type, op, root, comm); break;
    case kAllreduce: START(Allreduce, allreduce, s, r, sn, type, op, comm); break;
    case kReduceScatterBlock:
      START(Reduce_scatter_block, reduce_scatter_block, s, r, o->unit, type, op, comm);
      break;
    case kReduceScatter: START(Reduce_scatter, reduce_scatter, s, r, o->parts, type, op, comm); break;
    case kScan: START(Scan, scan, s, r, sn, type, op, comm); break;
    default: START(Exscan, exscan, s, r, sn, type, op, comm);
  }
}

static void exchange(Operation* o) {
  const Buffer *out = &o->out, *in = &o->in;
  const int sn = out->counts[0], rn = in->counts[0], tag = o->step;
  const MPI_Datatype st = out->types[0], rt = in->types[0];
  MPI_Status* const no = MPI_STATUS_IGNORE;
  if (o->form != kBlocking) {
    MPI_Irecv(base(in), rn, rt, o->from, tag, o->comm, &o->requests[0]);
    MPI_Isend(base(out), sn, st, o->to, tag, o->comm, &o->requests[1]);
  } else if (o->which == kRing) {
    MPI_Sendrecv(base(out), sn, st, o->to, tag, base(in), rn, rt, o->from, tag, o->comm, no);
  } else if (o->me % 2 == 0) {
    MPI_Send(base(out), sn, st, o->to, tag, o->comm);
    MPI_Recv(base(in), rn, rt, o->from, tag, o->comm, no);
  } else {
    MPI_Recv(base(in), rn, rt, o->from, tag, o->comm, no);
    MPI_Send(base(out), sn, st, o->to, tag, o->comm);
  }
}

// Every block in a message of its own.
static void by_hand(Operation* o, const Neighborhood* near) {
  const Buffer* in = &o->in;
  Buffer out = o->in_place ? *in : o->out;
  const int to_all = goes_to_all(o->which), tags = 4096 + 64 * o->step;
  MPI_Request requests[2 * kMostBlocks];
  int count = 0;
  out.memory = malloc(out.bytes);
  memcpy(out.memory, o->in_place ? in->memory : o->out.memory, out.bytes);
  for (int i = 0; i < near->in; ++i)
    MPI_Irecv(base(in) + in->bytes_before[i], in->counts[i], in->types[i], near->from[i],
              tags + near->tag_in[i], o->comm, &requests[count++]);
  for (int i = 0; i < near->out; ++i) {
    const int b = !to_all ? i : o->in_place ? o->me : 0;
    MPI_Isend(base(&out) + out.bytes_before[b], out.counts[b], out.types[b], near->to[i],
              tags + near->tag_out[i], o->comm, &requests[count++]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  free(out.memory);
}

static void among_all(Operation* o) {
  Neighborhood all = {.out = o->size, .in = o->size};
  for (int r = 0; r < o->size; ++r) all.to[r] = all.from[r] = r;
  by_hand(o, &all);
}

// A reduce in place, with the root's part elsewhere.
static void reduce_beside(Operation* o) {
  unsigned char* copy = malloc(o->in.bytes);
  memcpy(copy, o->in.memory, o->in.bytes);
  MPI_Reduce(copy + kGuard, base(&o->in), o->out.counts[0], o->out.types[0], o->op, o->root, o->comm);
  free(copy);
}

// What the hosts get wrong in every form.
static int is_done_otherwise(Operation* o) {
  // Open MPI 4.1 and MPICH 4.0 differ in which of several blocks of one neighbour is which.
  if (is_neighborly(o->which)) by_hand(o, o->near);
  // Open MPI 4.1 chooses the algorithm by the size of each rank's own elements, and hangs.
  else if (o->which == kAllgatherv && o->mixed) among_all(o);
  // Open MPI 4.1, alone in a communicator, looks for the block elsewhere.
  else if (o->which == kAlltoallw && o->size == 1) among_all(o);
  // MPICH 4.0 truncates pairs of a short and an int, and takes packed blocks for as long as their extent.
  else if (o->which >= kAlltoall && o->which <= kAlltoallw && o->in_place) among_all(o);
  // MPICH 4.0 crashes.
  else if (o->which == kReduce && o->in_place && o->me == o->root) reduce_beside(o);
  else return 0;
  return 1;
}

// Persistent collectives of Open MPI 4.1 and MPICH 4.0 crash. A reduce whose root does it otherwise is no
// other's.
static int is_made_blocking(const Operation* o) {
  return o->form == kPersistent || (o->which == kReduce && o->in_place);
}

// --- the life of an operation

static void end_of(Operation* o);

static void start(Operation* o) {
  if (o->turn == 0) {
    o->op = o->reduction->op;
    if (o->frees_early) take_own_handles(o);
  }
  fill(o);
  --o->starts_left;
  o->requests[0] = o->which >= kRing || o->turn == 0 ? MPI_REQUEST_NULL : o->requests[0];
  o->requests[1] = MPI_REQUEST_NULL;
  form = simple && o->which < kRing && is_made_blocking(o) ? kBlocking : o->form;
  if (o->which >= kRing) {
    exchange(o);
  } else if (simple && is_done_otherwise(o)) {
    form = kBlocking;
  } else {
    turn = o->turn;
    request = o->requests[0];
    call(o);
    o->requests[0] = request;
  }
  ++o->turn;
  if (o->starts_left == 0) free_own_handles(o);
  o->active[0] = form != kBlocking;
  o->active[1] = form != kBlocking && o->which >= kRing;
  if (form == kBlocking) end_of(o);
}

static void retire(Operation* o) {
  o->starts_left = 0;
  if (!o->member || o->active[0] || o->active[1]) return;
  if (o->requests[0] != MPI_REQUEST_NULL) MPI_Request_free(&o->requests[0]);
  free_own_handles(o);
  free(o->out.memory);
  free(o->in.memory);
  o->member = 0;
}

static void end_of(Operation* o) {
  uint64_t hash = mix((uint64_t)o->step, (uint64_t)o->turn);
  const int is_undefined = o->which == kExscan && o->me == 0;
  for (int b = 0; b < o->out.blocks; ++b) hash = take(&o->out, b, hash);
  for (int b = 0; b < o->in.blocks; ++b) {
    const uint64_t with_it = take(&o->in, b, hash);
    if (!is_undefined && (b == 0 || !is_reduction(o->which))) hash = with_it;
  }
  CHECK(untouched(&o->out), "step %d, %s: written beside the send buffer's blocks", o->step,
        which_names[o->which]);
  CHECK(untouched(&o->in), "step %d, %s: written beside the result", o->step, which_names[o->which]);
  found += mix(hash, 1);
  if (traced)
    fprintf(stderr, "rank %d: what step %d made gave %016llx, start %d\n", world_rank, o->step,
            (unsigned long long)hash, o->turn - 1);
  if (o->starts_left == 0) retire(o);
}
