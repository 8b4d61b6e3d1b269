// SPDX-License-Identifier: BSD-3-Clause
// What random programs send and receive: datatypes in many layouts, operators of the program's own, and
// buffers of blocks with guards around them. Values are small whole numbers, so that every order of adding is
// exact. They are written and read piece by piece, never through MPI.
#pragma once

#include "check.h"

enum { kMostPieces = 6, kMostBlocks = 32, kGuard = 64, kCanary = 0xa5, kModulus = 997 };

static inline uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t state = a * 0xd6e8feb86659fd93u + b;
  const uint64_t low = draw(&state);
  return low << 32 | draw(&state);
}

// --- layouts

typedef struct {
  MPI_Datatype type;
  int pieces;                                    // numbers in one element
  int offsets[kMostPieces], sizes[kMostPieces];  // of each of them, in bytes
  int extent;                                    // of one element, in bytes
  int padded;                                    // between the pieces is padding, which is nobody's
} Layout;

enum { kInts, kDoubles, kShortInts, kTwoInts, kFamilies };  // layouts of a family match one another
enum { kInt, kHole = 2, kDouble = 6, kShortInt = 9, kTwoInt, kMatrix, kLayouts };

static const struct {
  int first, count, multiple;  // pieces of every layout divide it
} families[kFamilies] = {{kInt, 6, 6}, {kDouble, 3, 2}, {kShortInt, 1, 2}, {kTwoInt, 1, 2}};
static Layout layouts[kLayouts];

static inline Layout same_pieces(MPI_Datatype type, int size, int pieces, const int* offsets, int extent) {
  Layout made = {type, pieces, {0}, {0}, extent, 0};
  for (int i = 0; i < pieces; ++i) made.offsets[i] = offsets[i], made.sizes[i] = size;
  if (type != MPI_INT && type != MPI_DOUBLE && type != MPI_2INT) MPI_Type_commit(&made.type);
  return made;
}

static inline void make_layouts(void) {
  MPI_Datatype type, narrow;
  const int i = sizeof(int), d = sizeof(double);
  layouts[kInt] = same_pieces(MPI_INT, i, 1, (int[]){0}, i);
  MPI_Type_contiguous(3, MPI_INT, &type);
  layouts[1] = same_pieces(type, i, 3, (int[]){0, i, 2 * i}, 3 * i);
  MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  layouts[kHole] = same_pieces(type, i, 2, (int[]){0, 2 * i}, 3 * i);
  MPI_Type_create_indexed_block(3, 1, (int[]){2, 1, 5}, MPI_INT, &narrow);
  MPI_Type_create_resized(narrow, 0, 7 * i, &type);
  MPI_Type_free(&narrow);
  layouts[3] = same_pieces(type, i, 3, (int[]){2 * i, i, 5 * i}, 7 * i);
  MPI_Type_create_indexed_block(2, 1, (int[]){-1, 1}, MPI_INT, &narrow);
  MPI_Type_create_resized(narrow, -i, 3 * i, &type);
  MPI_Type_free(&narrow);
  layouts[4] = same_pieces(type, i, 2, (int[]){-i, i}, 3 * i);
  MPI_Type_vector(3, 2, 2, MPI_INT, &type);
  layouts[5] = same_pieces(type, i, 6, (int[]){0, i, 2 * i, 3 * i, 4 * i, 5 * i}, 6 * i);

  layouts[kDouble] = same_pieces(MPI_DOUBLE, d, 1, (int[]){0}, d);
  MPI_Type_contiguous(2, MPI_DOUBLE, &type);
  layouts[kDouble + 1] = same_pieces(type, d, 2, (int[]){0, d}, 2 * d);
  MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * d, &type);
  layouts[kDouble + 2] = same_pieces(type, d, 1, (int[]){0}, 2 * d);

  layouts[kShortInt] = (Layout){MPI_SHORT_INT, 2, {0, i}, {sizeof(short), i}, 2 * i, 1};
  layouts[kTwoInt] = same_pieces(MPI_2INT, i, 2, (int[]){0, i}, 2 * i);
  MPI_Type_contiguous(4, MPI_INT, &type);
  layouts[kMatrix] = same_pieces(type, i, 4, (int[]){0, i, 2 * i, 3 * i}, 4 * i);
}

static inline void free_layouts(void) {
  for (int i = 0; i < kLayouts; ++i)
    if (i != kInt && i != kDouble && i != kShortInt && i != kTwoInt) MPI_Type_free(&layouts[i].type);
}

// --- operators

static inline void modular_sum(void* left, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)into)[i] = (((int*)left)[i] + ((int*)into)[i]) % kModulus;
}

// Two ints, three apart.
static inline void gap_sum(void* left, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < 3 * *count; ++i)
    if (i % 3 != 1) ((int*)into)[i] += ((int*)left)[i];
}

// Matrices of two by two: associative, and the order matters.
static inline void matrix_product(void* left, void* into, int* count, MPI_Datatype* type) {
  int size = 0;
  MPI_Type_size(*type, &size);
  CHECK(size == 4 * (int)sizeof(int), "a type of %d bytes in the operator", size);
  for (int i = 0; i < *count; ++i) {
    const int *a = (int*)left + 4 * i, *b = (int*)into + 4 * i;
    const int c[4] = {(a[0] * b[0] + a[1] * b[2]) % kModulus, (a[0] * b[1] + a[1] * b[3]) % kModulus,
                      (a[2] * b[0] + a[3] * b[2]) % kModulus, (a[2] * b[1] + a[3] * b[3]) % kModulus};
    memcpy((int*)into + 4 * i, c, sizeof c);
  }
}

typedef struct {
  const char* name;
  int layout;
  MPI_Op op;
  MPI_User_function* function;  // the program's own
  int commutes;
} Reduction;

enum { kReductionKinds = 12 };
static Reduction reductions[kReductionKinds];

static inline void make_reductions(void) {
  const Reduction all[kReductionKinds] = {{"sum of ints", kInt, MPI_SUM, NULL, 1},
                                          {"max of ints", kInt, MPI_MAX, NULL, 1},
                                          {"band of ints", kInt, MPI_BAND, NULL, 1},
                                          {"sum of doubles", kDouble, MPI_SUM, NULL, 1},
                                          {"max of doubles", kDouble, MPI_MAX, NULL, 1},
                                          {"minloc of short_int", kShortInt, MPI_MINLOC, NULL, 1},
                                          {"maxloc of short_int", kShortInt, MPI_MAXLOC, NULL, 1},
                                          {"minloc of 2int", kTwoInt, MPI_MINLOC, NULL, 1},
                                          {"maxloc of 2int", kTwoInt, MPI_MAXLOC, NULL, 1},
                                          {"own sum of ints", kInt, MPI_OP_NULL, modular_sum, 1},
                                          {"own sum with holes", kHole, MPI_OP_NULL, gap_sum, 1},
                                          {"matrix product", kMatrix, MPI_OP_NULL, matrix_product, 0}};
  memcpy(reductions, all, sizeof all);
  for (int i = 0; i < kReductionKinds; ++i)
    if (all[i].function) MPI_Op_create(all[i].function, all[i].commutes, &reductions[i].op);
}

static inline void free_reductions(void) {
  for (int i = 0; i < kReductionKinds; ++i)
    if (reductions[i].function) MPI_Op_free(&reductions[i].op);
}

// --- buffers

typedef struct {
  int blocks;
  const Layout* layouts[kMostBlocks];  // all the same, but for a w form
  uint64_t holds[kMostBlocks];         // what a block is filled with
  int pieces[kMostBlocks];             // numbers in it
  int counts[kMostBlocks], displacements[kMostBlocks];
  int bytes_before[kMostBlocks];
  MPI_Aint long_bytes_before[kMostBlocks];
  MPI_Datatype types[kMostBlocks];
  size_t bytes;  // guards included
  unsigned char* memory;
} Buffer;

static inline unsigned char* base(const Buffer* b) { return b->memory + kGuard; }

static inline void add(Buffer* b, const Layout* layout, uint64_t holds, int pieces) {
  CHECK(b->blocks < kMostBlocks, "too many blocks");
  b->layouts[b->blocks] = layout, b->holds[b->blocks] = holds, b->pieces[b->blocks] = pieces;
  ++b->blocks;
}

// Side by side, or the last one first and room between some.
static inline void lay_out(Buffer* b, int scattered, int is_w) {
  int next = 0;
  b->types[0] = MPI_INT;  // without blocks, too, a type is looked at
  for (int i = 0; i < b->blocks; ++i) {
    const int block = scattered ? b->blocks - 1 - i : i;
    const Layout* l = b->layouts[block];
    if (is_w) next += kGuard;  // the next one's layout may begin before its place
    b->types[block] = l->type;
    b->counts[block] = b->pieces[block] / l->pieces;
    b->displacements[block] = next / l->extent;
    b->bytes_before[block] = next;
    b->long_bytes_before[block] = next;
    next += l->extent * (b->counts[block] + (scattered ? i % 3 : 0));
  }
  b->bytes = (size_t)next + 2 * kGuard;
  b->memory = malloc(b->bytes);
  CHECK(b->memory != NULL, "no memory for %zu bytes", b->bytes);
  memset(b->memory, kCanary, b->bytes);
}

static inline void fill_with(Buffer* b, int block, uint64_t seed) {
  const Layout* l = b->layouts[block];
  unsigned char* at = base(b) + b->bytes_before[block];
  uint64_t state = seed;
  for (int e = 0; e < b->counts[block]; ++e, at += l->extent)
    for (int p = 0; p < l->pieces; ++p) {
      const int value = (int)(draw(&state) % kModulus);
      const short small = (short)value;
      const double real = value;
      const void* from = l->sizes[p] == sizeof real    ? (const void*)&real
                         : l->sizes[p] == sizeof small ? (const void*)&small
                                                       : &value;
      memcpy(at + l->offsets[p], from, (size_t)l->sizes[p]);
    }
}

// The hash of a block, which is wiped: what then differs from the canaries was not to be written.
static inline uint64_t take(Buffer* b, int block, uint64_t hash) {
  const Layout* l = b->layouts[block];
  unsigned char* at = base(b) + b->bytes_before[block];
  for (int e = 0; e < b->counts[block]; ++e, at += l->extent) {
    for (int p = 0; p < l->pieces; ++p) {
      uint64_t piece = 0;
      memcpy(&piece, at + l->offsets[p], (size_t)l->sizes[p]);
      hash = (hash ^ piece) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
      memset(at + l->offsets[p], kCanary, (size_t)l->sizes[p]);
    }
    if (l->padded) memset(at, kCanary, (size_t)l->extent);
  }
  return hash;
}

static inline int untouched(const Buffer* b) {
  return b->memory[0] == kCanary && memcmp(b->memory, b->memory + 1, b->bytes - 1) == 0;
}
