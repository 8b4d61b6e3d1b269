// SPDX-License-Identifier: BSD-3-Clause
// Every collective that reduces, blocking, non-blocking and persistent: predefined operators on integers,
// floats and pairs, operators of the program's own that commute or not, on basic and on derived types with
// gaps, in place, on every root, and with the operator and the type freed right after the start. The wanted
// result is computed in rank order.
#include "collectives.h"
#include "forms.h"

static int cases;
enum { kMost = 30000, kModulus = 997, kGap = 0x5a5a5a5a };

typedef union {
  int words[4 * kMost];
  double doubles[2 * kMost];
  struct {
    double value;
    int index;
  } pairs[kMost];
} Buffer;
static Buffer in, wanted;

static int word(int rank, int i) { return (rank * 31 + i * 17 + turn * 3 + 5) % 23 - 3; }

// --- operators of the program's own

static void modular_sum(void* left, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)into)[i] = (((int*)left)[i] + ((int*)into)[i]) % kModulus;
}

// Matrices of two by two: associative, and the order matters.
static void multiply(const int* a, const int* b, int* c) {
  const int product[4] = {(a[0] * b[0] + a[1] * b[2]) % kModulus, (a[0] * b[1] + a[1] * b[3]) % kModulus,
                          (a[2] * b[0] + a[3] * b[2]) % kModulus, (a[2] * b[1] + a[3] * b[3]) % kModulus};
  memcpy(c, product, sizeof product);
}

static void matrix_product(void* left, void* into, int* count, MPI_Datatype* type) {
  int size = 0;
  MPI_Type_size(*type, &size);
  CHECK(size == 4 * (int)sizeof(int), "a type of %d bytes in the operator", size);
  for (int i = 0; i < *count; ++i) multiply((int*)left + 4 * i, (int*)into + 4 * i, (int*)into + 4 * i);
}

// On a vector with a hole: two ints, three apart.
static void gap_sum(void* left, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i)
    for (int b = 0; b < 3; b += 2) ((int*)into)[3 * i + b] += ((int*)left)[3 * i + b];
}

// On two ints that lie before and behind the element's address, and a hole between them.
static void shifted_sum(void* left, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i)
    for (int b = -1; b < 2; b += 2) ((int*)into)[3 * i + b] += ((int*)left)[3 * i + b];
}

// --- what is reduced: fill(rank, count) puts a rank's elements into `in`, fold(last, count) what the ranks
// up to `last` give into `wanted`

typedef struct {
  const char* name;
  MPI_Datatype type;
  MPI_Op op;
  int element_bytes, lower;  // ints from an element's address to its first byte
  void (*fill)(int rank, int count);
  void (*fold)(int last, int count);
} Reduction;

static int which_op;

static int combine(int a, int b) {
  switch (which_op) {
    case 0: return a + b;
    case 1: return a > b ? a : b;
    case 2: return a < b ? a : b;
    case 3: return a * b;
    case 4: return a & b;
    case 5: return a | b;
    case 6: return a ^ b;
    case 7: return a && b;
    case 8: return a || b;
    default: return !a != !b;
  }
}

// With one rank nothing is combined, so that the logical operators leave what is there.
static int logical_word(int rank, int i) { return which_op >= 7 ? word(rank, i) > 4 : word(rank, i); }

static void fill_integers(int rank, int count) {
  for (int i = 0; i < count; ++i) in.words[i] = logical_word(rank, i);
}
static void fold_integers(int last, int count) {
  for (int i = 0; i < count; ++i) {
    wanted.words[i] = logical_word(0, i);
    for (int r = 1; r <= last; ++r) wanted.words[i] = combine(wanted.words[i], logical_word(r, i));
  }
}

static void fill_doubles(int rank, int count) {  // small integers, so that every order of adding is exact
  for (int i = 0; i < count; ++i) in.doubles[i] = word(rank, i);
}
static void fold_doubles(int last, int count) {
  for (int i = 0; i < count; ++i) {
    wanted.doubles[i] = 0;
    for (int r = 0; r <= last; ++r) wanted.doubles[i] += word(r, i);
  }
}

static void fill_locations(int rank, int count) {
  for (int i = 0; i < count; ++i) in.words[2 * i] = word(rank, i) / 4, in.words[2 * i + 1] = rank;
}
static void fold_locations(int last, int count) {
  for (int i = 0; i < count; ++i) {
    wanted.words[2 * i] = word(0, i) / 4, wanted.words[2 * i + 1] = 0;
    for (int r = 1; r <= last; ++r)
      if (word(r, i) / 4 > wanted.words[2 * i])
        wanted.words[2 * i] = word(r, i) / 4, wanted.words[2 * i + 1] = r;
  }
}

static void fill_modular(int rank, int count) {
  for (int i = 0; i < count; ++i) in.words[i] = word(rank, i) + 3;
}
static void fold_modular(int last, int count) {
  for (int i = 0; i < count; ++i) {
    wanted.words[i] = 0;
    for (int r = 0; r <= last; ++r) wanted.words[i] = (wanted.words[i] + word(r, i) + 3) % kModulus;
  }
}

static void fill_matrices(int rank, int count) {
  for (int i = 0; i < 4 * count; ++i) in.words[i] = word(rank, i) + 3;
}
static void fold_matrices(int last, int count) {
  for (int i = 0; i < count; ++i) {
    for (int w = 0; w < 4; ++w) wanted.words[4 * i + w] = word(0, 4 * i + w) + 3;
    for (int r = 1; r <= last; ++r) {
      int next[4];
      for (int w = 0; w < 4; ++w) next[w] = word(r, 4 * i + w) + 3;
      multiply(&wanted.words[4 * i], next, &wanted.words[4 * i]);
    }
  }
}

static void fill_gaps(int rank, int count) {
  for (int i = 0; i < 3 * count; ++i) in.words[i] = i % 3 == 1 ? kGap : word(rank, i);
}
static void fold_gaps(int last, int count) {
  for (int i = 0; i < 3 * count; ++i) {
    wanted.words[i] = i % 3 == 1 ? kGap : 0;
    for (int r = 0; i % 3 != 1 && r <= last; ++r) wanted.words[i] += word(r, i);
  }
}

// --- one call

typedef struct {
  Collective which;
  const Reduction* reduction;
  int count, root, in_place, free_early;
} Case;

static void check(const Case* c, const Buffer* found, int first, int count) {
  const Reduction* r = c->reduction;
  const int words = r->element_bytes / (int)sizeof(int);
  for (int i = 0; i < count * words; ++i)
    CHECK(found->words[i] == wanted.words[first * words + i],
          "%s %s of %s, %d elements, root %d, in place %d: %d at word %d, wanted %d, turn %d",
          form_names[form], collective_names[c->which], r->name, c->count, c->root, c->in_place,
          found->words[i], i, wanted.words[first * words + i], turn);
}

static void reduce_once(const Case* c, const int* parts, Buffer* sent, Buffer* received) {
  Reduction r = *c->reduction;
  const int me = world_rank, n = world_size;
  const int total = c->which == kReduceScatterBlock ? c->count / n * n : c->count;
  const int has_result = c->which == kReduce ? me == c->root : c->which != kExscan || me > 0;
  const int in_place = c->in_place && (c->which != kReduce || me == c->root);
  const size_t bytes = (size_t)total * (size_t)r.element_bytes;
  int first = 0, own = total;
  if (c->which == kReduceScatterBlock) own = total / n, first = own * me;
  for (int rank = 0; c->which == kReduceScatter && rank < me; ++rank) first += parts[rank];
  if (c->which == kReduceScatter) own = parts[me];

  r.fill(me, total);
  memcpy(sent, &in, bytes);
  memset(received, 0x5a, bytes + 8);
  if (in_place) memcpy(received, &in, bytes);
  r.fold(c->which == kScan ? me : c->which == kExscan ? me - 1 : n - 1, total);

  const void* from = in_place ? MPI_IN_PLACE : (const void*)&sent->words[-r.lower];
  void* into = &received->words[-r.lower];
  const MPI_Comm world = MPI_COMM_WORLD;
  switch (c->which) {
    case kAllreduce: START(Allreduce, allreduce, from, into, total, r.type, r.op, world); break;
    case kReduce: START(Reduce, reduce, from, into, total, r.type, r.op, c->root, world); break;
    case kReduceScatterBlock:
      START(Reduce_scatter_block, reduce_scatter_block, from, into, own, r.type, r.op, world);
      break;
    case kReduceScatter: START(Reduce_scatter, reduce_scatter, from, into, parts, r.type, r.op, world); break;
    case kScan: START(Scan, scan, from, into, total, r.type, r.op, world); break;
    default: START(Exscan, exscan, from, into, total, r.type, r.op, world);
  }
  if (c->free_early && turn == 0) {
    MPI_Op_free(&r.op);
    MPI_Type_free(&r.type);
  }
  settle();

  CHECK(memcmp(sent, &in, bytes) == 0, "%s of %s: the send buffer was written", collective_names[c->which],
        r.name);
  if (has_result) check(c, received, first, own);
  for (int i = 0; i < 8; ++i)
    CHECK(((const unsigned char*)received)[bytes + (size_t)i] == 0x5a, "%s: written behind the result",
          r.name);
}

static void reduce(const Case* c) {
  static Buffer sent, received;
  int parts[64], left = c->count;
  for (int rank = 0; rank < world_size; ++rank) {  // uneven, some empty, the last gets the rest
    parts[rank] = rank == world_size - 1 ? left : rank % 3 == 1 ? 0 : left / 3;
    left -= parts[rank];
  }
  for (turn = 0; turn < turns(); ++turn) reduce_once(c, parts, &sent, &received);
  turn = 0;
  ++cases;
}

// In every collective, in place and not, and on several roots.
static void all_of(const Reduction* r, int count) {
  for (Collective which = kReduce; which <= kExscan; ++which)
    for (int in_place = 0; in_place < 2; ++in_place) {
      const int roots = which != kReduce ? 1 : count < 1000 ? world_size : 2;
      for (int root = 0; root < roots; ++root) {
        const Case c = {which, r, count, roots == 2 ? root * (world_size - 1) : root, in_place, 0};
        reduce(&c);
      }
    }
}

static void integers(int count) {
  const MPI_Op ops[] = {MPI_SUM, MPI_MAX,  MPI_MIN,  MPI_PROD, MPI_BAND,
                        MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR,  MPI_LXOR};
  for (which_op = 0; which_op < 10; ++which_op) {
    const Reduction r = {"integers", MPI_INT, ops[which_op], sizeof(int), 0, fill_integers, fold_integers};
    if (form == kBlocking || which_op == 0) all_of(&r, count);
  }
}

// A double and an int have padding between elements, which is nobody's: compared by member.
static void padded_locations(int count) {
  static Buffer out;
  for (turn = 0; turn < turns(); ++turn) {
    for (int i = 0; i < count; ++i) in.pairs[i].value = word(world_rank, i), in.pairs[i].index = world_rank;
    START(Allreduce, allreduce, &in, &out, count, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    settle();
    for (int i = 0; i < count; ++i) {
      int least = 0;
      for (int r = 1; r < world_size; ++r)
        if (word(r, i) < word(least, i)) least = r;
      CHECK(out.pairs[i].value == word(least, i) && out.pairs[i].index == least,
            "MINLOC: (%g, %d) at %d, wanted %d", out.pairs[i].value, out.pairs[i].index, i, least);
    }
  }
  turn = 0;
  ++cases;
}

static void own_operators(int count) {
  MPI_Op sum, product, gaps, shifted;
  MPI_Datatype matrix, vector, around, narrow;
  MPI_Op_create(modular_sum, 1, &sum);
  MPI_Op_create(matrix_product, 0, &product);
  MPI_Op_create(gap_sum, 1, &gaps);
  MPI_Op_create(shifted_sum, 1, &shifted);
  MPI_Type_contiguous(4, MPI_INT, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {-(MPI_Aint)sizeof(int), sizeof(int)};
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &narrow);
  MPI_Type_create_resized(narrow, -(MPI_Aint)sizeof(int), 3 * sizeof(int), &around);
  MPI_Type_commit(&around);
  MPI_Type_free(&narrow);

  const Reduction modular = {"an own commutative operator", MPI_INT, sum, 4, 0, fill_modular, fold_modular};
  const Reduction matrices = {"matrices", matrix, product, 16, 0, fill_matrices, fold_matrices};
  const Reduction holes = {"a vector with a hole", vector, gaps, 12, 0, fill_gaps, fold_gaps};
  const Reduction behind = {"a negative lower bound", around, shifted, 12, -1, fill_gaps, fold_gaps};
  all_of(&modular, count);
  all_of(&matrices, count);
  all_of(&holes, count);
  all_of(&behind, count);
  for (Collective which = kReduce; form != kBlocking && which <= kExscan; ++which) {
    Reduction freed = matrices;
    freed.name = "what was freed early";
    MPI_Op_create(matrix_product, 0, &freed.op);
    MPI_Type_contiguous(4, MPI_INT, &freed.type);
    MPI_Type_commit(&freed.type);
    const Case c = {which, &freed, count, world_size - 1, 0, 1};
    reduce(&c);
  }
  MPI_Op_free(&sum);
  MPI_Op_free(&product);
  MPI_Op_free(&gaps);
  MPI_Op_free(&shifted);
  MPI_Type_free(&matrix);
  MPI_Type_free(&vector);
  MPI_Type_free(&around);
}

// argv: how many of the sizes; how many of the forms.
int main(int argc, char** argv) {
  begin(&argc, &argv);
  static const int counts[] = {7, 1, 1001, 20000, 0};
  const int largest = argc > 1 ? atoi(argv[1]) : 5, forms = argc > 2 ? atoi(argv[2]) : kForms;
  for (form = 0; form < forms; ++form)
    for (int c = 0; c < largest && c < 5; ++c) {
      integers(counts[c]);
      const Reduction doubles = {"doubles", MPI_DOUBLE,   MPI_SUM,     sizeof(double),
                                 0,         fill_doubles, fold_doubles};
      const Reduction pairs = {"pairs", MPI_2INT,       MPI_MAXLOC,    2 * sizeof(int),
                               0,       fill_locations, fold_locations};
      all_of(&doubles, counts[c]);
      all_of(&pairs, counts[c]);
      padded_locations(counts[c]);
      own_operators(counts[c]);
    }
  return end("%d cases", cases);
}
