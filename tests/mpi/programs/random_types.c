// SPDX-License-Identifier: BSD-3-Clause
// Datatypes made of datatypes by constructors drawn at random: random_types COUNT. What arrives is what the
// host packs from the sender's memory, and nothing else of the receiver's changes.
#include "check.h"

enum { kMostParts = 3, kMostBytes = 1 << 16 };

static uint64_t state = 1;
static int below(int limit) { return (int)(draw(&state) % (uint32_t)limit); }

static MPI_Datatype basic(void) {
  const MPI_Datatype types[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_SHORT_INT, MPI_LONG_DOUBLE};
  return types[below(6)];
}

static MPI_Datatype structure(MPI_Datatype part) {
  MPI_Aint lower, extent, places[kMostParts], at = below(2) * 16;
  int lengths[kMostParts];
  MPI_Datatype types[kMostParts], made;
  const int parts = 1 + below(kMostParts), gap = below(2) * 16;
  MPI_Type_get_extent(part, &lower, &extent);
  for (int i = 0; i < parts; ++i) {
    lengths[i] = 1 + below(2);
    types[i] = part;
    places[i] = at;
    at += lengths[i] * extent + gap;
  }
  MPI_Type_create_struct(parts, lengths, places, types, &made);
  return made;
}

static MPI_Datatype subarray(MPI_Datatype part) {
  int sizes[3], inner[3], starts[3];
  MPI_Datatype made;
  const int dimensions = 1 + below(3);
  for (int d = 0; d < dimensions; ++d) {
    sizes[d] = 1 + below(4);
    inner[d] = below(2) ? sizes[d] : 1 + below(sizes[d]);
    starts[d] = below(sizes[d] - inner[d] + 1);
  }
  MPI_Type_create_subarray(dimensions, sizes, inner, starts, below(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, part,
                           &made);
  return made;
}

static MPI_Datatype made_of(MPI_Datatype part) {
  MPI_Aint lower, extent;
  MPI_Datatype made;
  const int count = 1 + below(5), length = 1 + below(3), away = below(4) - 1;
  const int backwards[] = {3, 1}, forwards[] = {0, 2};
  MPI_Type_get_extent(part, &lower, &extent);
  switch (below(9)) {
    case 0: MPI_Type_contiguous(count, part, &made); break;
    case 1: MPI_Type_vector(count, length, length + away, part, &made); break;
    case 2: MPI_Type_create_hvector(count, length, (length + away) * extent, part, &made); break;
    case 3: MPI_Type_dup(part, &made); break;
    case 4: MPI_Type_create_resized(part, lower, extent + 16 * below(3), &made); break;
    case 5: MPI_Type_create_indexed_block(2, 1, below(2) ? backwards : forwards, part, &made); break;
    case 6: made = structure(part); break;
#if MPI_VERSION >= 4
    case 7: MPI_Type_vector_c(count, length, length + away, part, &made); break;
#endif
    default: made = subarray(part);
  }
  return made;
}

// Null if elements overlap, reach before their address or are long: nothing that may be received into.
static MPI_Datatype drawn_type(void) {
  MPI_Datatype type = basic();
  const int depth = 1 + below(3);
  for (int d = 0; d < depth; ++d) {
    const MPI_Datatype part = type;
    type = made_of(part);
    if (d > 0) MPI_Type_free((MPI_Datatype[]){part});
  }
  MPI_Aint lower, extent;
  int size;
  MPI_Type_get_true_extent(type, &lower, &extent);
  MPI_Type_size(type, &size);
  MPI_Type_commit(&type);
  if (lower >= 0 && size <= extent && lower + extent <= kMostBytes / 4) return type;
  MPI_Type_free(&type);
  return MPI_DATATYPE_NULL;
}

// Whether no byte belongs to two places: each byte that is unpacked marks one.
static int overlaps(MPI_Datatype type, int count, unsigned char* memory) {
  static unsigned char ones[kMostBytes];
  int size, position = 0, marked = 0;
  MPI_Type_size(type, &size);
  memset(memory, 0, kMostBytes);
  memset(ones, 1, sizeof ones);
  MPI_Unpack(ones, size * count, &position, memory, count, type, MPI_COMM_SELF);
  for (int i = 0; i < kMostBytes; ++i) marked += memory[i];
  return marked != size * count;
}

static void send_and_compare(MPI_Datatype type, int count, int number) {
  static unsigned char memory[kMostBytes], sent[kMostBytes], expected[kMostBytes];
  int size, position = 0;
  MPI_Type_size(type, &size);
  for (int i = 0; i < kMostBytes; ++i) memory[i] = (unsigned char)(world_rank == 0 ? i * 7 + i / 251 : 0x5a);
  memcpy(expected, memory, sizeof memory);
  if (world_rank == 0) MPI_Pack(memory, count, type, sent, kMostBytes, &position, MPI_COMM_SELF);
  MPI_Bcast(sent, size * count, MPI_BYTE, 0, MPI_COMM_WORLD);
  position = 0;
  if (world_rank != 0) MPI_Unpack(sent, size * count, &position, expected, count, type, MPI_COMM_SELF);
  MPI_Bcast(memory, count, type, 0, MPI_COMM_WORLD);
  for (int i = 0; i < kMostBytes; ++i)
    CHECK(memory[i] == expected[i], "byte %d of type %d: %d for %d", i, number, memory[i], expected[i]);
}

int main(int argc, char** argv) {
  static unsigned char memory[kMostBytes];
  begin(&argc, &argv);
  const int wanted = argc > 1 ? atoi(argv[1]) : 100;
  int sent = 0;
  for (int number = 0; sent < wanted; ++number) {
    MPI_Datatype type = drawn_type();
    if (type == MPI_DATATYPE_NULL) continue;
    const int count = 1 + below(3);
    if (!overlaps(type, count, memory)) send_and_compare(type, count, number), ++sent;
    MPI_Type_free(&type);
  }
  return end("%d types", sent);
}
