// SPDX-License-Identifier: BSD-3-Clause
// Messages of a little more than 2 GiB, which an int cannot count in bytes: by the _c forms where the MPI has
// them, else as a few elements of a large type; reductions as many ints. The arguments name the collectives.
#include <sys/mman.h>

#include "check.h"

enum { kMoreWords = 5 };
static const size_t kWords = ((size_t)1 << 28) + 2 * kMoreWords;  // of 8 bytes, per block

static uint64_t word(size_t place, int rank) {
  return (uint64_t)place * 0x9E3779B97F4A7C15u + (uint64_t)rank;
}

static void fill(uint64_t* block, int rank) {
  for (size_t i = 0; i < kWords; ++i) block[i] = word(i, rank);
}

static void check_block(const char* what, const uint64_t* block, int rank) {
  for (size_t i = 0; i < kWords; ++i)
    CHECK(block[i] == word(i, rank), "%s: word %zu of the block from rank %d", what, i, rank);
}

static uint64_t* blocks(int count) {
  void* memory =
      mmap(NULL, (size_t)count * kWords * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED, "there is no memory for %d blocks", count);
  madvise(memory, (size_t)count * kWords * 8, MADV_HUGEPAGE);
  return memory;
}
static void give_back(uint64_t* memory, int count) { munmap(memory, (size_t)count * kWords * 8); }

#if MPI_VERSION >= 4
static const MPI_Count kCount = (MPI_Count)(((size_t)1 << 31) + 16 * kMoreWords);
#define CALL(name) MPI_##name##_c
static MPI_Datatype block_type(void) { return MPI_BYTE; }
static void free_type(MPI_Datatype* type) { (void)type; }
#else
static const int kCount = 2;
#define CALL(name) MPI_##name
static MPI_Datatype block_type(void) {
  MPI_Datatype type;
  MPI_Type_contiguous((1 << 30) + 8 * kMoreWords, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  return type;
}
static void free_type(MPI_Datatype* type) { MPI_Type_free(type); }
#endif

static void bcast(MPI_Datatype type) {
  uint64_t* block = blocks(1);
  const int root = world_size - 1;
  if (world_rank == root) fill(block, root);
  CALL(Bcast)(block, kCount, type, root, MPI_COMM_WORLD);
  check_block("bcast", block, root);
  give_back(block, 1);
}

// One element of more than 2 GiB, in pieces with gaps between them.
static void gaps(void) {
  enum { kPiece = 1 << 20 };
  const int pieces = (1 << 11) + 1;
  const size_t stride = kPiece + 8, size = (size_t)pieces * stride;
  MPI_Datatype type;
  MPI_Type_create_hvector(pieces, kPiece, (MPI_Aint)stride, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  char* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED, "there is no memory for %d pieces", pieces);
  for (int piece = 0; piece < pieces && world_rank == 0; ++piece)
    memset(memory + (size_t)piece * stride, piece % 100 + 1, stride);
  MPI_Bcast(memory, 1, type, 0, MPI_COMM_WORLD);
  for (int piece = 0; piece < pieces; ++piece) {
    const char* at = memory + (size_t)piece * stride;
    for (int i = 0; i < kPiece; ++i) CHECK(at[i] == piece % 100 + 1, "byte %d of piece %d", i, piece);
    CHECK(world_rank == 0 || at[kPiece] == 0, "the gap behind piece %d", piece);
  }
  munmap(memory, size);
  MPI_Type_free(&type);
}

static void allgather(MPI_Datatype type) {
  uint64_t* all = blocks(world_size);
  fill(all + kWords * (size_t)world_rank, world_rank);
  CALL(Allgather)(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, kCount, type, MPI_COMM_WORLD);
  for (int rank = 0; rank < world_size; ++rank) check_block("allgather", all + kWords * (size_t)rank, rank);
  give_back(all, world_size);
}

static void alltoall(MPI_Datatype type) {
  uint64_t* all = blocks(world_size);
  for (int rank = 0; rank < world_size; ++rank)
    fill(all + kWords * (size_t)rank, world_rank * world_size + rank);
  CALL(Alltoall)(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, kCount, type, MPI_COMM_WORLD);
  for (int rank = 0; rank < world_size; ++rank)
    check_block("alltoall", all + kWords * (size_t)rank, rank * world_size + world_rank);
  give_back(all, world_size);
}

static void check_sums(const char* what, const int* sums, int count) {
  for (int i = 0; i < count; ++i)
    CHECK(sums[i] == (i & 0xFFFFF) * world_size + world_size * (world_size - 1) / 2, "%s: element %d", what,
          i);
}

static void sum(int everywhere) {
  uint64_t* block = blocks(1);
  int* values = (int*)block;
  const int count = (int)(kWords * 2);
  for (int i = 0; i < count; ++i) values[i] = (i & 0xFFFFF) + world_rank;
  if (everywhere) MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  else if (world_rank == 0) MPI_Reduce(MPI_IN_PLACE, values, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  else MPI_Reduce(values, NULL, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (everywhere || world_rank == 0) check_sums(everywhere ? "allreduce" : "reduce", values, count);
  give_back(block, 1);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Datatype type = block_type();
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "bcast") == 0) bcast(type);
    else if (strcmp(argv[i], "gaps") == 0) gaps();
    else if (strcmp(argv[i], "allgather") == 0) allgather(type);
    else if (strcmp(argv[i], "alltoall") == 0) alltoall(type);
    else sum(strcmp(argv[i], "allreduce") == 0);
  }
  free_type(&type);
  return end("done");
}
