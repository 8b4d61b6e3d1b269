// SPDX-License-Identifier: BSD-3-Clause
// Reduce and Allreduce, blocking and non-blocking: predefined operators on integers, floats and pairs,
// operators of the program's own that commute or not, on basic and on derived types, in place, on every root,
// and with the operator and the type freed right after the start. The wanted result is computed in rank
// order.
#include "layouts.h"

static int nonblocking, cases;
enum { kMost = 30000, kModulus = 997 };

typedef union {
  int words[4 * kMost];
  double doubles[2 * kMost];
  struct {
    double value;
    int index;
  } pairs[kMost];
} Buffer;
static Buffer in, out, wanted;

static int word(int rank, int i) { return (rank * 31 + i * 17 + 5) % 23 - 3; }

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

// --- one reduction: `bytes` of `in` against `wanted`

typedef struct {
  const char* name;
  MPI_Datatype type;
  MPI_Op op;
  int count, bytes, free_early;
} Reduction;

static void settle(Reduction* r, MPI_Request* request) {
  if (r->free_early) {
    MPI_Op_free(&r->op);
    MPI_Type_free(&r->type);
  }
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void reduce_to(Reduction r, int root, int in_place) {  // root -1: allreduce
  static Buffer sent, received;
  const int has_result = root < 0 || root == world_rank;
  memcpy(&sent, &in, (size_t)r.bytes);
  memset(&received, 0x5a, (size_t)r.bytes + 8);
  const void* from = &sent;
  if (in_place && has_result) {
    memcpy(&received, &in, (size_t)r.bytes);
    from = MPI_IN_PLACE;
  }
  MPI_Request request;
  const MPI_Comm world = MPI_COMM_WORLD;
  if (root < 0 && nonblocking)
    MPI_Iallreduce(from, &received, r.count, r.type, r.op, world, &request), settle(&r, &request);
  else if (root < 0) MPI_Allreduce(from, &received, r.count, r.type, r.op, world);
  else if (nonblocking)
    MPI_Ireduce(from, &received, r.count, r.type, r.op, root, world, &request), settle(&r, &request);
  else MPI_Reduce(from, &received, r.count, r.type, r.op, root, world);
  CHECK(memcmp(&sent, &in, (size_t)r.bytes) == 0, "%s: the send buffer was written", r.name);
  const Buffer* found = &received;
  if (has_result && memcmp(found, &wanted, (size_t)r.bytes) != 0)
    for (int i = 0; i < r.bytes / (int)sizeof(int); ++i)
      CHECK(found->words[i] == wanted.words[i],
            "%s, %d elements, root %d, in place %d: %d at word %d, wanted %d", r.name, r.count, root,
            in_place, found->words[i], i, wanted.words[i]);
  for (int i = 0; i < 8; ++i)
    CHECK(((const unsigned char*)found)[r.bytes + i] == 0x5a, "%s: written behind the result", r.name);
  ++cases;
}

static void reduce(Reduction r) {
  for (int in_place = 0; in_place < 2; ++in_place) {
    reduce_to(r, -1, in_place);
    for (int root = 0; root < world_size; ++root)
      if (r.count < 1000 || root == world_size - 1) reduce_to(r, root, in_place);
  }
}

// --- what is reduced

static int combine(int which, int a, int b) {
  switch (which) {
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

static void integers(int count) {
  const MPI_Op ops[] = {MPI_SUM, MPI_MAX,  MPI_MIN,  MPI_PROD, MPI_BAND,
                        MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR,  MPI_LXOR};
  for (int which = 0; which < 10; ++which) {
    for (int i = 0; i < count; ++i) {
      in.words[i] = word(world_rank, i);
      wanted.words[i] = word(0, i);
      for (int r = 1; r < world_size; ++r) wanted.words[i] = combine(which, wanted.words[i], word(r, i));
      if (world_size == 1 && which >= 7) in.words[i] = wanted.words[i] = wanted.words[i] != 0;
    }
    reduce((Reduction){"integers", MPI_INT, ops[which], count, count * (int)sizeof(int), 0});
  }
}

static void doubles(int count) {  // small integers, so that every order of adding is exact
  for (int i = 0; i < count; ++i) {
    in.doubles[i] = word(world_rank, i);
    wanted.doubles[i] = 0;
    for (int r = 0; r < world_size; ++r) wanted.doubles[i] += word(r, i);
  }
  reduce((Reduction){"doubles", MPI_DOUBLE, MPI_SUM, count, count * (int)sizeof(double), 0});
}

static void locations(int count) {
  memset(&in, 0, sizeof in), memset(&wanted, 0, sizeof wanted);
  for (int i = 0; i < count; ++i) {
    in.words[2 * i] = word(world_rank, i) / 4, in.words[2 * i + 1] = world_rank;
    wanted.words[2 * i] = word(0, i) / 4, wanted.words[2 * i + 1] = 0;
    for (int r = 1; r < world_size; ++r)
      if (word(r, i) / 4 > wanted.words[2 * i])
        wanted.words[2 * i] = word(r, i) / 4, wanted.words[2 * i + 1] = r;
  }
  reduce((Reduction){"MAXLOC of two ints", MPI_2INT, MPI_MAXLOC, count, 2 * count * (int)sizeof(int), 0});
}

// A double and an int have padding between elements, which is nobody's: compared by member.
static void padded_locations(int count) {
  for (int i = 0; i < count; ++i) in.pairs[i].value = word(world_rank, i), in.pairs[i].index = world_rank;
  MPI_Request request;
  if (nonblocking) {
    MPI_Iallreduce(&in, &out, count, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Allreduce(&in, &out, count, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  }
  for (int i = 0; i < count; ++i) {
    int least = 0;
    for (int r = 1; r < world_size; ++r)
      if (word(r, i) < word(least, i)) least = r;
    CHECK(out.pairs[i].value == word(least, i) && out.pairs[i].index == least,
          "MINLOC: (%g, %d) at %d, wanted %d", out.pairs[i].value, out.pairs[i].index, i, least);
  }
  ++cases;
}

static void own_operators(int count) {
  MPI_Op sum, product, gaps;
  MPI_Datatype matrix, vector;
  MPI_Op_create(modular_sum, 1, &sum);
  MPI_Op_create(matrix_product, 0, &product);
  MPI_Op_create(gap_sum, 1, &gaps);
  for (int i = 0; i < count; ++i) {
    in.words[i] = word(world_rank, i) + 3;
    wanted.words[i] = 0;
    for (int r = 0; r < world_size; ++r) wanted.words[i] = (wanted.words[i] + word(r, i) + 3) % kModulus;
  }
  reduce((Reduction){"an own commutative operator", MPI_INT, sum, count, count * (int)sizeof(int), 0});
  MPI_Op_free(&sum);

  MPI_Type_contiguous(4, MPI_INT, &matrix);
  MPI_Type_commit(&matrix);
  for (int i = 0; i < count; ++i) {
    for (int w = 0; w < 4; ++w) in.words[4 * i + w] = (word(world_rank, 4 * i + w) + 3) % kModulus;
    for (int w = 0; w < 4; ++w) wanted.words[4 * i + w] = (word(0, 4 * i + w) + 3) % kModulus;
    for (int r = 1; r < world_size; ++r) {
      int next[4];
      for (int w = 0; w < 4; ++w) next[w] = (word(r, 4 * i + w) + 3) % kModulus;
      multiply(&wanted.words[4 * i], next, &wanted.words[4 * i]);
    }
  }
  reduce((Reduction){"matrices", matrix, product, count, 4 * count * (int)sizeof(int), 0});
  if (nonblocking)
    for (int root = -1; root < world_size; ++root) {
      MPI_Op own_op;
      MPI_Datatype own_type;
      MPI_Op_create(matrix_product, 0, &own_op);
      MPI_Type_contiguous(4, MPI_INT, &own_type);
      MPI_Type_commit(&own_type);
      reduce_to((Reduction){"freed early", own_type, own_op, count, 4 * count * (int)sizeof(int), 1}, root,
                0);
    }
  MPI_Op_free(&product);
  MPI_Type_free(&matrix);

  MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  for (int i = 0; i < 3 * count; ++i) {
    in.words[i] = i % 3 == 1 ? 0x5a5a5a5a : word(world_rank, i);
    wanted.words[i] = i % 3 == 1 ? 0x5a5a5a5a : 0;
    for (int r = 0; i % 3 != 1 && r < world_size; ++r) wanted.words[i] += word(r, i);
  }
  reduce((Reduction){"a vector with a hole", vector, gaps, count, 3 * count * (int)sizeof(int), 0});
  MPI_Op_free(&gaps);
  MPI_Type_free(&vector);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  static const int counts[] = {0, 1, 7, 1001, 20000};
  const int largest = argc > 1 ? atoi(argv[1]) : 5;
  for (nonblocking = 0; nonblocking < 2; ++nonblocking)
    for (int c = 0; c < largest && c < 5; ++c) {
      integers(counts[c]);
      doubles(counts[c]);
      locations(counts[c]);
      padded_locations(counts[c]);
      own_operators(counts[c]);
    }
  return end("%d cases", cases);
}
