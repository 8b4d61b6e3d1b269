// SPDX-License-Identifier: BSD-3-Clause
// What the child of a fork has of its parent's connections: prints how many sockets fewer than rank 0 itself.
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

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  const int own = sockets();
  const pid_t child = fork();
  if (child == 0) _exit(own - sockets());
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status), "child");
  int sum = 1;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == world_size, "%d", sum);
  return end("%d", WEXITSTATUS(status));
}
