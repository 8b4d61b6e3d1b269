// SPDX-License-Identifier: BSD-3-Clause
// One operation of a random program: a collective or an exchange between pairs. All its arguments follow from
// its seed, so that the members of its communicator agree about them.
#pragma once

#include "collectives.h"
#include "random_data.h"

enum {
  kRing = kCollectives,
  kPairs
};  // to the one that is some steps away; neighbours by rank, one sends first

// A collective, or one of the two exchanges above.
typedef int Which;

static const char* name_of(Which which) {
  return which == kRing ? "ring" : which == kPairs ? "pairs" : collective_names[which];
}

// The n-th block for a rank becomes its n-th from here, whatever the direction: told by the tags.
typedef struct {
  int out, in;
  int to[kMostBlocks], from[kMostBlocks];
  int tag_out[kMostBlocks], tag_in[kMostBlocks];
} Neighborhood;

typedef struct {
  // These fields are the same on all ranks of the world.
  Which which;
  int step, form, starts_left, slot;
  uint64_t seed;
  // These are used on the members of the communicator only.
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

// How long the block from one rank to another is: the same both ways where MPI_IN_PLACE demands it.
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
  // MPICH 4.0 takes a started persistent request with MPI_PROC_NULL for an inactive one.
  const int nobody = o->form == kPersistent ? o->me : MPI_PROC_NULL;
  if (o->which == kPairs) o->to = o->from = (o->me ^ 1) < n ? o->me ^ 1 : nobody;
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
