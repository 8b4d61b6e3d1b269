// SPDX-License-Identifier: BSD-3-Clause
// Every collective that moves data, blocking, non-blocking and persistent, with every root, blocks from
// nothing to large ones, side by side or anywhere, MPI_IN_PLACE, and datatypes in many layouts, equal or
// different on the ranks: each result is compared with what it must be, word by word.
#include "collectives.h"
#include "forms.h"
#include "layouts.h"

static Layout layouts[kLayouts];
static int cases;

static int value(int from, int tag, int basic) { return from * 1000003 + tag * 7919 + basic * 31 + turn; }

// --- one side of a call: blocks of ints, anywhere in memory

enum { kMostBlocks = 64 };

typedef struct {
  const Layout* layout;
  int blocks;
  int from[kMostBlocks], tag[kMostBlocks];              // what a block holds: see value(); from < 0: nobody's
  int basics[kMostBlocks];                              // its ints
  int counts[kMostBlocks], displacements[kMostBlocks];  // in elements
  int bytes_before[kMostBlocks];                        // the displacements of a w form
  MPI_Aint long_bytes_before[kMostBlocks];
  MPI_Datatype types[kMostBlocks];
  int total;  // ints from the beginning to the end, gaps between the blocks included
  int* memory;
} Blocks;

static Blocks blocks_as(const Layout* layout) {
  Blocks made;
  memset(&made, 0, sizeof made);
  made.layout = layout;
  return made;
}

static void add(Blocks* b, int from, int tag, int basics) {
  CHECK(b->blocks < kMostBlocks, "too many blocks");
  b->from[b->blocks] = from, b->tag[b->blocks] = tag, b->basics[b->blocks] = basics;
  ++b->blocks;
}

// Side by side, or with room between them and the last one first.
static void lay_out(Blocks* b, int scattered) {
  const Layout* l = b->layout;
  int next = 0;
  for (int i = 0; i < b->blocks; ++i) {
    const int block = scattered ? b->blocks - 1 - i : i;
    b->counts[block] = b->basics[block] / l->basics;
    b->displacements[block] = next;
    b->bytes_before[block] = next * l->extent * (int)sizeof(int);
    b->long_bytes_before[block] = b->bytes_before[block];
    b->types[block] = l->type;
    next += b->counts[block] + (scattered ? i % 3 : 0);
  }
  b->total = next * l->basics;
  b->memory = allocate(l, b->total);
}

static size_t words(const Blocks* b) { return words_for(b->layout, b->total); }

static void write_block(const Blocks* b, int* memory, int block) {
  const Layout* l = b->layout;
  const int from = b->from[block], tag = b->tag[block], basics = b->basics[block], of_element = l->basics;
  int* element = memory + b->displacements[block] * l->extent;
  for (int i = 0; i < basics; i += of_element, element += l->extent)
    for (int k = 0; k < of_element; ++k) element[l->offsets[k]] = value(from, tag, i + k);
}

static void wipe(Blocks* b) { wipe_words(b->memory, words(b)); }

static void fill(Blocks* b, int block) { write_block(b, b->memory, block); }

// Every block is there, and nothing else was written: between the blocks, in holes, or behind the last one.
static void expect(Blocks* b, const char* what) {
  int* wanted = allocate(b->layout, b->total);
  for (int block = 0; block < b->blocks; ++block)
    if (b->from[block] >= 0) write_block(b, wanted, block);
  if (memcmp(b->memory, wanted, words(b) * sizeof(int)) != 0)
    for (size_t i = 0; i < words(b); ++i)
      CHECK(b->memory[i] == wanted[i], "%s %s, %d blocks as %s: %d at word %zu, wanted %d, turn %d",
            form_names[form], what, b->blocks, b->layout->name, b->memory[i], i, wanted[i], turn);
  free(wanted);
}

// --- who has whom as a neighbour: the n-th block for a rank becomes its n-th from here

typedef struct {
  MPI_Comm comm;
  int out, in;                             // blocks on either side
  int to[kMostBlocks], from[kMostBlocks];  // by block; -1: nobody
  int tag_out[kMostBlocks], tag_in[kMostBlocks];
} Neighborhood;

enum { kGrid, kTorus, kRing, kGraph, kDistributed, kNeighborhoods };

static Neighborhood on_grid(int ndims, int periodic) {
  Neighborhood made;
  int dims[2] = {0, 0}, periods[2] = {periodic, periodic};
  memset(&made, 0, sizeof made);
  MPI_Dims_create(world_size, ndims, dims);
  MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, 0, &made.comm);
  made.out = made.in = 2 * ndims;
  for (int d = 0; d < ndims; ++d) {
    int below = 0, above = 0;
    MPI_Cart_shift(made.comm, d, 1, &below, &above);
    const int ranks[2] = {below, above};
    for (int side = 0; side < 2; ++side) {
      const int slot = 2 * d + side, rank = ranks[side] == MPI_PROC_NULL ? -1 : ranks[side];
      made.to[slot] = made.from[slot] = rank;
      made.tag_out[slot] = slot;
      made.tag_in[slot] = slot ^ 1;  // what is sent in one direction arrives as from the other
    }
  }
  return made;
}

// Rank r has r+1, r+1 again, r+2 and itself as destinations; whom it has as sources follows.
static void circle(Neighborhood* made) {
  static const int steps[] = {1, 1, 2, 0};
  const int n = world_size, me = world_rank;
  for (int i = 0; i < 4; ++i) {
    made->to[made->out] = (me + steps[i]) % n, made->tag_out[made->out] = i;
    ++made->out;
    made->from[made->in] = (me + 2 * n - steps[i]) % n, made->tag_in[made->in] = i;
    ++made->in;
  }
}

static Neighborhood distributed(void) {
  Neighborhood made;
  memset(&made, 0, sizeof made);
  circle(&made);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, made.in, made.from, MPI_UNWEIGHTED, made.out, made.to,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made.comm);
  return made;
}

// Everybody a neighbour of the two beside it, and rank 0 of itself.
static Neighborhood graph(void) {
  Neighborhood made;
  int index[kMostBlocks], edges[4 * kMostBlocks], count = 0;
  memset(&made, 0, sizeof made);
  for (int r = 0; r < world_size; ++r) {
    if (r == 0) edges[count++] = 0;
    if (r > 0) edges[count++] = r - 1;
    if (r < world_size - 1) edges[count++] = r + 1;
    index[r] = count;
  }
  MPI_Graph_create(MPI_COMM_WORLD, world_size, index, edges, 0, &made.comm);
  for (int i = world_rank == 0 ? 0 : index[world_rank - 1]; i < index[world_rank]; ++i) {
    made.to[made.out] = made.from[made.in] = edges[i];
    ++made.out, ++made.in;
  }
  return made;
}

static Neighborhood neighborhood(int which) {
  switch (which) {
    case kGrid: return on_grid(2, 0);
    case kTorus: return on_grid(2, 1);
    case kRing: return on_grid(1, 1);
    case kGraph: return graph();
    default: return distributed();
  }
}

// --- one call

typedef struct {
  Collective which;
  const Layout *send, *recv;
  int unit;  // ints of a block, or of the smallest of several sizes
  int root, in_place, scattered;
  const Neighborhood* neighbors;
} Case;

// Some are empty; the same both ways, as MPI_IN_PLACE demands.
static int size_of(const Case* c, int a, int b) {
  if (!is_v(c->which)) return c->unit;
  const int low = a < b ? a : b, high = a < b ? b : a;
  return c->unit * ((low * 3 + high * 5 + 1) % 4);
}
static int size_of_one(const Case* c, int rank) {
  return is_v(c->which) ? c->unit * ((rank + 1) % 3) : c->unit;
}

static void describe(const Case* c, Blocks* out, Blocks* in) {
  const int n = world_size, me = world_rank, is_root = me == c->root;
  *out = blocks_as(c->send), *in = blocks_as(c->recv);
  if (c->which == kBcast) {
    add(in, c->root, 0, c->unit);
  } else if (gathers(c->which)) {
    add(out, me, 0, size_of(c, me, c->root));
    for (int r = 0; is_root && r < n; ++r) add(in, r, 0, size_of(c, r, c->root));
  } else if (scatters(c->which)) {
    for (int r = 0; is_root && r < n; ++r) add(out, me, r, size_of(c, r, c->root));
    if (!is_root || !c->in_place) add(in, c->root, me, size_of(c, me, c->root));
  } else if (is_neighborly(c->which)) {
    const Neighborhood* near = c->neighbors;
    const int to_all = goes_to_all(c->which);
    if (to_all) add(out, me, 0, size_of_one(c, me));
    for (int i = 0; !to_all && i < near->out; ++i)
      add(out, me, near->tag_out[i], size_of(c, me, near->to[i] < 0 ? me : near->to[i]));
    for (int i = 0; i < near->in; ++i) {
      const int from = near->from[i], peer = from < 0 ? me : from;
      add(in, from, to_all ? 0 : near->tag_in[i], to_all ? size_of_one(c, peer) : size_of(c, peer, me));
    }
  } else if (goes_to_all(c->which)) {
    add(out, me, 0, size_of_one(c, me));
    for (int r = 0; r < n; ++r) add(in, r, 0, size_of_one(c, r));
  } else {
    for (int r = 0; r < n; ++r) add(out, me, r, size_of(c, me, r));
    for (int r = 0; r < n; ++r) add(in, r, me, size_of(c, r, me));
  }
  lay_out(out, c->scattered);
  lay_out(in, c->scattered);
}

// What a rank contributes; in place, it lies where the result will.
static void fill_in(const Case* c, Blocks* out, Blocks* in) {
  wipe(in);
  if (c->which == kBcast && world_rank == c->root) fill(in, 0);
  for (int i = 0; i < out->blocks; ++i) fill(out, i);
  if (!c->in_place || scatters(c->which)) return;
  if (goes_to_all(c->which) || (gathers(c->which) && world_rank == c->root)) fill(in, world_rank);
  for (int i = 0; !is_rooted(c->which) && !goes_to_all(c->which) && i < in->blocks; ++i) {
    const int from = in->from[i], tag = in->tag[i];
    in->from[i] = world_rank, in->tag[i] = i;
    fill(in, i);
    in->from[i] = from, in->tag[i] = tag;
  }
}

static void call(const Case* c, const Blocks* out, const Blocks* in) {
  const int root = c->root, is_root = world_rank == root;
  const MPI_Comm comm = c->neighbors ? c->neighbors->comm : MPI_COMM_WORLD;
  const int sends_in_place = c->in_place && !scatters(c->which) && (!is_rooted(c->which) || is_root);
  const int receives_in_place = c->in_place && scatters(c->which) && is_root;
  const void* s = sends_in_place ? MPI_IN_PLACE : out->memory;
  void* r = receives_in_place ? MPI_IN_PLACE : in->memory;
  const MPI_Datatype st = c->send->type, rt = c->recv->type;
  const int sn = out->counts[0], rn = in->counts[0];
  switch (c->which) {
    case kBcast: START(Bcast, bcast, r, rn, rt, root, comm); break;
    case kGather: START(Gather, gather, s, sn, st, r, rn, rt, root, comm); break;
    case kGatherv:
      START(Gatherv, gatherv, s, sn, st, r, in->counts, in->displacements, rt, root, comm);
      break;
    case kScatter: START(Scatter, scatter, s, sn, st, r, rn, rt, root, comm); break;
    case kScatterv:
      START(Scatterv, scatterv, s, out->counts, out->displacements, st, r, rn, rt, root, comm);
      break;
    case kAllgather: START(Allgather, allgather, s, sn, st, r, rn, rt, comm); break;
    case kAllgatherv:
      START(Allgatherv, allgatherv, s, sn, st, r, in->counts, in->displacements, rt, comm);
      break;
    case kAlltoall: START(Alltoall, alltoall, s, sn, st, r, rn, rt, comm); break;
    case kAlltoallv:
      START(Alltoallv, alltoallv, s, out->counts, out->displacements, st, r, in->counts, in->displacements,
            rt, comm);
      break;
    case kAlltoallw:
      START(Alltoallw, alltoallw, s, out->counts, out->bytes_before, out->types, r, in->counts,
            in->bytes_before, in->types, comm);
      break;
    case kNeighborAllgather: START(Neighbor_allgather, neighbor_allgather, s, sn, st, r, rn, rt, comm); break;
    case kNeighborAllgatherv:
      START(Neighbor_allgatherv, neighbor_allgatherv, s, sn, st, r, in->counts, in->displacements, rt, comm);
      break;
    case kNeighborAlltoall: START(Neighbor_alltoall, neighbor_alltoall, s, sn, st, r, rn, rt, comm); break;
    case kNeighborAlltoallv:
      START(Neighbor_alltoallv, neighbor_alltoallv, s, out->counts, out->displacements, st, r, in->counts,
            in->displacements, rt, comm);
      break;
    default:
      START(Neighbor_alltoallw, neighbor_alltoallw, s, out->counts, out->long_bytes_before, out->types, r,
            in->counts, in->long_bytes_before, in->types, comm);
  }
}

static void move(const Case* c) {
  Blocks out, in;
  describe(c, &out, &in);
  for (turn = 0; turn < turns(); ++turn) {
    fill_in(c, &out, &in);
    call(c, &out, &in);
    settle();
    expect(&in, collective_names[c->which]);
    expect(&out, "a send buffer");
  }
  free(out.memory);
  free(in.memory);
  ++cases;
}

static void barrier(void) {
  for (turn = 0; turn < turns(); ++turn) {
    START(Barrier, barrier, MPI_COMM_WORLD);
    settle();
  }
  ++cases;
}

// Every case has its own mixture of layouts (of a bcast's, the root's), and its own root.
static void run(Collective which, int unit, int in_place, int scattered, const Neighborhood* near,
                int number) {
  const int mixed = number % 3 == 0, l = number % kLayouts;
  Case c = {which,
            &layouts[mixed ? (world_rank + number) % kLayouts : l],
            &layouts[mixed ? (world_rank * 5 + 2 + number) % kLayouts : l],
            unit,
            number % world_size,
            in_place,
            scattered,
            near};
  move(&c);
}

// argv: how many of the sizes; every how many-th of the cases; how many of the forms.
int main(int argc, char** argv) {
  begin(&argc, &argv);
  static const int units[] = {6, 42, 6006, 60000, 0};
  const int sizes = argc > 1 ? atoi(argv[1]) : 5, stride = argc > 2 ? atoi(argv[2]) : 1;
  const int forms = argc > 3 ? atoi(argv[3]) : kForms;
  Neighborhood near[kNeighborhoods];
  int number = 0;
  make_layouts(layouts);
  for (int i = 0; i < kNeighborhoods; ++i) near[i] = neighborhood(i);
  for (form = 0; form < forms; ++form) {
    barrier();
    for (Collective which = kBcast; which < kReduce; ++which)
      for (int size = 0; size < sizes; ++size)
        for (int scattered = 0; scattered <= is_v(which); ++scattered)
          for (int in_place = 0; in_place <= !(is_neighborly(which) || which == kBcast); ++in_place)
            for (int place = 0; place < (is_neighborly(which) ? kNeighborhoods : 2); ++place)
              if (number++ % stride == 0)
                run(which, units[size], in_place, scattered, is_neighborly(which) ? &near[place] : NULL,
                    number / stride);
  }
  for (int i = 0; i < kNeighborhoods; ++i) MPI_Comm_free(&near[i].comm);
  free_layouts(layouts);
  return end("%d cases", cases);
}
