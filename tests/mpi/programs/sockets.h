// SPDX-License-Identifier: BSD-3-Clause
// The sockets that Weft has in this process: those that a child of it does not have.
#pragma once

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int sockets(void) {
  DIR* const folder = opendir("/proc/self/fd");
  int count = 0;
  for (const struct dirent* one = NULL; (one = readdir(folder)) != NULL;) {
    char path[300], target[64] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%s", one->d_name);
    if (readlink(path, target, sizeof target - 1) > 0 && strncmp(target, "socket:", 7) == 0) ++count;
  }
  closedir(folder);
  return count;
}

static inline int sockets_of_weft(void) {
  const int own = sockets();
  const pid_t child = fork();
  if (child == 0) _exit(own - sockets());
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status), "child");
  return WEXITSTATUS(status);
}
