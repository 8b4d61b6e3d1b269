// SPDX-License-Identifier: BSD-3-Clause
// Says which process each rank is, and then runs until somebody ends it; "stubborn" ranks ignore what asks
// them to.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char** words) {
  MPI_Init(&count, &words);
  if (count > 1) {
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  printf("process %d\n", (int)getpid());
  fflush(stdout);
  for (;;) sleep(1);
}
