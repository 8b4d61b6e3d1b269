// SPDX-License-Identifier: BSD-3-Clause
#include "forwarder.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMostSwitches = 64 };
static const char kName[] = "delay_switch\n";

static int is_switch(const char* process) {
  char path[300], name[32] = "";
  snprintf(path, sizeof path, "/proc/%s/comm", process);
  FILE* file = fopen(path, "r");
  if (file == NULL) return 0;
  const int found = fgets(name, sizeof name, file) != NULL && strcmp(name, kName) == 0;
  fclose(file);
  return found;
}

// Those that ran at the first call: the ranks end before their switch does.
static int find_switches(clockid_t* clocks) {
  DIR* processes = opendir("/proc");
  if (processes == NULL) return 0;
  int count = 0;
  for (struct dirent* entry; count < kMostSwitches && (entry = readdir(processes)) != NULL;) {
    const long process = strtol(entry->d_name, NULL, 10);
    if (process > 0 && is_switch(entry->d_name) && clock_getcpuclockid((pid_t)process, &clocks[count]) == 0)
      ++count;
  }
  closedir(processes);
  return count;
}

static double ns_of(clockid_t clock) {
  struct timespec spent;
  return clock_gettime(clock, &spent) == 0 ? (double)spent.tv_sec * 1e9 + (double)spent.tv_nsec : 0;
}

double forwarder_ns(void) {
  static clockid_t clocks[kMostSwitches];
  static int count = -1;
  if (count < 0) count = find_switches(clocks);
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += ns_of(clocks[i]);
  return count > 0 ? sum : NAN;
}

double own_ns(void) { return ns_of(CLOCK_THREAD_CPUTIME_ID); }
