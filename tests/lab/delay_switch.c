// SPDX-License-Identifier: BSD-3-Clause
// An Ethernet switch in user space, as slow and as bad as asked for: every frame reaches its port a fixed
// time after it was read, or, by chance, never, twice, or behind those that followed it.
//
//   delay_switch --ports 3 --seed 1 --delay-us 200 --loss-percent 1 --port 2 --megabits 100
//
//   host 0 ── link 0 ─┐                                 ┌─ link 0 ──► host 0
//                     ├─► heap in order of due times ───┤
//   host 1 ── link 1 ─┘                                 └─ link 1 ──► host 1
//
// What stands behind --port I is about the link of that port alone. A frame goes by two links, and has the
// delay and the chances of the worse of them. A link with a rate sends one frame after the other, in each
// direction; what it cannot send at once waits in a queue of kLinkQueueBytes, and is lost when that is full.
//
// Like a network adapter it takes several frames of a TCP connection as one long one, whose checksum is left
// out: most of what a full link costs the kernel is per frame. On a link it is as long as those it stands
// for. They share their fate; whoever wants them lost one by one lets hosts make none that are longer than
// their MTU (ip link set … gso_max_segs 1).
//
// It makes the TAP interfaces port0, port1, … in its own network namespace and says {"ready": true}; then
// each is moved into a host's namespace, which leaves it tied to this process. Nothing is learnt about
// addresses: the last two bytes of a MAC address are the number of the port plus one. Between frames it
// sleeps; what it computes it takes from all cores in turn. SIGTERM or SIGINT, or the end of the process that
// started it, ends it with its counters as one line of JSON:
//
//   frames, bytes   that were read from the ports
//   lost, duplicated, reordered   by chance, as asked for
//   overflowed      because the queue of a link was full, as asked for by its rate
//   dropped         because the switch was full: the network was not the one that was asked for
//   forwarded       written to a port; a broadcast counts once per port
//   refused         by a port that is not there or not up
//   late_us_…       how long after its due time a frame was written
//   real_time       whether the kernel runs it before ordinary processes (SCHED_FIFO)
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "delay_switch_options.h"

enum {
  kMostFrames = 1 << 14,   // 200 ms of a gigabit's full frames
  kFrameBytes = 66 << 10,  // of which a long one needs 64 KiB and an Ethernet header; most are never touched
  kReadsPerTurn = 64,      // from one port, so that none is starved ...
  kBytesPerTurn = 128 << 10,  // ... and none is late
  kLinkQueueBytes = 1514000,  // 1000 full frames, as Linux keeps for an interface unless told otherwise
  kBehindNs = 500 * 1000,     // by so much a frame comes late that others are to overtake
  kPriority = 50,
  kTurnNs = 500 * 1000,  // of computing; then the next core has to bear it
};

struct port {
  int file;
  const struct settings* settings;
  int64_t up_free_ns, down_free_ns;    // when the link has sent what it has to send
  unsigned short random[kChances][3];  // what becomes of a host's frames depends on no other's
};

struct frame {
  int64_t due_ns;
  uint64_t number;  // of those that are due at one time, the one that came first goes first
  int64_t head_ns;  // so long before its end its beginning had come over the first link
  int from, length, copies;
  int to;         // a port, or kToAll
  int is_behind;  // the switch, with the link of its receiver before it
  struct virtio_net_hdr offload;
  unsigned char data[kFrameBytes];
};
enum { kToAll = -1 };

// A heap: heap[i] is due no later than heap[2 i + 1] and heap[2 i + 2]. Behind its end are the frames not in
// use.
static struct frame frames[kMostFrames];
static struct frame* heap[kMostFrames];
static int heap_size;

static struct port ports[kMostPorts];
static struct options options;
static int poller;

static struct {
  long frames, bytes, by_chance[kChances], overflowed, dropped, departed, forwarded, refused;
  double late_ns_sum, late_ns_max;
} counters;

static volatile sig_atomic_t stopped;

static void stop(int signal_number) {
  (void)signal_number;
  stopped = 1;
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static _Noreturn void fail(const char* what) {
  fprintf(stderr, "delay_switch: %s: %s\n", what, strerror(errno));
  exit(2);
}

// The first numbers of streams whose seeds are close together are close together as well.
static void seed_chances(int i) {
  for (int which = 0; which < kChances; ++which) {
    unsigned short* random = ports[i].random[which];
    random[0] = (unsigned short)(0x330e + i * kChances + which);
    random[1] = (unsigned short)options.seed;
    random[2] = (unsigned short)(options.seed >> 16);
    for (int k = 0; k < 4; ++k) erand48(random);
  }
}

static void open_port(int i) {
  struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR};
  snprintf(request.ifr_name, sizeof request.ifr_name, "port%d", i);
  ports[i].file = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (ports[i].file < 0) fail("/dev/net/tun");
  if (ioctl(ports[i].file, TUNSETIFF, &request) < 0) fail(request.ifr_name);
  if (ioctl(ports[i].file, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6) < 0) fail("TUNSETOFFLOAD");
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)i};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, ports[i].file, &event) < 0) fail("epoll_ctl");
}

static int is_port(int port) { return port >= 0 && port < options.port_count; }

static int goes_before(const struct frame* a, const struct frame* b) {
  return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->number < b->number;
}

static void swap(int i, int j) {
  struct frame* frame = heap[i];
  heap[i] = heap[j];
  heap[j] = frame;
}

static void sink(int i) {
  for (int least = i;; i = least) {
    for (int child = 2 * i + 1; child <= 2 * i + 2 && child < heap_size; ++child)
      if (goes_before(heap[child], heap[least])) least = child;
    if (least == i) return;
    swap(i, least);
  }
}

// The frame behind the end of the heap becomes part of it.
static void add_next(void) {
  for (int i = heap_size++; i > 0 && goes_before(heap[i], heap[(i - 1) / 2]); i = (i - 1) / 2)
    swap(i, (i - 1) / 2);
}

static void remove_first(void) {
  swap(0, --heap_size);
  sink(0);
}

// A frame has the delay and the chances of the worse of its two links.
static double worse(const struct frame* frame, size_t field) {
  const int both[] = {frame->from, is_port(frame->to) ? frame->to : frame->from};
  double value[2];
  for (int i = 0; i < 2; ++i)
    memcpy(&value[i], (const char*)ports[both[i]].settings + field, sizeof value[i]);
  return value[0] > value[1] ? value[0] : value[1];
}

static int happens(enum chance which, const struct frame* frame) {
  const int does = erand48(ports[frame->from].random[which]) * 100 <
                   worse(frame, offsetof(struct settings, percent[which]));
  counters.by_chance[which] += does;
  return does;
}

static double ns_per_byte_of(const struct settings* link) {
  return link->megabits > 0 ? 8e3 / link->megabits : 0;
}

// Of a long frame: TCP's begins where its checksum does, and has its own length, in words, in its byte 12.
static int header_bytes(const struct frame* frame) {
  const int tcp = frame->offload.csum_start;
  return tcp + 12 < frame->length ? tcp + (frame->data[tcp + 12] >> 4) * 4 : frame->length;
}

// How many frames a long one stands for.
static int frame_count(const struct frame* frame) {
  const int most = frame->offload.gso_size, payload = frame->length - header_bytes(frame);
  return most > 0 && payload > 0 ? (payload + most - 1) / most : 1;
}

// In bytes. Each frame that a long one stands for has headers of its own.
static int length_on_link(const struct frame* frame) {
  return frame->length + (frame_count(frame) - 1) * header_bytes(frame);
}

// Sends a frame over a link that is free from *free_ns on: when it has arrived, or -1 where the queue before
// the link is full.
static int64_t over_link(const struct settings* link, int64_t* free_ns, int64_t from_ns, int length) {
  if (link->megabits == 0) return from_ns;
  const double ns_per_byte = ns_per_byte_of(link);
  const int64_t start_ns = *free_ns > from_ns ? *free_ns : from_ns;
  if ((double)(start_ns - from_ns) > kLinkQueueBytes * ns_per_byte) {
    ++counters.overflowed;
    return -1;
  }
  return *free_ns = start_ns + (int64_t)(length * ns_per_byte);
}

static void write_to(int port, const struct frame* frame) {
  const struct iovec parts[] = {{(void*)&frame->offload, sizeof frame->offload},
                                {(void*)frame->data, (size_t)frame->length}};
  if (is_port(port) && writev(ports[port].file, parts, 2) > 0) ++counters.forwarded;
  else ++counters.refused;
}

static void forward(const struct frame* frame) {
  if (frame->to != kToAll) write_to(frame->to, frame);
  for (int i = 0; frame->to == kToAll && i < options.port_count; ++i)
    if (i != frame->from) write_to(i, frame);
}

// Whether the first frame is still on its way: it has come through the switch, and now its receiver's link
// has to send it. Of a long one the link sends the beginning while the end is still coming.
static int enters_last_link(struct frame* frame) {
  if (frame->is_behind || !is_port(frame->to)) return 0;
  struct port* port = &ports[frame->to];
  frame->is_behind = 1;
  if (port->settings->megabits == 0) return 0;
  const int64_t begin_ns = frame->due_ns - frame->head_ns;
  const int64_t end_ns = over_link(port->settings, &port->down_free_ns, begin_ns, length_on_link(frame));
  frame->due_ns = end_ns > frame->due_ns ? end_ns : frame->due_ns;
  if (end_ns < 0) remove_first();
  else sink(0);
  return 1;
}

static void forward_what_is_due(void) {
  while (heap_size > 0) {
    struct frame* frame = heap[0];
    const double late_ns = (double)(now_ns() - frame->due_ns);
    if (late_ns < 0) return;
    if (enters_last_link(frame)) continue;
    counters.late_ns_sum += late_ns;
    if (late_ns > counters.late_ns_max) counters.late_ns_max = late_ns;
    ++counters.departed;
    for (int i = 0; i < frame->copies; ++i) forward(frame);
    remove_first();
  }
}

// A frame for which there is no room is read all the same: unread, it would keep the switch awake.
static void read_from(int i) {
  static struct frame no_room;
  struct port* port = &ports[i];
  for (int reads = 0, bytes = 0; reads < kReadsPerTurn && bytes < kBytesPerTurn; ++reads) {
    const int full = heap_size == kMostFrames;
    struct frame* frame = full ? &no_room : heap[heap_size];
    const struct iovec parts[] = {{&frame->offload, sizeof frame->offload}, {frame->data, kFrameBytes}};
    frame->length = (int)(readv(port->file, parts, 2) - (ssize_t)sizeof frame->offload);
    if (frame->length <= 0) return;
    bytes += frame->length;
    frame->number = (uint64_t)++counters.frames;
    counters.bytes += frame->length;
    frame->from = i;
    frame->to = frame->data[0] & 1 ? kToAll : (frame->data[4] << 8 | frame->data[5]) - 1;
    frame->is_behind = 0;
    if (happens(kLoss, frame)) continue;
    frame->copies = happens(kDuplicate, frame) ? 2 : 1;
    const int64_t behind_ns = happens(kReorder, frame) ? kBehindNs : 0;
    if (full) {
      ++counters.dropped;
      continue;
    }
    const int length = length_on_link(frame);
    const int64_t sent_ns = over_link(port->settings, &port->up_free_ns, now_ns(), length);
    if (sent_ns < 0) continue;
    frame->head_ns = (int64_t)((length - length / frame_count(frame)) * ns_per_byte_of(port->settings));
    frame->due_ns = sent_ns + behind_ns + (int64_t)(worse(frame, offsetof(struct settings, delay_us)) * 1000);
    add_next();
  }
}

// Until a frame comes, the first one is due, or a signal: only here are signals let through, so that none is
// missed.
static int sleep_until(struct epoll_event* events, int room, const sigset_t* usual_signals) {
  int64_t left = heap_size > 0 ? heap[0]->due_ns - now_ns() : 0;
  if (left < 0) left = 0;
  const struct timespec timeout = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
  const int count = epoll_pwait2(poller, events, room, heap_size > 0 ? &timeout : NULL, usual_signals);
  if (count < 0 && errno != EINTR) fail("epoll_pwait2");
  return count;
}

// What the switch computes a core takes from the rank that runs there, and the others wait for that one. An
// adapter would take nothing from anybody, so at least it is taken from all alike.
static void take_turns(const cpu_set_t* cores) {
  static int64_t turn_ends_ns = kTurnNs;
  static int core = -1;
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  const int64_t used_ns = used.tv_sec * INT64_C(1000000000) + used.tv_nsec;
  if (used_ns < turn_ends_ns || CPU_COUNT(cores) < 2) return;
  turn_ends_ns = used_ns + kTurnNs;
  do core = (core + 1) % CPU_SETSIZE;
  while (!CPU_ISSET(core, cores));
  cpu_set_t next;
  CPU_ZERO(&next);
  CPU_SET(core, &next);
  sched_setaffinity(0, sizeof next, &next);
}

static void print_counters(int real_time) {
  const struct {
    const char* name;
    long value;
  } counts[] = {{"frames", counters.frames},
                {"bytes", counters.bytes},
                {"lost", counters.by_chance[kLoss]},
                {"duplicated", counters.by_chance[kDuplicate]},
                {"reordered", counters.by_chance[kReorder]},
                {"overflowed", counters.overflowed},
                {"dropped", counters.dropped},
                {"forwarded", counters.forwarded},
                {"refused", counters.refused}};
  putchar('{');
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
    printf("\"%s\": %ld, ", counts[i].name, counts[i].value);
  const double departed = counters.departed > 0 ? (double)counters.departed : 1;
  printf("\"late_us_mean\": %.1f, \"late_us_max\": %.1f, \"real_time\": %s}\n",
         counters.late_ns_sum / departed / 1e3, counters.late_ns_max / 1e3, real_time ? "true" : "false");
}

int main(int argc, char** argv) {
  parse(argc, argv, &options);
  sigset_t ending, usual;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  sigprocmask(SIG_BLOCK, &ending, &usual);
  sigdelset(&usual, SIGTERM);
  sigdelset(&usual, SIGINT);
  const struct sigaction action = {.sa_handler = stop};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  prctl(PR_SET_PDEATHSIG, SIGTERM);

  poller = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < kMostFrames; ++i) heap[i] = &frames[i];
  for (int i = 0; i < options.port_count; ++i) {
    ports[i].settings = &options.links[i];
    seed_chances(i);
    open_port(i);
  }
  prctl(PR_SET_TIMERSLACK, 1);
  // Behind ranks that spin, it would be the scheduler's time slices that are measured.
  const struct sched_param priority = {.sched_priority = kPriority};
  const int real_time = sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  puts("{\"ready\": true}");
  fflush(stdout);

  struct epoll_event events[kMostPorts];
  while (!stopped) {
    const int ready = sleep_until(events, kMostPorts, &usual);
    for (int i = 0; i < ready; ++i) read_from((int)events[i].data.u32);
    forward_what_is_due();
    take_turns(&cores);
  }
  print_counters(real_time);
  return 0;
}
