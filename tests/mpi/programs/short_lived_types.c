// SPDX-License-Identifier: BSD-3-Clause
// Datatypes that live for one call or a few: short_lived_types ROUNDS. Hosts give a handle that was freed to
// the next type, which lies in memory in another way; some are freed by the host's own function, of which
// nobody else is told.
#define _GNU_SOURCE
#include <dlfcn.h>

#include "check.h"

enum { kMostAlive = 7, kWords = 64 };

typedef struct {
  MPI_Datatype type;
  int blocks, length, stride, uses_left;
} Made;

typedef int FreeType(MPI_Datatype*);

// The host's library is where a function is that nobody stands before.
static FreeType* host_function(void) {
  Dl_info found;
  void* const somewhere = dlsym(RTLD_NEXT, "MPI_Get_library_version");
  CHECK(somewhere != NULL && dladdr(somewhere, &found) != 0, "no library of the host's");
  void* const library = dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  CHECK(library != NULL, "%s: %s", found.dli_fname, dlerror());
  return (FreeType*)dlsym(library, "MPI_Type_free");
}

static Made make(uint64_t* state) {
  Made made = {.blocks = 1 + (int)(draw(state) % 4), .length = 1 + (int)(draw(state) % 3)};
  made.stride = made.length + (int)(draw(state) % 4);
  made.uses_left = 1 + (int)(draw(state) % 5);
  int lengths[4], places[4];
  for (int i = 0; i < made.blocks; ++i) lengths[i] = made.length, places[i] = i * made.stride;
  // What Weft sees through, and what only the host packs.
  if (draw(state) % 2) MPI_Type_vector(made.blocks, made.length, made.stride, MPI_INT, &made.type);
  else MPI_Type_indexed(made.blocks, lengths, places, MPI_INT, &made.type);
  MPI_Type_commit(&made.type);
  return made;
}

static void check_words(const Made* made, const int* words, int seed, int is_root) {
  for (int i = 0; i < made->blocks * made->stride; ++i) {
    const int is_data = i % made->stride < made->length;
    CHECK(words[i] == (is_data || is_root ? seed + i : -1), "%d at %d of %d blocks of %d, %d apart", words[i],
          i, made->blocks, made->length, made->stride);
  }
}

static void fill(int* words, int seed, int is_root) {
  for (int i = 0; i < kWords; ++i) words[i] = is_root ? seed + i : -1;
}

// A broadcast and a gather, from another address each time.
static void use(const Made* made, int root, int seed) {
  static int memory[kWords + 8];
  int all[kWords], *const words = memory + seed % 8;
  fill(words, seed, world_rank == root);
  MPI_Bcast(words, 1, made->type, root, MPI_COMM_WORLD);
  check_words(made, words, seed, world_rank == root);
  const int each = made->blocks * made->length;
  MPI_Allgather(words, 1, made->type, all, each, MPI_INT, MPI_COMM_WORLD);
  for (int k = 0; k < each * world_size; ++k) {
    const int place = k % each / made->length * made->stride + k % made->length;
    CHECK(all[k] == seed + place, "%d, not %d, gathered at %d", all[k], seed + place, k);
  }
}

static void gather_in_place(const Made* made, int seed) {
  static int memory[8 * kWords];
  const int extent = (made->blocks - 1) * made->stride + made->length;
  for (int i = 0; i < world_size * extent; ++i) memory[i] = i / extent == world_rank ? seed + i : -1;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, memory, 1, made->type, MPI_COMM_WORLD);
  for (int i = 0; i < world_size * extent; ++i) {
    const int is_there = i % extent % made->stride < made->length || i / extent == world_rank;
    CHECK(memory[i] == (is_there ? seed + i : -1), "%d at %d, gathered in place", memory[i], i);
  }
}

// Both types in one call, in turn.
static void exchange(const Made* one, const Made* other, int seed) {
  static int out[8 * kWords], in[8 * kWords];
  MPI_Datatype types[8];
  int counts[8], places[8];
  for (int i = 0; i < world_size; ++i) {
    types[i] = (world_rank + i) % 2 ? one->type : other->type;  // what both ranks of a pair say
    counts[i] = 1;
    places[i] = i * kWords * (int)sizeof(int);
  }
  for (int i = 0; i < world_size * kWords; ++i)
    out[i] = seed + world_rank * world_size * kWords + i, in[i] = -1;
  MPI_Alltoallw(out, counts, places, types, in, counts, places, types, MPI_COMM_WORLD);
  for (int i = 0; i < world_size * kWords; ++i) {
    const int from = i / kWords, at = i % kWords;
    const Made* const made = (world_rank + from) % 2 ? one : other;
    const int is_there = at < made->blocks * made->stride && at % made->stride < made->length;
    const int sent = seed + from * world_size * kWords + world_rank * kWords + at;
    CHECK(in[i] == (is_there ? sent : -1), "%d, not %d, exchanged at %d", in[i], is_there ? sent : -1, i);
  }
}

// Three at a time, that are under way when the type is freed.
static void use_at_last(Made* made, int seed) {
  static int words[3][kWords];
  MPI_Request requests[3];
  Made gone = *made;
  for (int i = 0; i < 3; ++i) {
    fill(words[i], seed + i, world_rank == 0);
    MPI_Ibcast(words[i], 1, made->type, 0, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Type_free(&made->type);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 3; ++i) check_words(&gone, words[i], seed + i, world_rank == 0);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  FreeType* const host_free = host_function();
  const int rounds = argc > 1 ? atoi(argv[1]) : 100;
  uint64_t state = 1;
  Made alive[kMostAlive];
  int count = 0;
  for (int round = 0; round < rounds; ++round) {
    // Now a few types that are alive together, then one after another.
    const int wanted = round / 50 % 2 ? kMostAlive : 1;
    while (count < wanted) alive[count++] = make(&state);
    const int which = (int)(draw(&state) % (uint32_t)count);
    use(&alive[which], draw(&state) % 4 ? 0 : world_size - 1, round);
    gather_in_place(&alive[which], round);
    exchange(&alive[which], &alive[0], round);
    if (--alive[which].uses_left > 0) continue;
    const int way = (int)(draw(&state) % 3);
    if (way == 0) use_at_last(&alive[which], round);
    else (way == 1 ? host_free : MPI_Type_free)(&alive[which].type);
    alive[which] = alive[--count];
  }
  while (count > 0) MPI_Type_free(&alive[--count].type);
  return end("short_lived_types: %d rounds", rounds);
}
