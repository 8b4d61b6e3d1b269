// SPDX-License-Identifier: BSD-3-Clause
// What messages between two ranks cost, for the parameters of LogGOPS: a plain MPI program.
//
//   logp --items eager,look,messages --bytes 1,1024,65536 --count 16 --milliseconds 50        two ranks
//
// PRTT(n, d, s): rank 0 sends n messages of s bytes, computes for d between them, and has the answer to all
// of them, which is as long as one. Receives are posted before.
//
//       rank 0  |o|  d  |o|  d  |o|..............|        PRTT(1, 0, s) = 2 (L + o_s + o_r + (s-1) G…)
//                 \       \       \             /         PRTT(n, 0, s) = PRTT(1, 0, s) + (n-1) gap(s)
//       rank 1  .............................|o|          PRTT(n, d, s) = PRTT(1, 0, s) + (n-1) (o_s + d)
//
//   one_way_ns   PRTT(1, 0, s) / 2
//   gap_ns       between messages that go out back to back
//   send_ns      o_s by the last line, with d so long that no message meets the one before; eager ones only,
//   since
//                others are sent while their sender computes by nobody
//   call_ns      what the calls of MPI_Isend took there, by the clock
//   receive_ns   o_r: MPI_Recv of a message that came while its receiver computed; eager ones only
//
// Between virtual hosts a switch handles every frame on the ranks' cores, and interrupts them for it:
//
//   forward_ns       processor time of the switch per message, over PRTT(1, 0, s); of `look`, where each rank
//                    sends to each other one at once
//   own_send_ns      processor time of this rank per MPI_Isend, of messages back to back; eager ones only
//   own_receive_ns   the same of the MPI_Recv above
//
// Each is the median over repetitions, in each of which all are measured. `eager` finds from which size on a
// message waits for its receiver; `look` what an MPI_Test takes that finds nothing, on any number of ranks:
// it may look at the connection to each of them.
//
// Hoefler, Lichei, Rehm: Low-Overhead LogGP Parameter Assessment for Modern Interconnection Networks, IPDPS
// 2007; Culler, Liu, Martin, Yoshikawa: Assessing Fast Network Interfaces, IEEE Micro 16(1), 1996 (o_r).
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "eager.h"
#include "forwarder.h"
#include "harness/arguments.h"
#include "harness/cores.h"
#include "harness/record.h"
#include "harness/statistics.h"
#include "harness/synchronise.h"
#include "harness/ticks.h"

enum {
  kTag = 78,
  kMostMessages = 64,
  kMostRepeats = 2000,
  kFewest = 5,
  kWarm = 4,
  kMostEager = 4 << 20,
  kMostRanks = 256,
  kCrowds = 20
};
static int me;
static int messages = 16;
static double milliseconds = 50;
static MPI_Status statuses[2 * kMostRanks];
static char *out, *in;  // of `messages` messages of the longest size each; at least kMostEager

static void spin_for(int64_t ticks, int64_t* spent) {
  const int64_t begin = ticks_now();
  int64_t now = begin;
  while (now - begin < ticks) now = ticks_now();
  *spent += now - begin;
}

struct round_trip {
  double ns;       // without the delays
  double call_ns;  // of one MPI_Isend
  double own_ns;   // and its processor time, if there are no delays
  double forward_ns;
};

// The sender's side of PRTT(n, d, s).
static struct round_trip ask(int n, int64_t delay, size_t bytes) {
  MPI_Request requests[kMostMessages + 1];
  int64_t delayed = 0;
  MPI_Irecv(in, (int)bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &requests[n]);
  leave_together(MPI_COMM_WORLD);
  const double forwarded_ns = forwarder_ns(), own_before_ns = own_ns();
  const int64_t begin = ticks_now();
  for (int i = 0; i < n; ++i) {
    if (delay > 0 && i > 0) spin_for(delay, &delayed);
    MPI_Isend(out + (size_t)i * bytes, (int)bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &requests[i]);
  }
  const int64_t sent = ticks_now();
  const double own_sent_ns = own_ns();
  MPI_Waitall(n + 1, requests, statuses);
  const int64_t end = ticks_now();
  const double clock_ns = ticks_cost_ns() * (delay > 0 ? n : 1);
  return (struct round_trip){ticks_to_ns(end - begin - delayed) - clock_ns,
                             (ticks_to_ns(sent - begin - delayed) - clock_ns) / n,
                             (own_sent_ns - own_before_ns) / n, forwarder_ns() - forwarded_ns};
}

static void answer(int n, size_t bytes) {
  MPI_Request requests[kMostMessages];
  for (int i = 0; i < n; ++i)
    MPI_Irecv(in + (size_t)i * bytes, (int)bytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &requests[i]);
  leave_together(MPI_COMM_WORLD);
  MPI_Waitall(n, requests, statuses);
  MPI_Send(out, (int)bytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD);
}

static struct round_trip round_trip(int n, int64_t delay, size_t bytes) {
  if (me == 0) return ask(n, delay, bytes);
  answer(n, bytes);
  return (struct round_trip){0};
}

// What receiving takes of a message that has come meanwhile, by the clock and of the processor.
static struct round_trip receive(int64_t meanwhile, size_t bytes) {
  if (me != 0) {
    answer(1, bytes);
    return (struct round_trip){0};
  }
  int64_t spent = 0;
  leave_together(MPI_COMM_WORLD);
  MPI_Send(out, (int)bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
  spin_for(meanwhile, &spent);
  const double own_before_ns = own_ns();
  const int64_t begin = ticks_now();
  MPI_Recv(in, (int)bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const int64_t end = ticks_now();
  return (struct round_trip){.call_ns = ticks_to_ns(end - begin) - ticks_cost_ns(),
                             .own_ns = own_ns() - own_before_ns};
}

static void fill(size_t bytes) {
  for (int i = 0; i < messages; ++i) {
    memset(out + (size_t)i * bytes, i + 1 + me, bytes);
    memset(in + (size_t)i * bytes, 0, bytes);
  }
}

// Rank 0 has had the answers, rank 1 all messages.
static int is_right(size_t bytes) {
  int right = 1;
  for (int i = 0; i < (me == 0 ? 1 : messages); ++i)
    for (size_t at = 0; at < bytes; ++at) right &= in[(size_t)i * bytes + at] == i + 1 + (1 - me);
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return right;
}

static double one_ns[kMostRepeats], gap_ns[kMostRepeats], send_ns[kMostRepeats], call_ns[kMostRepeats],
    got_ns[kMostRepeats], forward_ns[kMostRepeats], own_send_ns[kMostRepeats], own_got_ns[kMostRepeats];

// One repetition: all from the same moment. Without delays where nobody moves a message while its sender
// computes.
static void repeat(int at, size_t bytes, int64_t delay, int64_t meanwhile) {
  const struct round_trip one = round_trip(1, 0, bytes), all = round_trip(messages, 0, bytes);
  one_ns[at] = one.ns / 2;
  gap_ns[at] = (all.ns - one.ns) / (messages - 1);
  forward_ns[at] = one.forward_ns / 2;
  own_send_ns[at] = all.own_ns;
  if (delay == 0) return;
  const struct round_trip apart = round_trip(messages, delay, bytes);
  send_ns[at] = (apart.ns - one.ns) / (messages - 1);
  call_ns[at] = apart.call_ns;
  const struct round_trip got = receive(meanwhile, bytes);
  got_ns[at] = got.call_ns;
  own_got_ns[at] = got.own_ns;
}

static void record_median(const char* key, double* values, int count) {
  const struct summary s = summarize(values, count);
  record_number(key, count > 0 ? s.median : NAN);
}

static void measure(size_t bytes, long eager) {
  fill(bytes);
  for (int i = 0; i < kWarm; ++i) repeat(i, bytes, 0, 0);
  const double gap = summarize(gap_ns, kWarm).median, one_way = summarize(one_ns, kWarm).median;
  const double pause_ns = 1000 + 2 * fmax(gap, 0);
  const int is_short = (long)bytes <= eager;
  const int64_t delay = is_short ? ticks_from_ns(pause_ns) : 0;
  const int64_t begin = ticks_now();
  int n = 0;
  for (int going = 1; going && n < kMostRepeats; ++n) {
    repeat(n, bytes, delay, ticks_from_ns(5000 + 4 * one_way));
    going = n + 1 < kFewest || ticks_to_ns(ticks_now() - begin) < milliseconds * 1e6;
    MPI_Bcast(&going, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  const int right = is_right(bytes), delayed = is_short ? n : 0;
  record_begin("logp");
  record_text("item", "messages");
  record_count("bytes", (long)bytes);
  record_count("messages", messages);
  record_count("repeats", n);
  record_number("delay_ns", is_short ? pause_ns : NAN);
  record_median("one_way_ns", one_ns, n);
  record_number("least_one_way_ns", one_ns[0]);  // sorted by now
  record_median("gap_ns", gap_ns, n);
  record_median("send_ns", send_ns, delayed);
  record_median("call_ns", call_ns, delayed);
  record_median("receive_ns", got_ns, delayed);
  const int has_forwarder = isfinite(forwarder_ns());
  record_median("forward_ns", forward_ns, has_forwarder ? n : 0);
  record_median("own_send_ns", own_send_ns, has_forwarder ? delayed : 0);
  record_median("own_receive_ns", own_got_ns, has_forwarder ? delayed : 0);
  record_truth("right", right);
  record_end();
}

static int same_node(void) {
  MPI_Comm node;
  int ranks;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &ranks);
  MPI_Comm_free(&node);
  return ranks == 2;
}

// Where messages begin to wait: `found` by looking, and what the MPI says, if it does.
struct eager {
  long found, bytes, variable_bytes;
  const char* variable;
};

// What the MPI says counts where what was found is not within its headers of it: then the machine is too busy
// to look.
static struct eager find_eager(void) {
  enum { kHeaders = 256 };
  for (int i = 0; i < kWarm; ++i) one_ns[i] = round_trip(1, 0, 1).ns;
  double shortest = summarize(one_ns, kWarm).minimum;
  MPI_Bcast(&shortest, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  struct eager eager = {.found = eager_limit(me == 0 ? out : in, kMostEager, shortest)};
  eager.variable = eager_variable(same_node(), &eager.variable_bytes);
  const int fits = eager.variable == NULL ||
                   (eager.found <= eager.variable_bytes && eager.found >= eager.variable_bytes - kHeaders);
  eager.bytes = fits ? eager.found : eager.variable_bytes - kHeaders;
  return eager;
}

static void report_eager(const struct eager* eager) {
  record_begin("logp");
  record_text("item", "eager");
  // Longer messages may still be eager: nobody has looked.
  record_number("eager_bytes", eager->bytes < kMostEager ? (double)eager->bytes : NAN);
  record_number("found_bytes", eager->found < kMostEager ? (double)eager->found : NAN);
  if (eager->variable != NULL) {
    record_text("variable", eager->variable);
    record_count("variable_bytes", eager->variable_bytes);
  }
  record_end();
}

// Messages of leave_together that each rank sends.
static int rounds_to_leave(int ranks) {
  int rounds = 0;
  for (int distance = 1; distance < ranks; distance *= 2) ++rounds;
  return rounds;
}

// Each sends to each other one at once. What the switch has had for it, per message.
static double meet_all(int ranks) {
  MPI_Request requests[2 * kMostRanks];
  int count = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double forwarded_ns = forwarder_ns();
  for (int other = 0; other < ranks; ++other)
    if (other != me) MPI_Irecv(in + other, 1, MPI_BYTE, other, kTag, MPI_COMM_WORLD, &requests[count++]);
  for (int distance = 1; distance < ranks; ++distance)
    MPI_Isend(out, 1, MPI_BYTE, (me + distance) % ranks, kTag, MPI_COMM_WORLD, &requests[count++]);
  MPI_Waitall(count, requests, statuses);
  leave_together(MPI_COMM_WORLD);
  return (forwarder_ns() - forwarded_ns) / (ranks * (ranks - 1 + rounds_to_leave(ranks)));
}

static double crowd_ns(int ranks) {
  for (int i = 0; i < kWarm; ++i) meet_all(ranks);
  for (int i = 0; i < kCrowds; ++i) one_ns[i] = meet_all(ranks);
  return summarize(one_ns, kCrowds).median;
}

// All look at once, each for a message that the rank before it sends when it is through. By processor time:
// there may be more ranks than cores.
static double look_ns(int ranks) {
  enum { kLooks = 50, kTimes = 20 };
  for (int i = 0; i < kTimes; ++i) {
    MPI_Request request;
    int flag = 0, looks = 0;
    MPI_Irecv(in, 1, MPI_BYTE, (me + ranks - 1) % ranks, kTag, MPI_COMM_WORLD, &request);
    leave_together(MPI_COMM_WORLD);
    const double begin = own_ns();
    while (looks < kLooks && !flag) {
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      ++looks;
    }
    one_ns[i] = (own_ns() - begin) / looks;
    MPI_Send(out, 1, MPI_BYTE, (me + 1) % ranks, kTag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return summarize(one_ns, kTimes).median;
}

static void report_look(int ranks) {
  const double forward = crowd_ns(ranks), ns = look_ns(ranks);
  record_begin("logp");
  record_text("item", "look");
  record_number("look_ns", ns);
  record_number("forward_ns", forward);
  record_end();
}

int main(int argc, char** argv) {
  int ranks;
  struct word_list items = {3, {"eager", "look", "messages"}};
  struct number_list sizes = {3, {1, 1024, 65536}};
  double count = messages;
  cores_take();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const struct argument table[] = {{.name = "items", .words = &items},
                                   {.name = "bytes", .numbers = &sizes},
                                   {.name = "count", .number = &count},
                                   {.name = "milliseconds", .number = &milliseconds},
                                   {0}};
  arguments_parse(argc, argv, table);
  cores_confirm();
  const int only_looks = items.count == 1 && strcmp(items.words[0], "look") == 0;
  if (ranks < 2 || (ranks > 2 && !only_looks)) refuse("logp", "needs two ranks, or --items look");
  if (ranks > kMostRanks) refuse("logp", "at most 256 ranks");
  if (count < 2 || count > kMostMessages) refuse("--count", "2 to 64 messages");
  messages = (int)count;
  size_t longest = 1;
  for (int s = 0; s < sizes.count; ++s) longest = sizes.numbers[s] > longest ? sizes.numbers[s] : longest;
  const size_t room = longest * (size_t)messages > kMostEager ? longest * (size_t)messages : kMostEager;
  out = calloc(room, 1);
  in = calloc(room, 1);
  if (longest >= 1 << 30 || out == NULL || in == NULL) refuse("--bytes", "there is not enough memory");
  ticks_calibrate();
  const struct eager eager = only_looks ? (struct eager){0} : find_eager();
  for (int i = 0; i < items.count; ++i) {
    if (strcmp(items.words[i], "eager") == 0) report_eager(&eager);
    else if (strcmp(items.words[i], "look") == 0) report_look(ranks);
    else
      for (int s = 0; s < sizes.count; ++s) measure(sizes.numbers[s], eager.bytes);
  }
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
