// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into ranks that outnumber the cores, makes them sleep for a moment where they would give their
// core away and look again: who only looks takes the cores from those that have something to do. MPICH 4.0
// does not even yield: it polls UCX without an end, so that each message takes the scheduler's time slices.
// Not part of what is tested, with Weft or without.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

enum { kMomentNs = 50000, kMoreNs = 1000, kPollsBeforeSleep = 20 };

__attribute__((constructor)) static void sleep_no_longer(void) { prctl(PR_SET_TIMERSLACK, kMoreNs); }

int sched_yield(void) {
  const struct timespec moment = {0, kMomentNs};
  nanosleep(&moment, NULL);
  return 0;
}

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*poll)(void*);
  static __thread int idle;
  if (!poll) *(void**)&poll = dlsym(dlopen("libucp.so.0", RTLD_LAZY), "ucp_worker_progress");
  const unsigned events = poll(worker);
  idle = events ? 0 : idle + 1;
  if (idle >= kPollsBeforeSleep) sched_yield();
  return events;
}
