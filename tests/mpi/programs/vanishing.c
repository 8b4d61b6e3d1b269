// SPDX-License-Identifier: BSD-3-Clause
// Operations until one fails, because a host has vanished: vanishing FOLDER. Rank 0 leaves a file there when
// it has begun; each rank that is told by an error leaves one with its number, and ends without MPI_Finalize,
// which nobody could complete.
#include <unistd.h>

#include "check.h"

static void leave_file(const char* folder, const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* const file = fopen(path, "w");
  CHECK(file != NULL, "%s", path);
  fclose(file);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int code = MPI_SUCCESS, class = 0;
  for (int round = 0; code == MPI_SUCCESS; ++round) {
    int one = 1, sum = 0;
    MPI_Request request;
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    usleep(1000);
    code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS) CHECK(sum == world_size, "%d", sum);
    if (round == 100 && world_rank == 0) leave_file(argv[1], "begun");
  }
  MPI_Error_class(code, &class);
  CHECK(class == MPI_ERR_OTHER, "class %d", class);
  char name[16];
  snprintf(name, sizeof name, "%d", world_rank);
  leave_file(argv[1], name);
  _exit(0);
}
