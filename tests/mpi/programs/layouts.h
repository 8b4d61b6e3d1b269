// SPDX-License-Identifier: BSD-3-Clause
// Datatypes over one basic type, int, in different layouts: contiguous, with holes, in another order. Values
// are written and read through the list of offsets, never through MPI, so that the check does not trust what
// it checks.
#pragma once

#include "check.h"

enum { kCanary = -559038737, kMostBasics = 6, kWordsBehind = 8 };

typedef struct {
  const char* name;
  MPI_Datatype type;
  int basics;                // ints in one element
  int offsets[kMostBasics];  // of each of them, in ints
  int extent;                // of one element, in ints
} Layout;

static inline Layout layout(const char* name, MPI_Datatype type, int basics, const int* offsets, int extent) {
  Layout made = {name, type, basics, {0}, extent};
  memcpy(made.offsets, offsets, (size_t)basics * sizeof(int));
  if (type != MPI_INT) MPI_Type_commit(&made.type);
  return made;
}

enum { kLayouts = 6 };

// Every layout's number of ints divides 6.
static inline void make_layouts(Layout* made) {
  MPI_Datatype type, narrow;
  made[0] = layout("int", MPI_INT, 1, (int[]){0}, 1);
  MPI_Type_contiguous(3, MPI_INT, &type);
  made[1] = layout("contiguous", type, 3, (int[]){0, 1, 2}, 3);
  MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  made[2] = layout("vector with a hole", type, 2, (int[]){0, 2}, 3);
  const int lengths[2] = {2, 1};
  const MPI_Aint places[2] = {4, 20};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Type_create_struct(2, lengths, places, types, &narrow);
  MPI_Type_create_resized(narrow, 0, 28, &type);
  MPI_Type_free(&narrow);
  made[3] = layout("struct with gaps", type, 3, (int[]){1, 2, 5}, 7);
  const int backwards[2] = {1, 0};
  MPI_Type_create_indexed_block(2, 1, backwards, MPI_INT, &type);
  made[4] = layout("backwards", type, 2, (int[]){1, 0}, 2);
  MPI_Type_vector(3, 2, 2, MPI_INT, &type);
  made[5] = layout("vector without holes", type, 6, (int[]){0, 1, 2, 3, 4, 5}, 6);
}

static inline void free_layouts(Layout* made) {
  for (int i = 1; i < kLayouts; ++i) MPI_Type_free(&made[i].type);
}

// Room for `basics` ints in this layout and for some words behind.
static inline size_t words_for(const Layout* layout, int basics) {
  return (size_t)(basics / layout->basics * layout->extent + kWordsBehind);
}

static inline void wipe_words(int* memory, size_t words) {
  for (size_t i = 0; i < words; ++i) memory[i] = kCanary;
}

// So much, canaries everywhere.
static inline int* allocate(const Layout* layout, int basics) {
  const size_t words = words_for(layout, basics);
  int* memory = malloc(words * sizeof(int));
  CHECK(memory != NULL, "%zu words", words);
  wipe_words(memory, words);
  return memory;
}
