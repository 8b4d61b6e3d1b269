// SPDX-License-Identifier: BSD-3-Clause
// v and w forms in turn, of which nothing changes from call to call but how long the blocks are and where
// they lie: with gaps, in another order than the ranks', and empty. Arguments: how often; and `send`,
// `receive` or `both`, where elements have a gap as long as themselves behind them, by a derived datatype, or
// `none`.
#include "check.h"

enum { kMostRanks = 16, kLongest = 3000, kEach = kLongest + 8, kInts = 2 * kMostRanks * kEach };

static int in[kInts], out[kInts], wanted[kInts];

typedef struct {
  MPI_Datatype type;
  int step;  // ints from one element to the next
} Element;
static Element sending = {MPI_INT, 1}, receiving = {MPI_INT, 1};

static void spread(Element* element) {
  element->step = 2;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &element->type);
  MPI_Type_commit(&element->type);
}

static uint64_t hash(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t x = a * 0x9e3779b97f4a7c15u ^ b * 0xbf58476d1ce4e5b9u ^ (c + 1) * 0x94d049bb133111ebu;
  x ^= x >> 29;
  return x * 0xd6e8feb86659fd93u >> 20;
}
// How many ints `from` has for `to`: mostly few, of neighbouring classes; now and then many.
static int ints(int round, int from, int to) {
  const uint64_t x = hash((uint64_t)round, (uint64_t)from, (uint64_t)to);
  const int most = x % 11 == 0 ? kLongest : x % 5 == 0 ? 200 : 18;
  return x % 7 == 0 ? 0 : (int)(x / 1000 % (uint64_t)most);
}
static int value(int round, int from, int to, int i) { return round * 1000003 + from * 5003 + to * 307 + i; }

// Where each block lies: the blocks' places in an order of this round's, and a gap before each.
static void lay(int round, const int* counts, int* places) {
  const int begin = (int)(hash((uint64_t)round, 77, (uint64_t)world_rank) % (uint64_t)world_size);
  for (int i = 0, end = 0; i < world_size; ++i) {
    const int which = (begin + i * (world_size > 2 && round % 2 ? world_size - 1 : 1)) % world_size;
    places[which] = end + (round + which) % 3;
    end = places[which] + counts[which];
  }
}

static int sent[kMostRanks], got[kMostRanks], sent_at[kMostRanks], got_at[kMostRanks];

static void fill(int round) {
  for (int i = 0; i < kInts; ++i) out[i] = wanted[i] = -7;
  for (int to = 0; to < world_size; ++to)
    for (int i = 0; i < sent[to]; ++i) in[(sent_at[to] + i) * sending.step] = value(round, world_rank, to, i);
}
static void expect(int round, int from, int to, int at, int count) {
  for (int i = 0; i < count; ++i) wanted[(at + i) * receiving.step] = value(round, from, to, i);
}
static void compare(const char* what, int round) {
  for (int i = 0; i < kInts; ++i)
    CHECK(out[i] == wanted[i], "%s, round %d, int %d: %d, not %d", what, round, i, out[i], wanted[i]);
}

static void all_to_all(int round, int by_w) {
  for (int r = 0; r < world_size; ++r)
    sent[r] = ints(round, world_rank, r), got[r] = ints(round, r, world_rank);
  lay(round, sent, sent_at);
  lay(round + 1, got, got_at);
  fill(round);
  for (int r = 0; r < world_size; ++r) expect(round, r, world_rank, got_at[r], got[r]);
  MPI_Datatype to[kMostRanks], from[kMostRanks];
  for (int r = 0; r < world_size; ++r) to[r] = sending.type, from[r] = receiving.type;
  for (int r = 0; by_w && r < world_size; ++r) {
    sent_at[r] *= sending.step * (int)sizeof(int);
    got_at[r] *= receiving.step * (int)sizeof(int);
  }
  if (by_w) MPI_Alltoallw(in, sent, sent_at, to, out, got, got_at, from, MPI_COMM_WORLD);
  else MPI_Alltoallv(in, sent, sent_at, sending.type, out, got, got_at, receiving.type, MPI_COMM_WORLD);
  compare(by_w ? "alltoallw" : "alltoallv", round);
}

// Each rank's block for all, which is the one for rank 0.
static void gather(int round, int root) {
  for (int r = 0; r < world_size; ++r) sent[r] = 0, got[r] = ints(round, r, 0);
  sent[0] = got[world_rank];
  sent_at[0] = 0;
  lay(round, got, got_at);
  fill(round);
  if (root < 0 || world_rank == root)
    for (int r = 0; r < world_size; ++r) expect(round, r, 0, got_at[r], got[r]);
  if (root < 0) MPI_Allgatherv(in, sent[0], sending.type, out, got, got_at, receiving.type, MPI_COMM_WORLD);
  else MPI_Gatherv(in, sent[0], sending.type, out, got, got_at, receiving.type, root, MPI_COMM_WORLD);
  compare(root < 0 ? "allgatherv" : "gatherv", round);
}

static void scatter(int round, int root) {
  for (int r = 0; r < world_size; ++r) sent[r] = ints(round, root, r);
  lay(round, sent, sent_at);
  fill(round);
  expect(round, root, world_rank, 0, sent[world_rank]);
  MPI_Scatterv(in, sent, sent_at, sending.type, out, sent[world_rank], receiving.type, root, MPI_COMM_WORLD);
  compare("scatterv", round);
}

static void reduce_scatter(int round) {
  int begin = 0;
  for (int r = 0; r < world_size; ++r) got[r] = ints(round, 0, r);
  for (int i = 0; i < kInts; ++i) out[i] = wanted[i] = -7, in[i] = i + world_rank * round;
  for (int r = 0; r < world_rank; ++r) begin += got[r];
  for (int i = 0; i < got[world_rank]; ++i)
    wanted[i] = (begin + i) * world_size + world_size * (world_size - 1) / 2 * round;
  MPI_Reduce_scatter(in, out, got, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  compare("reduce_scatter", round);
}

// Everybody but oneself, from the next rank on: neighbour i.
static MPI_Comm graph;
static int peer(int i) { return (world_rank + 1 + i) % world_size; }
static void make_graph(void) {
  int peers[kMostRanks];
  for (int i = 0; i < world_size - 1; ++i) peers[i] = peer(i);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, world_size - 1, peers, MPI_UNWEIGHTED, world_size - 1, peers,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
}

static void neighbors(int round) {
  const int others = world_size - 1;
  for (int i = 0; i < world_size; ++i) sent[i] = got[i] = 0;
  for (int i = 0; i < others; ++i)
    sent[i] = ints(round, world_rank, peer(i)), got[i] = ints(round, peer(i), world_rank);
  lay(round, sent, sent_at);
  lay(round + 1, got, got_at);
  fill(round);
  for (int i = 0; i < others; ++i) expect(round, peer(i), world_rank, got_at[i], got[i]);
  for (int i = 0; i < others; ++i)
    for (int k = 0; k < sent[i]; ++k)
      in[(sent_at[i] + k) * sending.step] = value(round, world_rank, peer(i), k);
  MPI_Neighbor_alltoallv(in, sent, sent_at, sending.type, out, got, got_at, receiving.type, graph);
  compare("neighbor_alltoallv", round);

  const int count = ints(round, 3, 5);
  for (int i = 0; i < kInts; ++i) out[i] = wanted[i] = -7;
  for (int i = 0; i < others; ++i) {
    expect(round, peer(i), world_rank, i * count, count);
    for (int k = 0; k < count; ++k) in[(i * count + k) * sending.step] = value(round, world_rank, peer(i), k);
  }
  MPI_Neighbor_alltoall(in, count, sending.type, out, count, receiving.type, graph);
  compare("neighbor_alltoall", round);

  for (int i = 0; i < kInts; ++i) out[i] = wanted[i] = -7;
  for (int k = 0; k < count; ++k) in[k * sending.step] = value(round, world_rank, 0, k);
  for (int i = 0; i < others; ++i) expect(round, peer(i), 0, i * count, count);
  MPI_Neighbor_allgather(in, count, sending.type, out, count, receiving.type, graph);
  compare("neighbor_allgather", round);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  CHECK(world_size <= kMostRanks, "%d ranks are too many", world_size);
  const int rounds = atoi(argv[1]), both = strcmp(argv[2], "both") == 0;
  if (both || strcmp(argv[2], "send") == 0) spread(&sending);
  if (both || strcmp(argv[2], "receive") == 0) spread(&receiving);
  make_graph();
  for (int round = 0; round < rounds; ++round) {
    all_to_all(round, 0);
    all_to_all(round, 1);
    gather(round, -1);
    gather(round, 0);
    scatter(round, world_size - 1);
    reduce_scatter(round);
    neighbors(round);
  }
  MPI_Comm_free(&graph);
  if (sending.step == 2) MPI_Type_free(&sending.type);
  if (receiving.step == 2) MPI_Type_free(&receiving.type);
  return end("%d rounds of changing lists", rounds);
}
