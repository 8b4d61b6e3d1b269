// SPDX-License-Identifier: BSD-3-Clause
// Pairs of ranks that speak with one another alone, and part at different times. Prints how many sockets of
// Weft's rank 0 has then: those that a child of it does not have.
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

static int sockets_of_weft(void) {
  const int own = sockets();
  const pid_t child = fork();
  if (child == 0) _exit(own - sockets());
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status), "child");
  return WEXITSTATUS(status);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank / 2, world_rank, &pair);
  for (int i = 0; i < 100; ++i) {
    int sum = world_rank, partner = world_rank ^ 1;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, pair);
    CHECK(sum == world_rank + partner, "%d", sum);
  }
  MPI_Comm_free(&pair);
  const int found = world_rank == 0 ? sockets_of_weft() : 0;
  usleep(world_rank / 2 * 50000);
  return end("%d", found);
}
