// SPDX-License-Identifier: BSD-3-Clause
// Windows made by MPI_Win_allocate, in use and misuse. Arguments: what, and for deaths a folder where those
// who had an error tell so.
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include "check.h"

enum { kNumbers = 1024, kMany = 24 };

static int is(const char* what, const char* wanted) { return strcmp(what, wanted) == 0; }

static MPI_Group all_but_self(MPI_Win window) {
  MPI_Group all, others;
  MPI_Win_get_group(window, &all);
  MPI_Group_excl(all, 1, &world_rank, &others);
  MPI_Group_free(&all);
  return others;
}

static MPI_Win make(int** memory) {
  MPI_Win window;
  MPI_Win_allocate(kNumbers * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, memory, &window);
  memset(*memory, 0, kNumbers * sizeof(int));
  MPI_Barrier(MPI_COMM_WORLD);
  return window;
}

static int class_of(int code) {
  int class = code;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  return class;
}

// Each is an error of the call that makes it, and the epoch goes on.
static void errors(void) {
  int *memory, value = world_rank;
  MPI_Win window = make(&memory);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Group others = all_but_self(window);
  const int other = (world_rank + 1) % world_size;
  MPI_Win_post(others, 0, window);
  CHECK(class_of(MPI_Win_post(others, 0, window)) == MPI_ERR_RMA_SYNC, "posted twice");
  MPI_Win_start(others, 0, window);
  CHECK(class_of(MPI_Win_start(others, 0, window)) == MPI_ERR_RMA_SYNC, "started twice");
  CHECK(class_of(MPI_Put(&value, 1, MPI_INT, world_rank, 0, 1, MPI_INT, window)) == MPI_ERR_RMA_SYNC,
        "a put to who is no target");
  CHECK(class_of(MPI_Put(&value, 1, MPI_INT, other, kNumbers, 1, MPI_INT, window)) == MPI_ERR_RMA_RANGE,
        "a put behind the window");
  CHECK(class_of(MPI_Put(&value, 1, MPI_INT, other, -1, 1, MPI_INT, window)) == MPI_ERR_RMA_RANGE,
        "a put before the window");
  CHECK(MPI_Put(&value, 1, MPI_INT, world_size, 0, 1, MPI_INT, window) != MPI_SUCCESS, "a put to nobody");
  CHECK(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window) == MPI_SUCCESS, "a put to null");
  CHECK(MPI_Put(&value, 1, MPI_INT, other, world_rank, 1, MPI_INT, window) == MPI_SUCCESS, "a put");
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  for (int rank = 0; rank < world_size; ++rank) {
    const int wanted = (rank + 1) % world_size == world_rank ? rank : 0;
    CHECK(memory[rank] == wanted, "rank %d has put %d", rank, memory[rank]);
  }
  MPI_Group_free(&others);
  MPI_Win_free(&window);
}

// Epochs of many windows at once, opened and closed in other orders; some are freed while others are open.
static void many(void) {
  MPI_Win windows[kMany];
  int *memory[kMany], from[kMany][kNumbers];
  for (int i = 0; i < kMany; ++i) windows[i] = make(&memory[i]);
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  MPI_Group others = all_but_self(windows[0]);
  for (int i = kMany - 1; i >= 0; --i) MPI_Win_post(others, 0, windows[i]);
  for (int i = 0; i < kMany; ++i) {
    for (int k = 0; k < kNumbers; ++k) from[i][k] = world_rank * 100000 + i * 2000 + k;
    MPI_Win_start(others, 0, windows[i]);
    MPI_Put(from[i], kNumbers / 2, MPI_INT, right, 0, kNumbers / 2, MPI_INT, windows[i]);
    if (i >= 4) MPI_Win_complete(windows[i - 4]);
  }
  for (int i = kMany - 4; i < kMany; ++i) MPI_Win_complete(windows[i]);
  for (int i = 0; i < kMany; ++i) {
    MPI_Win_wait(windows[i]);
    for (int k = 0; k < kNumbers / 2; ++k)
      CHECK(memory[i][k] == left * 100000 + i * 2000 + k, "window %d has %d at %d", i, memory[i][k], k);
    if (i % 3 == 0) MPI_Win_free(&windows[i]);
  }
  for (int i = kMany - 1; i >= 0; --i)
    if (i % 3 != 0) MPI_Win_free(&windows[i]);
  MPI_Group_free(&others);
}

// All but rank 0, in another order. Not two communicators without a rank in common: Open MPI 4.1 gives these
// one number, and windows over them files of one name.
static void over_some(void) {
  int rank, size, *memory, value = 10 + world_rank, sum = 0, wanted = 0;
  MPI_Win window;
  MPI_Comm some;
  MPI_Group all;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank == 0 ? MPI_UNDEFINED : 1, -world_rank, &some);
  if (some == MPI_COMM_NULL) return;
  MPI_Comm_rank(some, &rank);
  MPI_Comm_size(some, &size);
  MPI_Win_allocate(kNumbers * sizeof(int), 1, MPI_INFO_NULL, some, &memory, &window);
  memset(memory, 0, kNumbers * sizeof(int));
  MPI_Barrier(some);
  MPI_Win_get_group(window, &all);
  MPI_Win_post(all, 0, window);
  MPI_Win_start(all, 0, window);
  for (int target = 0; target < size; ++target)
    MPI_Put(&value, 1, MPI_INT, target, rank * (MPI_Aint)sizeof(int), 1, MPI_INT, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  for (int i = 0; i < size; ++i) sum += memory[i];
  MPI_Allreduce(&value, &wanted, 1, MPI_INT, MPI_SUM, some);
  CHECK(sum == wanted, "%d, not %d", sum, wanted);
  MPI_Group_free(&all);
  MPI_Win_free(&window);
  MPI_Comm_free(&some);
}

// Windows of other makings, the host's, beside one of Weft's.
static void others(void) {
  int *memory, own[kNumbers] = {0}, value = 10 + world_rank;
  MPI_Win created, window = make(&memory);
  MPI_Win_create(own, sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &created);
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  MPI_Group everybody = all_but_self(window);
  MPI_Win both[] = {window, created};
  for (int i = 0; i < 2; ++i) MPI_Win_post(everybody, 0, both[i]);
  for (int i = 0; i < 2; ++i) {
    MPI_Win_start(everybody, 0, both[i]);
    MPI_Put(&value, 1, MPI_INT, right, 5 + i, 1, MPI_INT, both[i]);
    MPI_Win_complete(both[i]);
  }
  for (int i = 0; i < 2; ++i) MPI_Win_wait(both[i]);
  CHECK(memory[5] == 10 + left && own[6] == 10 + left, "%d and %d", memory[5], own[6]);
  MPI_Group_free(&everybody);
  over_some();
  MPI_Win_free(&created);
  MPI_Win_free(&window);
}

// Updates by one origin are carried out in the order of its calls (MPI-4.0, section 12.7.2), whether the
// target is open by then or not, and however long they are.
static void order(void) {
  enum { kLong = 40000, kUpdates = 12 };
  static int from[kUpdates][kLong], before[kUpdates][kLong], wanted[kLong], seen[kUpdates][kLong];
  uint64_t state = 5 + (uint64_t)world_rank;
  int *memory, counts[kUpdates], operators[kUpdates], sees[kUpdates];
  MPI_Win window;
  MPI_Win_allocate(world_size * kLong * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &memory, &window);
  memset(memory, 0, (size_t)world_size * kLong * sizeof(int));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Group others = all_but_self(window);
  const int right = (world_rank + 1) % world_size, at = world_rank * kLong;
  const MPI_Op kinds[] = {MPI_REPLACE, MPI_SUM, MPI_NO_OP};
  for (int round = 0; round < 10; ++round) {
    if (round % 2 == 0) {
      usleep(draw(&state) % 3000);
      MPI_Win_post(others, 0, window);
    }
    MPI_Win_start(others, 0, window);
    for (int i = 0; i < kUpdates; ++i) {
      counts[i] = 1 + (int)(draw(&state) % (draw(&state) % 2 == 0 ? 100 : kLong));
      operators[i] = (int)(draw(&state) % 3);
      for (int k = 0; k < counts[i]; ++k) from[i][k] = (int)(draw(&state) % 1000);
      const MPI_Op kind = kinds[operators[i]];
      sees[i] = operators[i] != 0 || draw(&state) % 2 == 0;
      if (sees[i])
        MPI_Get_accumulate(from[i], counts[i], MPI_INT, seen[i], counts[i], MPI_INT, right, at, counts[i],
                           MPI_INT, kind, window);
      else MPI_Accumulate(from[i], counts[i], MPI_INT, right, at, counts[i], MPI_INT, kind, window);
    }
    if (round % 2 != 0) {
      usleep(draw(&state) % 3000);
      MPI_Win_post(others, 0, window);
    }
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    for (int i = 0; i < kUpdates; ++i) {
      memcpy(before[i], wanted, sizeof wanted);
      for (int k = 0; k < counts[i]; ++k) {
        if (operators[i] == 0) wanted[k] = from[i][k];
        if (operators[i] == 1) wanted[k] += from[i][k];
      }
      if (sees[i])
        for (int k = 0; k < counts[i]; ++k)
          CHECK(seen[i][k] == before[i][k], "update %d saw %d at %d, not %d", i, seen[i][k], k, before[i][k]);
    }
  }
  MPI_Group_free(&others);
  MPI_Win_free(&window);
}

// What only the target's host can combine is done while the target waits for something else.
static void busy(void) {
  int *memory, pair[2] = {100 + world_rank, world_rank}, seen[2] = {-1, -1}, token = 0;
  MPI_Win window = make(&memory);
  MPI_Group others = all_but_self(window);
  if (world_rank == 0) {
    MPI_Win_post(others, 0, window);
    for (int rank = 1; rank < world_size; ++rank)
      MPI_Recv(&token, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_wait(window);
    CHECK(memory[0] == 100 + world_size - 1, "the greatest is %d", memory[0]);
  } else {
    MPI_Group all, first;
    const int zero = 0;
    MPI_Win_get_group(window, &all);
    MPI_Group_incl(all, 1, &zero, &first);
    MPI_Win_start(first, 0, window);
    MPI_Get_accumulate(pair, 1, MPI_2INT, seen, 1, MPI_2INT, 0, 0, 1, MPI_2INT, MPI_MAXLOC, window);
    MPI_Win_complete(window);
    CHECK(seen[0] == 0 || seen[0] > 100, "there was %d", seen[0]);
    MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Group_free(&first);
    MPI_Group_free(&all);
  }
  MPI_Group_free(&others);
  MPI_Win_free(&window);
}

static int made_types(MPI_Datatype* types) {
  int count = 0, lengths[] = {2, 1, 3}, places[] = {7, 1, 12}, blocks[] = {1, 2, 1};
  const int sizes[] = {6, 7}, parts[] = {3, 4}, starts[] = {2, 1};
  const int distributed[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, grid[] = {2, 1};
  const int arguments[] = {2, MPI_DISTRIBUTE_DFLT_DARG};
  const MPI_Aint bytes[] = {-16, 40, 8}, struct_bytes[] = {24, -8, 60};
  MPI_Datatype inner, ints[] = {MPI_INT, MPI_INT, MPI_INT};
  MPI_Type_vector(5, 2, 3, MPI_INT, &types[count++]);
  MPI_Type_vector(4, 1, -2, MPI_INT, &types[count++]);
  MPI_Type_indexed(3, lengths, places, MPI_INT, &types[count++]);
  MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &types[count++]);
  MPI_Type_create_struct(3, blocks, struct_bytes, ints, &types[count++]);
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &types[count++]);
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &types[count++]);
  MPI_Type_create_darray(2, 1, 2, sizes, distributed, arguments, grid, MPI_ORDER_C, MPI_INT, &types[count++]);
  MPI_Type_create_resized(types[2], -12, 100, &types[count++]);
  MPI_Type_create_hvector(3, 1, 200, types[4], &types[count++]);
  MPI_Type_indexed(2, blocks, places, MPI_INT, &inner);
  MPI_Type_create_resized(inner, 0, 8, &types[count++]);  // whose elements are among one another
  MPI_Type_free(&inner);
  for (int i = 0; i < count; ++i) MPI_Type_commit(&types[i]);
  return count;
}

// Data of types as the host packs and unpacks them, at the target. Bytes that are there twice are only read.
static void types(void) {
  enum { kMost = 400, kElements = 3, kAt = kNumbers / 2 };
  static int sent[kMost], got[kMost], packed[kMost], wanted[kNumbers], own[kNumbers];
  int *memory, size, twice[] = {4, 0, 4}, ones[] = {2, 3, 2};
  MPI_Win window = make(&memory);
  MPI_Group others = all_but_self(window);
  MPI_Datatype all[16];
  const int count = made_types(all), right = (world_rank + 1) % world_size;
  MPI_Type_indexed(3, ones, twice, MPI_INT, &all[count]);
  MPI_Type_commit(&all[count]);
  for (int i = 0; i < kMost; ++i) sent[i] = 1 + i;
  for (int i = 0; i < kNumbers; ++i) own[i] = 7 * i;
  for (int type = 0; type <= count; ++type) {
    MPI_Type_size(all[type], &size);
    const int numbers = size / (int)sizeof(int) * kElements, bytes = size * kElements;
    for (int puts = type == count ? 0 : 1; puts >= 0; --puts) {
      int position = 0;
      memcpy(memory, own, sizeof own);
      memcpy(wanted, own, sizeof own);
      if (puts) MPI_Unpack(sent, bytes, &position, wanted + kAt, kElements, all[type], MPI_COMM_WORLD);
      else MPI_Pack(own + kAt, kElements, all[type], packed, sizeof packed, &position, MPI_COMM_WORLD);
      MPI_Win_post(others, 0, window);
      MPI_Win_start(others, 0, window);
      if (puts) MPI_Put(sent, numbers, MPI_INT, right, kAt, kElements, all[type], window);
      else MPI_Get(got, numbers, MPI_INT, right, kAt, kElements, all[type], window);
      MPI_Win_complete(window);
      MPI_Win_wait(window);
      CHECK(memcmp(memory, wanted, sizeof wanted) == 0, "type %d is put elsewhere", type);
      CHECK(puts || memcmp(got, packed, (size_t)bytes) == 0, "type %d is got from elsewhere", type);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  for (int type = 0; type <= count; ++type) MPI_Type_free(&all[type]);
  MPI_Group_free(&others);
  MPI_Win_free(&window);
}

// Pairs with padding, in a type of the program's own.
static void pairs(void) {
  enum { kPairs = 20 };
  struct pair {
    short number;
    int rank;
  } from[kPairs], seen[2 * kPairs], *memory;
  MPI_Win window;
  MPI_Win_allocate(kNumbers * sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  memset(memory, 0, kNumbers * sizeof(int));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Group others = all_but_self(window);
  MPI_Datatype every_other;
  MPI_Type_vector(kPairs, 1, 2, MPI_SHORT_INT, &every_other);
  MPI_Type_commit(&every_other);
  memset(seen, 0, sizeof seen);
  for (int i = 0; i < kPairs; ++i) from[i] = (struct pair){(short)(1 + i + 100 * world_rank), world_rank};
  MPI_Win_post(others, 0, window);
  MPI_Win_start(others, 0, window);
  for (int rank = 0; rank < world_size; ++rank)
    if (rank != world_rank)
      MPI_Get_accumulate(from, kPairs, MPI_SHORT_INT, seen, 1, every_other, rank, 0, 1, every_other,
                         MPI_MAXLOC, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  const int last = world_rank == world_size - 1 ? world_size - 2 : world_size - 1;
  for (int i = 0; i < 2 * kPairs; ++i) {
    const int number = i % 2 == 0 ? 1 + i / 2 + 100 * last : 0, rank = i % 2 == 0 ? last : 0;
    CHECK(memory[i].number == number && memory[i].rank == rank, "pair %d is %d of %d", i, memory[i].number,
          memory[i].rank);
    CHECK(i % 2 == 0 || (seen[i].number == 0 && seen[i].rank == 0), "pair %d was seen", i);
  }
  MPI_Type_free(&every_other);
  MPI_Group_free(&others);
  MPI_Win_free(&window);
}

// The last rank ends in the middle; the others have an error, tell so, and end without it.
static void death(const char* when, const char* folder) {
  static int from[kNumbers * 100];
  int *memory, code;
  char path[PATH_MAX];
  MPI_Win window = make(&memory);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Group others = all_but_self(window);
  for (int round = 0; round < 3; ++round) {
    MPI_Win_post(others, 0, window);
    MPI_Win_start(others, 0, window);
    if (round == 2 && world_rank == world_size - 1) raise(SIGKILL);
    for (int rank = 0; rank < world_size; ++rank)
      if (rank != world_rank) MPI_Put(from, kNumbers, MPI_INT, rank, 0, kNumbers, MPI_INT, window);
    code = MPI_SUCCESS;
    if (round < 2 || is(when, "death_complete")) code = MPI_Win_complete(window);
    if (round < 2 || is(when, "death_wait")) code = MPI_Win_wait(window);
    // A target that has ended is no error of who has nothing more to wait for.
    if (round == 2 && is(when, "death_complete") && code == MPI_SUCCESS) {
      MPI_Win_wait(window);
      MPI_Win_post(others, 0, window);
      MPI_Win_start(others, 0, window);
      for (int rank = 0; rank < world_size && code == MPI_SUCCESS; ++rank)
        if (rank != world_rank) code = MPI_Put(from, kNumbers, MPI_INT, rank, 0, kNumbers, MPI_INT, window);
      const int completed = MPI_Win_complete(window);
      if (code == MPI_SUCCESS) code = completed;
    }
  }
  CHECK(code != MPI_SUCCESS, "the call has no error");
  snprintf(path, sizeof path, "%s/%d", folder, world_rank);
  fclose(fopen(path, "w"));
  _exit(0);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (is(argv[1], "errors")) errors();
  else if (is(argv[1], "many")) many();
  else if (is(argv[1], "others")) others();
  else if (is(argv[1], "order")) order();
  else if (is(argv[1], "busy")) busy();
  else if (is(argv[1], "types")) types();
  else if (is(argv[1], "pairs")) pairs();
  else death(argv[1], argv[2]);
  return end("%s", argv[1]);
}
