// SPDX-License-Identifier: BSD-3-Clause
// An Ethernet switch in user space, with a constant delay and random loss: every frame reaches its port a
// fixed time after it was read, or, by chance, never.
//
//   delay_switch --ports 2 --delay-us 200 --loss-percent 1 --seed 1
//
//   host 0 ── port0 ─┐                               ┌─► port0
//                    ├─► queue in order of arrival ──┤              a frame leaves when it is due
//   host 1 ── port1 ─┘                               └─► port1
//
// It makes the TAP interfaces port0, port1, … in its own network namespace and says {"ready": true}; then
// each is moved into a host's namespace, which leaves it tied to this process. Nothing is learnt about
// addresses: the last two bytes of a MAC address are the number of the port plus one. Between frames it
// sleeps. SIGTERM or SIGINT, or the end of the process that started it, ends it with its counters as one line
// of JSON:
//
//   frames, bytes   that were read from the ports
//   lost            by chance, as asked for
//   dropped         because the queue was full: the network was not the one that was asked for
//   forwarded       written to a port; a broadcast counts once per port
//   refused         by a port that is not there or not up
//   late_us_…       how long after its due time a frame was written
//   real_time       whether the kernel runs it before ordinary processes (SCHED_FIFO)
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
  kMostPorts = 250,
  kQueueFrames = 1 << 14,  // 160 ms of a gigabit's full frames
  kFrameBytes = 2032,      // more than an MTU of 1500 needs
  kReadsPerTurn = 64,      // from one port, so that none is starved
  kPriority = 50,
};

struct frame {
  int64_t due_ns;
  int from;
  int length;
  unsigned char data[kFrameBytes];
};

// A delay that is the same for all keeps the queue in order of due times. Frame number n is in slot n %
// kQueueFrames.
static struct frame queue[kQueueFrames];
static uint64_t first, end;

static int ports[kMostPorts];
static long port_count = 2, seed = 1;
static double delay_us = 0, loss_percent = 0;
static int poller;

static struct {
  long frames, bytes, lost, dropped, forwarded, refused;
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

static double number(const char* option, const char* text, double least, double most) {
  char* rest;
  const double value = strtod(text, &rest);
  if (rest == text || *rest != '\0' || !(value >= least && value <= most)) {
    fprintf(stderr, "delay_switch: --%s %s: must be a number from %g to %g\n", option, text, least, most);
    exit(2);
  }
  return value;
}

static void parse(int argc, char** argv) {
  static const struct option table[] = {{"ports", required_argument, NULL, 'p'},
                                        {"delay-us", required_argument, NULL, 'd'},
                                        {"loss-percent", required_argument, NULL, 'l'},
                                        {"seed", required_argument, NULL, 's'},
                                        {0}};
  int which, option;
  while ((option = getopt_long(argc, argv, "", table, &which)) != -1) {
    if (option == 'p') port_count = (long)number("ports", optarg, 1, kMostPorts);
    else if (option == 'd') delay_us = number("delay-us", optarg, 0, 1e7);
    else if (option == 'l') loss_percent = number("loss-percent", optarg, 0, 100);
    else if (option == 's') seed = (long)number("seed", optarg, 0, 1e9);
    else exit(2);
  }
  if (optind < argc) {
    fprintf(stderr, "delay_switch: %s: only options are understood\n", argv[optind]);
    exit(2);
  }
}

static void open_port(int i) {
  struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
  snprintf(request.ifr_name, sizeof request.ifr_name, "port%d", i);
  ports[i] = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (ports[i] < 0) fail("/dev/net/tun");
  if (ioctl(ports[i], TUNSETIFF, &request) < 0) fail(request.ifr_name);
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)i};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, ports[i], &event) < 0) fail("epoll_ctl");
}

static void write_to(int port, const struct frame* frame) {
  const int known = port >= 0 && port < port_count;
  if (known && write(ports[port], frame->data, (size_t)frame->length) == frame->length) ++counters.forwarded;
  else ++counters.refused;
}

static void forward(const struct frame* frame) {
  const int to_all = frame->data[0] & 1;
  if (!to_all) write_to((frame->data[4] << 8 | frame->data[5]) - 1, frame);
  for (int i = 0; to_all && i < port_count; ++i)
    if (i != frame->from) write_to(i, frame);
}

static void forward_what_is_due(void) {
  for (; first < end; ++first) {
    const struct frame* frame = &queue[first % kQueueFrames];
    const double late_ns = (double)(now_ns() - frame->due_ns);
    if (late_ns < 0) return;
    counters.late_ns_sum += late_ns;
    if (late_ns > counters.late_ns_max) counters.late_ns_max = late_ns;
    forward(frame);
  }
}

// A frame for which there is no room is read all the same: unread, it would keep the switch awake.
static void read_from(int port) {
  static struct frame no_room;
  for (int i = 0; i < kReadsPerTurn; ++i) {
    const int full = end - first == kQueueFrames;
    struct frame* frame = full ? &no_room : &queue[end % kQueueFrames];
    frame->length = (int)read(ports[port], frame->data, kFrameBytes);
    if (frame->length <= 0) return;
    ++counters.frames;
    counters.bytes += frame->length;
    if (drand48() * 100 < loss_percent) {
      ++counters.lost;
    } else if (full) {
      ++counters.dropped;
    } else {
      frame->from = port;
      frame->due_ns = now_ns() + (int64_t)(delay_us * 1000);
      ++end;
    }
  }
}

// Until a frame comes, the first one is due, or a signal: only here are signals let through, so that none is
// missed.
static int sleep_until(struct epoll_event* events, int room, const sigset_t* usual_signals) {
  int64_t left = first < end ? queue[first % kQueueFrames].due_ns - now_ns() : 0;
  if (left < 0) left = 0;
  const struct timespec timeout = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
  const int count = epoll_pwait2(poller, events, room, first < end ? &timeout : NULL, usual_signals);
  if (count < 0 && errno != EINTR) fail("epoll_pwait2");
  return count;
}

static void print_counters(int real_time) {
  const long queued = counters.frames - counters.lost - counters.dropped - (long)(end - first);
  printf(
      "{\"frames\": %ld, \"bytes\": %ld, \"lost\": %ld, \"dropped\": %ld, \"forwarded\": %ld, \"refused\": "
      "%ld, ",
      counters.frames, counters.bytes, counters.lost, counters.dropped, counters.forwarded, counters.refused);
  printf("\"late_us_mean\": %.1f, \"late_us_max\": %.1f, \"real_time\": %s}\n",
         queued > 0 ? counters.late_ns_sum / (double)queued / 1e3 : 0.0, counters.late_ns_max / 1e3,
         real_time ? "true" : "false");
}

int main(int argc, char** argv) {
  parse(argc, argv);
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
  for (int i = 0; i < port_count; ++i) open_port(i);
  srand48(seed);
  prctl(PR_SET_TIMERSLACK, 1);
  // Behind ranks that spin, it would be the scheduler's time slices that are measured.
  const struct sched_param priority = {.sched_priority = kPriority};
  const int real_time = sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
  puts("{\"ready\": true}");
  fflush(stdout);

  struct epoll_event events[kMostPorts];
  while (!stopped) {
    const int ready = sleep_until(events, kMostPorts, &usual);
    for (int i = 0; i < ready; ++i) read_from((int)events[i].data.u32);
    forward_what_is_due();
  }
  print_counters(real_time);
  return 0;
}
