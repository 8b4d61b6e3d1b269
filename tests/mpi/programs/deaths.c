// SPDX-License-Identifier: BSD-3-Clause
// The last rank dies while the others need it. Arguments: how (kill, segv, exit); in the middle of what
// (allreduce, bcast, large, iallreduce, test, queued, persistent). The others are told by an error code, and
// again when they try once more. Each of them leaves a file with its rank's number in the folder that the
// third argument names, since launchers drop what is printed after a death, and ends without MPI_Finalize,
// which nobody could complete. The fourth argument: how many calls come before; 100 without one.
#include <signal.h>
#include <unistd.h>

#include "check.h"

enum { kPatience = 5, kMicrosecondsBefore = 200000, kQueued = 100, kLarge = 1 << 20, kLooksForOthers = 2000 };
static MPI_Comm comm;
static int in[kLarge], out[kLarge];

static void die(const char* how) {
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "exit") == 0) _exit(0);
  signal(SIGSEGV, SIG_DFL);  // the host's handler would print a trace, and take its time
  raise(SIGSEGV);
}

static int waited(MPI_Request* request) { return MPI_Wait(request, MPI_STATUS_IGNORE); }

static int tested(MPI_Request* request) {
  int done = 0, code = MPI_SUCCESS;
  while (!done && code == MPI_SUCCESS) code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
  return code;
}

// Far more than may be under way at once: most of them never start.
static int queued(void) {
  MPI_Request requests[kQueued];
  int code = MPI_SUCCESS;
  for (int i = 0; i < kQueued; ++i) MPI_Iallreduce(out, in + i, 1, MPI_INT, MPI_SUM, comm, &requests[i]);
  for (int i = kQueued; i-- > 0;) {
    const int one = waited(&requests[i]);
    if (one != MPI_SUCCESS) code = one;
  }
  return code;
}

static int persistent(void) {
  static MPI_Request request = MPI_REQUEST_NULL;
  if (request == MPI_REQUEST_NULL)
    INIT(Allreduce)(out, in, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
  const int code = MPI_Start(&request);
  return code != MPI_SUCCESS ? code : waited(&request);
}

static int call(const char* what) {
  MPI_Request request;
  if (strcmp(what, "allreduce") == 0) return MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, comm);
  if (strcmp(what, "large") == 0) return MPI_Allreduce(out, in, kLarge, MPI_INT, MPI_SUM, comm);
  if (strcmp(what, "bcast") == 0) return MPI_Bcast(in, 100, MPI_INT, world_size - 1, comm);
  if (strcmp(what, "queued") == 0) return queued();
  if (strcmp(what, "persistent") == 0) return persistent();
  MPI_Iallreduce(out, in, 1, MPI_INT, MPI_SUM, comm, &request);
  return strcmp(what, "test") == 0 ? tested(&request) : waited(&request);
}

static void expect_an_error(const char* what) {
  int class = MPI_SUCCESS;
  alarm(kPatience);
  const int code = call(what);
  alarm(0);
  CHECK(code != MPI_SUCCESS, "%s", what);
  MPI_Error_class(code, &class);
  CHECK(class == MPI_ERR_OTHER, "error class %d", class);
}

static const char* file_of(const char* folder, int rank) {
  static char name[1000];
  snprintf(name, sizeof name, "%s/%d", folder, rank);
  return name;
}

// Waits for a moment until the others have told, too: they are to find the first death, and not this rank's.
static void tell(const char* folder) {
  FILE* file = fopen(file_of(folder, world_rank), "w");
  CHECK(file != NULL, "%s", file_of(folder, world_rank));
  fclose(file);
  for (int looks = 0, rank = 0; looks < kLooksForOthers && rank < world_size - 1; ++looks) {
    if (access(file_of(folder, rank), F_OK) == 0) ++rank;
    else usleep(1000);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // inherited, and used for requests
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const int rounds = argc > 4 ? atoi(argv[4]) : 100;
  for (int i = 0; i < rounds; ++i) CHECK(call(argv[2]) == MPI_SUCCESS, "round %d", i);
  if (world_rank == world_size - 1) {
    usleep(kMicrosecondsBefore);  // what has reached the others by then counts
    die(argv[1]);
  }
  expect_an_error(argv[2]);
  expect_an_error(argv[2]);
  tell(argv[3]);
  _exit(1);  // as where errors are fatal
}
