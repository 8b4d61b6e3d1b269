// SPDX-License-Identifier: BSD-3-Clause
// Noise for one core, as a daemon of the operating system makes it: wakes up at a frequency and multiplies
// matrices for a duration. No MPI; one process per core. Says "ready" when it begins; ends after --seconds at
// the latest, at SIGTERM, and with its parent. Its last words are one JSON line with what it really did.
//
//   noise_injector --core 0 --frequency 1000 --duration 200 --seconds 60
//
//   --frequency  wakeups per second           --duration  microseconds of CPU time per wakeup
//   --phase      of its wakeups against the clock's, in periods from 0 to 1: the noise of several cores
//                comes at different moments
//
// It takes at most 30 % of its core: more is refused, and a wakeup that would exceed it is held back. Under
// SCHED_FIFO it comes as soon as it is due; where that is not permitted it is an ordinary process, and says
// so. (Kandalla et al., 2012, section VII D: 50-200 us, 20 Hz-1 kHz, one daemon per core.)
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "small_product.h"

static const double kMostOfACore = 0.30, kMostSeconds = 3600;

static double core = -1, frequency_hz = 0, duration_us = 0, seconds = 0, phase = 0;
static volatile sig_atomic_t ended = 0;

struct account {
  long due;  // wakeups; each is one of the next three
  long bursts, missed, held_back;
  double busy_ns, longest_ns;  // of CPU time
  double latest_ns;            // from when a wakeup was due to when it came
  double elapsed_ns;
};

static _Noreturn void refuse(const char* what) {
  fprintf(stderr, "noise_injector: %s\n", what);
  exit(2);
}

static void parse(int argc, char** argv) {
  const struct {
    const char* name;
    double* value;
  } options[] = {{"--core", &core},
                 {"--frequency", &frequency_hz},
                 {"--duration", &duration_us},
                 {"--seconds", &seconds},
                 {"--phase", &phase}};
  enum { kOptions = sizeof options / sizeof *options };
  for (int i = 1; i < argc; i += 2) {
    int o = 0;
    while (o < kOptions && strcmp(argv[i], options[o].name) != 0) ++o;
    if (o == kOptions)
      refuse("options are --core, --frequency, --duration, --seconds and --phase, with a number each");
    char* end = NULL;
    if (i + 1 < argc) *options[o].value = strtod(argv[i + 1], &end);
    if (end == NULL || end == argv[i + 1] || *end != '\0' || !isfinite(*options[o].value))
      refuse("every option needs a number");
  }
}

static void check(void) {
  if (core < 0 || core >= CPU_SETSIZE || core != floor(core)) refuse("--core: give the number of a core");
  if (frequency_hz < 1 || frequency_hz > 10000) refuse("--frequency: 1 to 10000 Hz");
  if (duration_us < 10) refuse("--duration: at least 10 microseconds");
  if (seconds <= 0 || seconds > kMostSeconds) refuse("--seconds: more than 0, at most 3600");
  if (phase < 0 || phase >= 1) refuse("--phase: from 0 to below 1");
  if (frequency_hz * duration_us > 1e6 * kMostOfACore)
    refuse("--frequency times --duration is more than 30 % of a core: lower one of them");
}

static int64_t clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

// ---- its place ----

static void end(int signal) {
  (void)signal;
  ended = 1;
}

// At its parent's death it is told so; a parent that died just before prctl is another one after it.
static void end_with_others(void) {
  const struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  const pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) exit(0);
}

static void pin(void) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET((int)core, &only);
  if (sched_setaffinity(0, sizeof only, &only) != 0) refuse("--core: this process may not run there");
}

// Why it is not SCHED_FIFO; null if it is.
static const char* go_before_others(void) {
  const struct sched_param priority = {.sched_priority = 1};
  return sched_setscheduler(0, SCHED_FIFO, &priority) == 0 ? NULL : strerror(errno);
}

// ---- its work ----

static double burst_ns(struct small_product* product) {
  const int64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  int64_t now = begin;
  while ((double)(now - begin) < 1e3 * duration_us) {
    small_product_compute(product);
    now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  }
  return (double)(now - begin);
}

static void sleep_until(int64_t due) {
  const struct timespec moment = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000};
  while (!ended && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL) == EINTR) continue;
}

// Wakeup k is due at origin + k periods. One that has not begun when the next is due is missed: noise that
// was late is not made up for.
static struct account make_noise(struct small_product* product) {
  struct account a = {0};
  const double period_ns = 1e9 / frequency_hz;
  const int64_t begin = clock_ns(CLOCK_MONOTONIC), deadline = begin + (int64_t)(1e9 * seconds);
  const double origin = (floor((double)begin / period_ns) + 1 + phase) * period_ns;
  while (!ended) {
    const double due = origin + (double)a.due * period_ns;
    sleep_until((int64_t)due < deadline ? (int64_t)due : deadline);
    const double late_ns = (double)clock_ns(CLOCK_MONOTONIC) - due;
    if (ended || late_ns < 0) break;
    const long skipped = (long)(late_ns / period_ns);
    a.missed += skipped;
    a.due += skipped + 1;
    if (late_ns > a.latest_ns) a.latest_ns = late_ns;
    if (a.busy_ns + 1e3 * duration_us > kMostOfACore * period_ns * (double)a.due) {
      ++a.held_back;
      continue;
    }
    const double length_ns = burst_ns(product);
    ++a.bursts;
    a.busy_ns += length_ns;
    if (length_ns > a.longest_ns) a.longest_ns = length_ns;
  }
  a.elapsed_ns = (double)(clock_ns(CLOCK_MONOTONIC) - begin);
  return a;
}

static void report(const struct account* a, const char* why_not_fifo, int right) {
  printf("{\"injector\": \"noise\", \"core\": %d, \"scheduler\": \"%s\", ", (int)core,
         why_not_fifo == NULL ? "SCHED_FIFO" : "SCHED_OTHER");
  if (why_not_fifo != NULL) printf("\"why_not_fifo\": \"%s\", ", why_not_fifo);
  printf("\"frequency_hz\": %.9g, \"duration_us\": %.9g, \"elapsed_seconds\": %.9g, ", frequency_hz,
         duration_us, a->elapsed_ns / 1e9);
  printf("\"wakeups_due\": %ld, \"bursts\": %ld, \"missed_wakeups\": %ld, \"held_back\": %ld, ", a->due,
         a->bursts, a->missed, a->held_back);
  printf("\"mean_burst_us\": %.9g, \"longest_burst_us\": %.9g, \"latest_wakeup_us\": %.9g, ",
         a->bursts == 0 ? 0 : a->busy_ns / 1e3 / (double)a->bursts, a->longest_ns / 1e3, a->latest_ns / 1e3);
  printf("\"busy_share\": %.9g, \"right\": %s}\n", a->busy_ns / a->elapsed_ns, right ? "true" : "false");
}

int main(int argc, char** argv) {
  parse(argc, argv);
  check();
  end_with_others();
  pin();
  const char* const why_not_fifo = go_before_others();
  prctl(PR_SET_TIMERSLACK, 1);
  struct small_product product = small_product_make();
  puts("ready");
  fflush(stdout);
  const struct account account = make_noise(&product);
  const int right = account.bursts == 0 || small_product_is_right(&product);
  report(&account, why_not_fifo, right);
  return right ? 0 : 1;
}
