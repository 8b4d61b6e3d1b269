// SPDX-License-Identifier: BSD-3-Clause
// Preloaded, makes MPICH 4.0 yield where it waits: it polls UCX without an end, so that where ranks outnumber
// cores each message takes the scheduler's time slices. Not part of what is tested, with Weft or without.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

enum { kPollsBeforeYield = 20 };

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*poll)(void*);
  static __thread int idle;
  if (!poll) *(void**)&poll = dlsym(dlopen("libucp.so.0", RTLD_LAZY), "ucp_worker_progress");
  const unsigned events = poll(worker);
  idle = events ? 0 : idle + 1;
  if (idle >= kPollsBeforeYield) sched_yield();
  return events;
}
