// SPDX-License-Identifier: BSD-3-Clause
// Messages of a little more than 2 GiB, which an int cannot count in bytes: by the _c forms where the MPI has
// them, else as a few elements of a large type; reductions as many ints. The arguments name the collectives.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

// A block's memory is a window of pages, mapped again and again, and pages of its own at its end: what goes
// wrong beyond 2 GiB shows, and nobody needs many times that much memory.
enum { kMoreWords = 1024 };
static const size_t kWords = ((size_t)1 << 28) + 2 * kMoreWords;  // of 8 bytes, per block
static const size_t kWindowWords = 61 << 17;                      // no divisor of 2^31 bytes
static const size_t kEndWords = (1 << 20) + 2 * kMoreWords;

static size_t first_of(size_t place) { return place < kWords - kEndWords ? place % kWindowWords : place; }
static uint64_t word(size_t place, int rank) {
  return (uint64_t)first_of(place) * 0x9E3779B97F4A7C15u + (uint64_t)rank;
}

// Place after place, those that only repeat left out.
static size_t after(size_t place) { return place == kWindowWords ? kWords - kEndWords : place + 1; }

static void fill(uint64_t* block, int rank) {
  for (size_t i = 0; i < kWords; i = after(i)) block[i] = word(i, rank);
}

static void check_block(const char* what, const uint64_t* block, int rank) {
  for (size_t i = 0; i < kWords; i = after(i))
    CHECK(block[i] == word(i, rank), "%s: word %zu of the block from rank %d", what, i, rank);
}

static void map(uint64_t* at, size_t words, int file, size_t offset) {
  const void* mapped = mmap(at, words * 8, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
                            file, (off_t)(offset * 8));
  CHECK(mapped == at, "pages cannot be mapped twice");
}

static uint64_t* blocks(int count) {
  const size_t bytes = (size_t)count * kWords * 8, own_words = kWindowWords + kEndWords;
  const int file = memfd_create("blocks", 0);
  CHECK(file >= 0 && ftruncate(file, (off_t)((size_t)count * own_words * 8)) == 0, "there is no memory");
  uint64_t* memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(memory != MAP_FAILED, "there are no addresses for %d blocks", count);
  for (int b = 0; b < count; ++b) {
    uint64_t* block = memory + (size_t)b * kWords;
    const size_t own = (size_t)b * own_words, end = kWords - kEndWords;
    for (size_t i = 0; i < end; i += kWindowWords)
      map(block + i, end - i < kWindowWords ? end - i : kWindowWords, file, own);
    map(block + end, kEndWords, file, own + kWindowWords);
  }
  close(file);
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

// Broadcasts one element of blocks of different lengths, which has to be packed and is more than MPI_Pack
// takes.
static void bcast_of_gaps(void) {
  const int length[2] = {3 << 25, (int)(kWords / 2) - (3 << 25) - kMoreWords};  // of two words
  const MPI_Aint place[2] = {0, ((MPI_Aint)length[0] + kMoreWords) * 16};
  MPI_Datatype two_words, type;
  uint64_t* block = blocks(1);
  const int root = world_size - 1;
  MPI_Type_contiguous(2, MPI_UINT64_T, &two_words);
  MPI_Type_create_hindexed(2, length, place, two_words, &type);
  MPI_Type_commit(&type);
  if (world_rank == root) fill(block, root);
  MPI_Bcast(block, 1, type, root, MPI_COMM_WORLD);
  check_block("bcast of gaps", block, root);  // what lies in the gap is in the window, too
  MPI_Type_free(&type);
  MPI_Type_free(&two_words);
  give_back(block, 1);
}

static void allgather(MPI_Datatype type) {
  uint64_t* all = blocks(world_size);
  fill(all + kWords * (size_t)world_rank, world_rank);
  CALL(Allgather)(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, kCount, type, MPI_COMM_WORLD);
  for (int rank = 0; rank < world_size; ++rank) check_block("allgather", all + kWords * (size_t)rank, rank);
  give_back(all, world_size);
}

// Not in place, and only for algorithms that go through a block from front to back: what is written to the
// window shows at all places where it is mapped.
static void alltoall(MPI_Datatype type) {
  uint64_t *all = blocks(world_size), *mine = blocks(world_size);
  for (int rank = 0; rank < world_size; ++rank)
    fill(all + kWords * (size_t)rank, world_rank * world_size + rank);
  CALL(Alltoall)(all, kCount, type, mine, kCount, type, MPI_COMM_WORLD);
  for (int rank = 0; rank < world_size; ++rank)
    check_block("alltoall", mine + kWords * (size_t)rank, rank * world_size + world_rank);
  give_back(all, world_size);
  give_back(mine, world_size);
}

static void sum(int everywhere) {
  uint64_t *values = blocks(1), *sums = blocks(1);
  const int count = (int)(kWords * 2);
  fill(values, world_rank);
  if (everywhere) MPI_Allreduce(values, sums, count, MPI_UNSIGNED, MPI_BXOR, MPI_COMM_WORLD);
  else MPI_Reduce(values, sums, count, MPI_UNSIGNED, MPI_BXOR, 0, MPI_COMM_WORLD);
  for (size_t i = 0; i < kWords && (everywhere || world_rank == 0); i = after(i)) {
    uint64_t expected = 0;
    for (int rank = 0; rank < world_size; ++rank) expected ^= word(i, rank);
    CHECK(sums[i] == expected, "%s: word %zu", everywhere ? "allreduce" : "reduce", i);
  }
  give_back(values, 1);
  give_back(sums, 1);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Datatype type = block_type();
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "bcast") == 0) bcast(type);
    else if (strcmp(argv[i], "gaps") == 0) bcast_of_gaps();
    else if (strcmp(argv[i], "allgather") == 0) allgather(type);
    else if (strcmp(argv[i], "alltoall") == 0) alltoall(type);
    else sum(strcmp(argv[i], "allreduce") == 0);
  }
  free_type(&type);
  return end("done");
}
