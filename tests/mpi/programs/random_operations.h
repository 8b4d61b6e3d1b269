// SPDX-License-Identifier: BSD-3-Clause
// What becomes of an operation of a random program: start() begins it, or begins a persistent one again;
// end_of() checks its buffers and adds what they hold to this rank's hash; retire() gives up what it has.
#pragma once

#include "forms.h"
#include "random_arguments.h"

static int traced;      // every step is said as it begins
static int simple;      // the host's run: see is_done_otherwise() and is_made_blocking()
static uint64_t found;  // by this rank: a sum, so that the order in which operations end does not count

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
  if (o->form == kPersistent) {
    if (o->turn == 0) {
      MPI_Recv_init(base(in), rn, rt, o->from, tag, o->comm, &o->requests[0]);
      MPI_Send_init(base(out), sn, st, o->to, tag, o->comm, &o->requests[1]);
    }
    MPI_Startall(2, o->requests);
  } else if (o->form == kNonblocking) {
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
  const int from_in = o->in_place && !is_rooted(o->which);
  Buffer out = from_in ? *in : o->out;
  const int to_all = goes_to_all(o->which), tags = 4096 + 64 * o->step;
  MPI_Request requests[2 * kMostBlocks];
  int count = 0;
  out.memory = malloc(out.bytes);
  memcpy(out.memory, from_in ? in->memory : o->out.memory, out.bytes);
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

// The root's own block may be in place already.
static void with_root(Operation* o) {
  const int is_root = o->me == o->root, collects = gathers(o->which);
  const int many = is_root ? o->size : 0;
  Neighborhood near = {.out = collects ? 1 : many, .in = collects ? many : 1};
  for (int r = 0; r < many; ++r)
    (collects ? near.from : near.to)[r] = r == o->me && o->in_place ? MPI_PROC_NULL : r;
  (collects ? near.to : near.from)[0] = is_root && o->in_place ? MPI_PROC_NULL : o->root;
  by_hand(o, &near);
}

// A reduction in place, with this rank's part elsewhere.
static void reduce_beside(Operation* o) {
  unsigned char* copy = malloc(o->in.bytes);
  memcpy(copy, o->in.memory, o->in.bytes);
  const void* s = copy + kGuard;
  void* r = base(&o->in);
  const MPI_Datatype type = o->out.types[0];
  if (o->which == kReduce) MPI_Reduce(s, r, o->out.counts[0], type, o->op, o->root, o->comm);
  else if (o->which == kReduceScatter) MPI_Reduce_scatter(s, r, o->parts, type, o->op, o->comm);
  else MPI_Reduce_scatter_block(s, r, o->unit, type, o->op, o->comm);
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
  else if ((gathers(o->which) || scatters(o->which)) && o->family == kShortInts) with_root(o);
  // MPICH 4.0 crashes.
  else if (o->which == kReduce && o->in_place && o->me == o->root) reduce_beside(o);
  // MPICH 4.0 and 5 end the job where parts are long and differ: copied onto themselves.
  else if ((o->which == kReduceScatter || o->which == kReduceScatterBlock) && o->in_place) reduce_beside(o);
  else return 0;
  return 1;
}

// What the hosts get wrong in this form: persistent collectives crash in Open MPI 4.1, and tests of them fail
// in MPICH 4.0. Where the root of a reduce does it otherwise, the others block, too.
static int is_made_blocking(const Operation* o) {
  return o->form == kPersistent || (o->which == kReduce && o->in_place);
}

// --- the life of an operation

enum { kMostTogether = 6 };

static void end_of(Operation* o);

static void started(Operation* o) {
  ++o->turn;
  if (o->starts_left == 0) free_own_handles(o);
  o->active[0] = form != kBlocking;
  o->active[1] = form != kBlocking && o->which >= kRing;
  if (form == kBlocking) end_of(o);
}

static void start(Operation* o) {
  if (o->turn == 0) {
    o->op = o->reduction->op;
    if (o->frees_early) take_own_handles(o);
    o->requests[0] = o->requests[1] = MPI_REQUEST_NULL;
  }
  fill(o);
  --o->starts_left;
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
  started(o);
}

// Persistent ones that were started before, in an order of this rank's own; by one call, that is the MPI's.
static void start_together(Operation** in_step, int count, int by_one_call, uint64_t* own) {
  MPI_Request requests[2 * kMostTogether];
  Operation* some[kMostTogether];
  int order[kMostTogether], filled = 0;
  shuffle(order, count, own);
  for (int i = 0; i < count; ++i) some[i] = in_step[simple ? i : order[i]];
  if (simple || !by_one_call) {
    for (int i = 0; i < count; ++i) start(some[i]);
    return;
  }
  for (int i = 0; i < count; ++i) {
    fill(some[i]);
    --some[i]->starts_left;
    for (int r = 0; r <= (some[i]->which >= kRing); ++r) requests[filled++] = some[i]->requests[r];
  }
  MPI_Startall(filled, requests);
  form = kPersistent;
  for (int i = 0; i < count; ++i) started(some[i]);
}

static void retire(Operation* o) {
  o->starts_left = 0;
  if (!o->member || o->active[0] || o->active[1]) return;
  for (int r = 0; r < 2; ++r)
    if (o->requests[r] != MPI_REQUEST_NULL) MPI_Request_free(&o->requests[r]);
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
        name_of(o->which));
  CHECK(untouched(&o->in), "step %d, %s: written beside the result", o->step, name_of(o->which));
  found += mix(hash, 1);
  if (traced)
    fprintf(stderr, "rank %d: what step %d made gave %016llx, start %d\n", world_rank, o->step,
            (unsigned long long)hash, o->turn - 1);
  if (o->starts_left == 0) retire(o);
}
