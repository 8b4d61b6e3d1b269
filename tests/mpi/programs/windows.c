// SPDX-License-Identifier: BSD-3-Clause
// Windows made by MPI_Win_allocate: random one-sided programs, whose sums do not depend on who executes them.
// Arguments: what is accessed (numbers, types, operators; late: numbers, by ranks that come late; known:
// numbers, where ranks know from elsewhere that their targets have posted), a seed, rounds.
//
// Each rank has, for every one, a slot that only that one writes, with a place for each access of an epoch; a
// part that all add to; a part that only it writes, between epochs, and others read; and counters that all
// fetch and add to.
#include <unistd.h>

#include "check.h"

enum {
  kPlace = 30000,
  kMostAccesses = 4,
  kSlot = kPlace * kMostAccesses,
  kShared = 500,
  kOperators = 5,
  kCounters = 4
};

// What accesses are made.
struct kind {
  int with_types, with_operators, is_late, is_known;
};

static MPI_Win window;
static int* memory;
static int slots_at(int rank) { return kSlot * rank; }
static int shared_at(void) { return kSlot * world_size; }
static int own_at(void) { return shared_at() + kShared * kOperators; }
static int counters_at(void) { return own_at() + kSlot; }
static int swapped_at(int rank) { return counters_at() + kCounters + rank; }
// Whole pages: MPICH 4.0 mistakes the places of others.
static int all_numbers(void) { return (swapped_at(world_size) + 1023) / 1024 * 1024; }

static int* numbers(int count, uint64_t* state) {
  int* made = malloc((size_t)count * sizeof(int) + 1);
  for (int i = 0; i < count; ++i) made[i] = (int)(draw(state) % 1000);
  return made;
}

// What one rank does to another in an epoch; the target's state is not looked at.
static int* buffers[4000];
static int* expected[1000];
static int buffer_count, expected_count, expected_at[1000][2];

static int* keep(int* buffer) {
  CHECK(buffer_count < 4000, "%d buffers", buffer_count);
  return buffers[buffer_count++] = buffer;
}

static void put_some(int target, int place, uint64_t* state, int most) {
  const int count = (int)(draw(state) % (uint32_t)most), at = (int)(draw(state) % (uint32_t)(kPlace - count));
  int* from = keep(numbers(count, state));
  MPI_Put(from, count, MPI_INT, target, slots_at(world_rank) + place + at, count, MPI_INT, window);
}

// Every second number of the buffer, into every third of the target's slot, one block of which is longer.
static void put_types(int target, int place, uint64_t* state) {
  MPI_Datatype here, there, blocks;
  const int count = 20 + (int)(draw(state) % 300);
  int lengths[3] = {2, count - 5, 3}, offsets[3] = {1, 7, count + 20};
  int* from = keep(numbers(2 * count, state));
  MPI_Type_vector(count, 1, 2, MPI_INT, &here);
  MPI_Type_commit(&here);
  if (draw(state) % 2 == 0) MPI_Type_vector(count, 1, 3, MPI_INT, &there);
  else MPI_Type_indexed(3, lengths, offsets, MPI_INT, &there);
  MPI_Type_commit(&there);
  if (draw(state) % 2 == 0) {
    MPI_Put(from, 1, here, target, slots_at(world_rank) + place, 1, there, window);
  } else {
    MPI_Type_contiguous(count, MPI_INT, &blocks);
    MPI_Type_commit(&blocks);
    MPI_Put(from, 1, blocks, target, slots_at(world_rank) + place, 1, there, window);
    MPI_Type_free(&blocks);
  }
  MPI_Type_free(&here);
  MPI_Type_free(&there);
}

static void add_some(int target, uint64_t* state, int with_types) {
  const int count = 1 + (int)(draw(state) % (kShared / 3));
  int* from = keep(numbers(count, state));
  if (with_types) {
    MPI_Datatype there;
    MPI_Type_vector(count, 1, 3, MPI_INT, &there);
    MPI_Type_commit(&there);
    MPI_Accumulate(from, count, MPI_INT, target, shared_at(), 1, there, MPI_SUM, window);
    MPI_Type_free(&there);
  } else {
    MPI_Accumulate(from, count, MPI_INT, target, shared_at(), count, MPI_INT, MPI_SUM, window);
  }
}

// Each operator has a part to itself: mixed, they do not commute.
static void combine_some(int target, uint64_t* state) {
  const MPI_Op operators[kOperators] = {MPI_SUM, MPI_MAX, MPI_BXOR, MPI_MIN, MPI_MAXLOC};
  const MPI_Datatype types[kOperators] = {MPI_INT, MPI_INT, MPI_INT, MPI_FLOAT, MPI_2INT};
  const int which = (int)(draw(state) % kOperators), count = 1 + (int)(draw(state) % (kShared / 2));
  int* from = keep(numbers(2 * count, state));
  if (which == 3)
    for (int i = 0; i < count; ++i) ((float*)(void*)from)[i] = -(float)from[i];
  MPI_Accumulate(from, count, types[which], target, shared_at() + which * kShared, count, types[which],
                 operators[which], window);
}

// One swap in an epoch, of a number that only this rank changes.
static int swapped[64], seen[64], swaps_to[64], next[64];
static void swap_one(int target) {
  if (swaps_to[target]) return;
  swaps_to[target] = 1;
  next[target] = swapped[target] + 1;
  MPI_Compare_and_swap(&next[target], &swapped[target], &seen[target], MPI_INT, target,
                       swapped_at(world_rank), window);
}

// What the target's own part holds in that round.
static int own_number(int rank, int round, int i) { return rank * 1000003 + round * 1009 + i; }

static void get_some(int target, uint64_t* state) {
  const int most = draw(state) % 3 == 0 ? 60000 : 1000;
  const int count = 1 + (int)(draw(state) % (uint32_t)most), at = (int)(draw(state) % 1000);
  int* into = keep(malloc((size_t)count * sizeof(int)));
  MPI_Get(into, count, MPI_INT, target, own_at() + at, count, MPI_INT, window);
  expected[expected_count] = into;
  expected_at[expected_count][0] = target * 100000 + count;
  expected_at[expected_count++][1] = at;
}

static int fetched[1000], fetched_count, one = 1;
static void fetch_some(int target, uint64_t* state) {
  const int at = counters_at() + (int)(draw(state) % 2);
  if (draw(state) % 2 == 0)
    MPI_Fetch_and_op(&one, &fetched[fetched_count++], MPI_INT, target, at, MPI_SUM, window);
  else
    MPI_Get_accumulate(&one, 1, MPI_INT, &fetched[fetched_count++], 1, MPI_INT, target, at, 1, MPI_INT,
                       MPI_SUM, window);
}

static void access_some(int target, uint64_t* state, int with_types, int with_operators) {
  const int accesses = (int)(draw(state) % (kMostAccesses + 1));
  for (int access = 0; access < accesses; ++access) switch (draw(state) % 5) {
      case 0: put_some(target, access * kPlace, state, 20); break;
      case 1: put_some(target, access * kPlace, state, kPlace); break;
      case 2:
        if (with_operators) combine_some(target, state);
        else add_some(target, state, with_types);
        break;
      case 3: get_some(target, state); break;
      default:
        if (with_types) put_types(target, access * kPlace, state);
        else if (with_operators && draw(state) % 2 == 0) swap_one(target);
        else fetch_some(target, state);
    }
}

static void check_what_was_read(int round) {
  for (int i = 0; i < expected_count; ++i) {
    const int target = expected_at[i][0] / 100000, count = expected_at[i][0] % 100000;
    for (int k = 0; k < count; ++k)
      CHECK(expected[i][k] == own_number(target, round, expected_at[i][1] + k), "rank %d has %d", target,
            expected[i][k]);
  }
  for (int target = 0; target < world_size; ++target) {
    if (!swaps_to[target]) continue;
    CHECK(seen[target] == swapped[target], "rank %d had %d, not %d", target, seen[target], swapped[target]);
    ++swapped[target];
    swaps_to[target] = 0;
  }
  for (int i = 0; i < fetched_count; ++i) CHECK(fetched[i] >= 0, "a counter was %d", fetched[i]);
  for (int i = 0; i < buffer_count; ++i) free(buffers[i]);
  expected_count = buffer_count = fetched_count = 0;
}

// Who accesses whom is drawn alike on all ranks.
static int accesses(uint64_t round_seed, int origin, int target) {
  uint64_t state = round_seed + (uint64_t)(origin * world_size + target) * 7919;
  draw(&state);
  return draw(&state) % 3 != 0;
}

static MPI_Group group_of(const int* ranks, int count) {
  MPI_Group all, made;
  MPI_Win_get_group(window, &all);
  MPI_Group_incl(all, count, ranks, &made);
  MPI_Group_free(&all);
  return made;
}

static void by_post_and_start(uint64_t round_seed, uint64_t* state, int round, const struct kind* kind) {
  int origins[64], targets[64], origin_count = 0, target_count = 0, over = 0;
  for (int rank = 0; rank < world_size; ++rank) {
    if (accesses(round_seed, rank, world_rank)) origins[origin_count++] = rank;
    if (accesses(round_seed, world_rank, rank)) targets[target_count++] = rank;
  }
  MPI_Group from = group_of(origins, origin_count), to = group_of(targets, target_count);
  if (kind->is_late && draw(state) % 2 == 0) usleep(draw(state) % 5000);
  const int assertion = kind->is_known && draw(&round_seed) % 2 == 0 ? MPI_MODE_NOCHECK : 0;
  MPI_Win_post(from, assertion, window);
  if (kind->is_known) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_start(to, assertion, window);
  for (int i = 0; i < target_count; ++i)
    access_some(targets[i], state, kind->with_types, kind->with_operators);
  MPI_Win_complete(window);
  if (draw(state) % 2 == 0)
    while (!over) MPI_Win_test(window, &over);
  else MPI_Win_wait(window);
  MPI_Group_free(&from);
  MPI_Group_free(&to);
  check_what_was_read(round);
}

static void by_fence(uint64_t* state, int round, const struct kind* kind) {
  MPI_Win_fence(0, window);
  for (int target = 0; target < world_size; ++target)
    access_some(target, state, kind->with_types, kind->with_operators);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  check_what_was_read(round);
}

static void by_lock(uint64_t* state, int round, const struct kind* kind) {
  for (int target = 0; target < world_size; ++target) {
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
    access_some(target, state, kind->with_types, kind->with_operators);
    MPI_Win_unlock(target, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  check_what_was_read(round);
}

static void write_own(int round) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, world_rank, 0, window);
  for (int i = 0; i < kSlot; ++i) memory[own_at() + i] = own_number(world_rank, round, i);
  MPI_Win_unlock(world_rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void check_attributes(void) {
  int is_there = 0, *flavor = NULL, *unit = NULL;
  MPI_Aint* size = NULL;
  void* base = NULL;
  MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &flavor, &is_there);
  CHECK(is_there && *flavor == MPI_WIN_FLAVOR_ALLOCATE, "the flavor is %d", *flavor);
  MPI_Win_get_attr(window, MPI_WIN_SIZE, &size, &is_there);
  CHECK(is_there && *size == all_numbers() * (MPI_Aint)sizeof(int), "%ld bytes", (long)*size);
  MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, &unit, &is_there);
  CHECK(is_there && *unit == sizeof(int), "the unit is %d", *unit);
  MPI_Win_get_attr(window, MPI_WIN_BASE, &base, &is_there);
  CHECK(is_there && base == memory, "the base is %p, not %p", base, (void*)memory);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct kind kind = {strcmp(argv[1], "types") == 0, strcmp(argv[1], "operators") == 0,
                            strcmp(argv[1], "late") == 0, strcmp(argv[1], "known") == 0};
  const uint64_t seed = (uint64_t)atoi(argv[2]);
  const int rounds = atoi(argv[3]);
  uint64_t common = seed, state = seed * 1000 + (uint64_t)world_rank + 1, sums[2] = {0, 0}, all[2];
  MPI_Win_allocate(all_numbers() * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &window);
  check_attributes();
  memset(memory, 0, (size_t)all_numbers() * sizeof(int));
  for (int round = 0; round < rounds; ++round) {
    write_own(round);
    const uint64_t round_seed = draw(&common);
    const uint32_t by = draw(&common) % 6;
    if (by < 4) by_post_and_start(round_seed, &state, round, &kind);
    else if (by == 4) by_fence(&state, round, &kind);
    else by_lock(&state, round, &kind);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int i = 0; i < all_numbers(); ++i) sums[i % 2] += (uint64_t)(uint32_t)memory[i] * (uint64_t)(i + 1);
  MPI_Reduce(sums, all, 2, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Win_free(&window);
  CHECK(window == MPI_WIN_NULL, "the window is still there after its end");
  return end("%s %llx %llx", argv[1], (unsigned long long)all[0], (unsigned long long)all[1]);
}
