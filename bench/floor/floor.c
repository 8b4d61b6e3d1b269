// SPDX-License-Identifier: BSD-3-Clause
// What the hardware allows, and how well the clock measures: what a collective's time is to be compared with.
//
//   floor --items one_way,copy --bytes 4096,65536 --rings 131072                        at least two ranks
//
// Ranks 0 and 1 work in shared memory, the others wait:
//
//   one_way        one cache line from core to core: half of a ping-pong of stores and loads (ns)
//
//   exchange       each writes a line and reads the other's: no allreduce of two ranks can be faster (ns)
//
//   hand_over      both on one core, which each yields to the other: one change of processes (ns)
//
//   copy           copies a block that the other has just written (GB/s)
//
//   reduce         the same, added to doubles of its own (GB/s)
//
//   side_by_side   each leaves a block for the other and takes the other's; one begins where the other ends
//                  (GB/s)
//
//   apart          the same, where 8 KiB are between them, which copies fetch ahead (GB/s)
//
//   ring           a long message through a ring of shared memory, fragment by fragment: one writes where the
//                  other has just read (GB/s)
//
//   streamed_ring  the same, written by stores that pass by the caches (GB/s; x86 only)
//
//   spin           a chain of dependent multiplications, 200 ns long by a long loop of them, measured one at
//                  a time: the error of the clock after its cost is subtracted (%)
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "harness/arguments.h"
#include "harness/cores.h"
#include "harness/pair.h"
#include "harness/record.h"
#include "harness/statistics.h"
#include "harness/synchronise.h"
#include "harness/ticks.h"

enum { kRepeats = 25 };
static int me;
static double milliseconds = 100;

struct shared {
  _Alignas(kLine) _Atomic long flag[2][2 * kLine / sizeof(long)];  // per rank: two lines to take in turn
};
static struct shared* shared;

// The other rank's flag `i` becomes `value`.
static void await(int rank, int i, long value) {
  while (atomic_load_explicit(&shared->flag[rank][(size_t)i * kLine / sizeof(long)], memory_order_acquire) !=
         value)
    continue;
}

static void set(int i, long value) {
  atomic_store_explicit(&shared->flag[me][(size_t)i * kLine / sizeof(long)], value, memory_order_release);
}

static void ping_pong(long rounds, long first) {
  for (long i = first; i < first + rounds; ++i) {
    if (me == 0) set(0, i);
    await(1 - me, 0, i);
    if (me == 1) set(0, i);
  }
}

static void yield_to_and_fro(long rounds, long first) {
  for (long i = first; i < first + rounds; ++i) {
    if (me == 0) set(0, i);
    while (atomic_load_explicit(&shared->flag[1 - me][0], memory_order_acquire) != i) sched_yield();
    if (me == 1) set(0, i);
  }
}

static void exchange(long rounds, long first) {
  for (long i = first; i < first + rounds; ++i) {
    set((int)(i & 1), i);
    await(1 - me, (int)(i & 1), i);
  }
}

// Median over repeats of the mean of many, which take about so long each; nanoseconds.
static struct summary time_flags(void (*run)(long, long), double round_ns) {
  const long rounds = 1 + (long)(milliseconds * 1e6 / kRepeats / round_ns);
  static long next = 1;
  double times[kRepeats];
  for (int r = 0; r < kRepeats; ++r, next += rounds) {
    const int64_t begin = ticks_now();
    run(rounds, next);
    times[r] = ticks_to_ns(ticks_now() - begin) / (double)rounds;
  }
  return summarize(times, kRepeats);
}

static void report(const char* item, const char* unit, size_t bytes, struct summary s, double factor) {
  record_begin("floor");
  record_text("item", item);
  record_text("unit", unit);
  record_count("bytes", (long)bytes);
  record_number("value", s.median * factor);
  record_number("minimum", s.minimum * factor);
  record_number("maximum", s.maximum * factor);
  record_end();
}

// `moved` bytes in the times of `s`, in nanoseconds; `bytes` say which point it is.
static void report_bandwidth(const char* item, size_t bytes, size_t moved, struct summary s, int right) {
  record_begin("floor");
  record_text("item", item);
  record_text("unit", "GB/s");
  record_count("bytes", (long)bytes);
  record_number("value", (double)moved / s.median);
  record_number("minimum", (double)moved / s.maximum);
  record_number("maximum", (double)moved / s.minimum);
  record_truth("right", right);
  record_end();
}

static void move_or_add(int adds, double* mine, const double* theirs, size_t count) {
  if (!adds) {
    memcpy(mine, theirs, count * sizeof *mine);
    return;
  }
  for (size_t i = 0; i < count; ++i) mine[i] += theirs[i];
}

// Both write their block, tell each other, and read the other's: as in a collective, the data is in the wrong
// cache.
static void measure_bandwidth(int adds, size_t bytes) {
  const size_t count = bytes / sizeof(double);
  MPI_Win window;
  double *block, *other, times[1000];
  MPI_Aint size;
  int unit;
  MPI_Comm pair;
  MPI_Comm_split(MPI_COMM_WORLD, me < 2 ? 0 : MPI_UNDEFINED, me, &pair);
  if (pair == MPI_COMM_NULL) return;
  MPI_Win_allocate_shared((MPI_Aint)bytes, 1, MPI_INFO_NULL, pair, &block, &window);
  MPI_Win_shared_query(window, 1 - me, &size, &unit, &other);
  double* mine = calloc(count + 1, sizeof *mine);
  if (mine == NULL) refuse("--bytes", "there is not enough memory");
  const int64_t begin = ticks_now();
  int n = 0;
  for (int going = 1; going && n < 1000; ++n) {
    for (size_t i = 0; i < count; ++i) block[i] = (double)(n + me);
    leave_together(pair);
    const int64_t start = ticks_now();
    move_or_add(adds, mine, other, count);
    times[n] = ticks_to_ns(ticks_now() - start) - ticks_cost_ns();
    going = n < 4 || ticks_to_ns(ticks_now() - begin) < milliseconds * 1e6;
    MPI_Bcast(&going, 1, MPI_INT, 0, pair);
    leave_together(pair);  // nobody writes while the other still reads
  }
  const double last = mine[count - 1];
  const struct summary s = summarize(times, n);
  // `last` is the last value that the other rank wrote, or the sum of all of them.
  report_bandwidth(adds ? "reduce" : "copy", bytes, bytes, s,
                   last == (adds ? n * (n - 1) / 2.0 + n * (1 - me) : n - 1 + (1 - me)));
  free(mine);
  MPI_Win_free(&window);
  MPI_Comm_free(&pair);
}

// Both leave their block, tell each other, and take the other's.
static void measure_exchange_of_blocks(const char* item, size_t between, size_t bytes) {
  struct pair pair;
  double times[1000];
  if (!pair_open(&pair, 2 * bytes + between)) return;
  char* const own = pair.memory + (bytes + between) * (size_t)me;
  const char* const other = pair.memory + (bytes + between) * (size_t)(1 - me);
  char *const mine = malloc(bytes), *const others = malloc(bytes);
  if (mine == NULL || others == NULL) refuse("--bytes", "there is not enough memory");
  memset(others, 0, bytes);
  static long number = 1 << 30;  // of the block; flags have other values before
  const int64_t begin = ticks_now();
  int n = 0, right = 1;
  for (int going = 1; going && n < 1000; ++n) {
    memset(mine, n + me, bytes);
    leave_together(pair.comm);
    const int64_t start = ticks_now();
    for (int i = 0; i < kRepeats; ++i, ++number) {
      memcpy(own, mine, bytes);
      set(0, number);
      await(1 - me, 0, number);
      memcpy(others, other, bytes);
      set(1, number);  // taken
      await(1 - me, 1, number);
    }
    times[n] = (ticks_to_ns(ticks_now() - start) - ticks_cost_ns()) / kRepeats;
    right = right && others[0] == (char)(n + 1 - me) && others[bytes - 1] == (char)(n + 1 - me);
    going = n < 4 || ticks_to_ns(ticks_now() - begin) < milliseconds * 1e6;
    MPI_Bcast(&going, 1, MPI_INT, 0, pair.comm);
  }
  report_bandwidth(item, bytes, bytes, summarize(times, n), right);
  free(mine);
  free(others);
  pair_close(&pair);
}

enum { kMessage = 1 << 20, kFragment = 64 << 10 };

struct ring {
  _Alignas(kLine) _Atomic long written;   // fragments
  _Alignas(kLine) _Atomic long consumed;  // fragments
  _Alignas(kLine) char bytes[];
};

// Whole cache lines.
static void copy_past_caches(char* into, const char* from, size_t size) {
#ifdef __SSE2__
  for (size_t i = 0; i < size; i += sizeof(__m128i))
    _mm_stream_si128((__m128i*)(into + i), _mm_loadu_si128((const __m128i*)(from + i)));
  _mm_sfence();
#else
  memcpy(into, from, size);
#endif
}

// One fragment of the message. The ring holds `slots` of them.
static void pass_on(struct ring* ring, char* message, size_t size, long number, long slots, int streams) {
  char* const slot = ring->bytes + (size_t)(number % slots) * size;
  char* const here = message + (size_t)number * size % kMessage;
  if (me == 0) {
    while (number - atomic_load_explicit(&ring->consumed, memory_order_acquire) >= slots) continue;
    if (streams) copy_past_caches(slot, here, size);
    else memcpy(slot, here, size);
    atomic_store_explicit(&ring->written, number + 1, memory_order_release);
  } else {
    while (atomic_load_explicit(&ring->written, memory_order_acquire) <= number) continue;
    memcpy(here, slot, size);
    atomic_store_explicit(&ring->consumed, number + 1, memory_order_release);
  }
}

static void measure_ring(int streams, size_t bytes) {
  int right = 1, n = 0;
  double times[kRepeats];
  struct pair pair;
  if (!pair_open(&pair, sizeof(struct ring) + bytes)) return;
  struct ring* const ring = (struct ring*)pair.memory;
  char* const message = aligned_alloc(kLine, kMessage);
  if (message == NULL) refuse("--rings", "there is not enough memory");
  for (int i = 0; i < kMessage; ++i) message[i] = (char)(me == 0 ? i * 7 + i / 251 : 0);
  if (me == 0) memset(ring, 0, sizeof *ring + bytes);
  const size_t fragment = bytes / 2 < kFragment ? bytes / 2 : kFragment;
  const long slots = (long)(bytes / fragment), per_message = (long)(kMessage / fragment);
  const long messages = 1 + (long)(milliseconds * 1e6 / kRepeats / 2e5);
  for (long number = 0; n < kRepeats; ++n) {
    leave_together(pair.comm);
    const int64_t begin = ticks_now();
    for (const long end = number + messages * per_message; number < end; ++number)
      pass_on(ring, message, fragment, number, slots, streams);
    times[n] = ticks_to_ns(ticks_now() - begin) / (double)messages;
  }
  for (int i = 0; i < kMessage; ++i) right = right && message[i] == (char)(i * 7 + i / 251);
  report_bandwidth(streams ? "streamed_ring" : "ring", bytes, kMessage, summarize(times, n), right);
  free(message);
  pair_close(&pair);
}

static volatile unsigned long sink;

static void spin(long steps) {
  unsigned long x = sink;
  for (long i = 0; i < steps; ++i) {
    x = x * 6364136223846793005ul + 1442695040888963407ul;
    __asm__ volatile("" : "+r"(x));  // as many steps as were asked for
  }
  sink = x;
}

static double long_loop_ns(long spins, long steps) {
  const int64_t begin = ticks_now();
  for (long i = 0; i < spins; ++i) spin(steps);
  return ticks_to_ns(ticks_now() - begin) / (double)spins;
}

// How far the time of one spin, measured alone, is from its share in a loop of a thousand.
static void measure_error(void) {
  enum { kAlone = 2001, kInLoop = 1000 };
  static double alone[kAlone], known[kRepeats];
  long steps = 1000;
  for (int r = 0; r < kRepeats; ++r) known[r] = long_loop_ns(100, steps);
  steps = (long)(200 / summarize(known, kRepeats).minimum * (double)steps);
  for (int r = 0; r < kRepeats; ++r) known[r] = long_loop_ns(kInLoop, steps);
  for (int i = 0; i < kAlone; ++i) {
    const int64_t begin = ticks_now();
    spin(steps);
    alone[i] = ticks_to_ns(ticks_now() - begin) - ticks_cost_ns();
  }
  const double length = summarize(known, kRepeats).median, measured = summarize(alone, kAlone).median;
  record_begin("floor");
  record_text("item", "spin");
  record_text("unit", "%");
  record_count("bytes", 0);
  record_number("known_ns", length);
  record_number("measured_ns", measured);
  record_number("value", 100 * (measured - length) / length);
  record_end();
}

// On a core where rank 0 may be. A rank that must not be there leaves the item out for both.
static void measure_hand_over(void) {
  cpu_set_t before, one;
  int core = 0, are_there;
  sched_getaffinity(0, sizeof before, &before);
  while (core < CPU_SETSIZE - 1 && !CPU_ISSET(core, &before)) ++core;
  MPI_Bcast(&core, 1, MPI_INT, 0, MPI_COMM_WORLD);
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  const int is_there = me >= 2 || sched_setaffinity(0, sizeof one, &one) == 0;
  MPI_Allreduce(&is_there, &are_there, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (are_there && me < 2) report("hand_over", "ns", 0, time_flags(yield_to_and_fro, 2000), 0.5);
  sched_setaffinity(0, sizeof before, &before);
}

static void open_shared(MPI_Win* window) {
  MPI_Aint size;
  int unit;
  MPI_Win_allocate_shared(me == 0 ? sizeof *shared + kLine : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared,
                          window);
  MPI_Win_shared_query(*window, 0, &size, &unit, &shared);
  shared = (struct shared*)(((uintptr_t)shared + kLine - 1) / kLine * kLine);
  if (me == 0) memset(shared, 0, sizeof *shared);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int ranks;
  struct word_list items = {10,
                            {"one_way", "exchange", "hand_over", "copy", "reduce", "side_by_side", "apart",
                             "ring", "streamed_ring", "spin"}};
  struct number_list sizes = {3, {4096, 65536, 1048576}}, rings = {2, {128 << 10, 4 << 20}};
  cores_take();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const struct argument table[] = {{.name = "items", .words = &items},
                                   {.name = "bytes", .numbers = &sizes},
                                   {.name = "rings", .numbers = &rings},
                                   {.name = "milliseconds", .number = &milliseconds},
                                   {0}};
  arguments_parse(argc, argv, table);
  cores_confirm();
  if (ranks < 2) refuse("floor", "needs two ranks");
  for (int r = 0; r < rings.count; ++r)
    if (rings.numbers[r] < 2 * kLine || (rings.numbers[r] & (rings.numbers[r] - 1)) != 0)
      refuse("--rings", "a ring is a power of two of at least 256 bytes");
  ticks_calibrate();
  MPI_Win window;
  open_shared(&window);
  for (int i = 0; i < items.count; ++i) {
    const char* item = items.words[i];
    leave_together(MPI_COMM_WORLD);
    const int adds = strcmp(item, "reduce") == 0;
    if (strcmp(item, "one_way") == 0 && me < 2) report(item, "ns", 0, time_flags(ping_pong, 200), 0.5);
    else if (strcmp(item, "exchange") == 0 && me < 2) report(item, "ns", 0, time_flags(exchange, 200), 1);
    else if (strcmp(item, "hand_over") == 0) measure_hand_over();
    else if (adds || strcmp(item, "copy") == 0)
      for (int s = 0; s < sizes.count; ++s) measure_bandwidth(adds, sizes.numbers[s]);
    else if (strcmp(item, "side_by_side") == 0 || strcmp(item, "apart") == 0)
      for (int s = 0; s < sizes.count; ++s)
        measure_exchange_of_blocks(item, strcmp(item, "apart") == 0 ? 8 << 10 : 0, sizes.numbers[s]);
    else if (strcmp(item, "ring") == 0 || strcmp(item, "streamed_ring") == 0)
      for (int r = 0; r < rings.count; ++r) measure_ring(strcmp(item, "ring") != 0, rings.numbers[r]);
    else if (strcmp(item, "spin") == 0 && me == 0) measure_error();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
