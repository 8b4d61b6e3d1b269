// SPDX-License-Identifier: BSD-3-Clause
#include "eager.h"

#include <mpi.h>
#include <string.h>

#include "harness/synchronise.h"
#include "harness/ticks.h"

enum { kProbeTag = 79, kNoTag = 80, kTries = 3 };
static const double kLateNs = 2e6;

// Its progress goes on, without which some MPIs' eager sends do not return either.
static void in_mpi_for(double ns) {
  const int64_t end = ticks_now() + ticks_from_ns(ns);
  int flag;
  while (ticks_now() < end) MPI_Iprobe(0, kNoTag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

// Whether a send of this size returns before its receive is posted, most times: a rank that loses its core
// may make it look either way.
static int is_eager(char* buffer, long bytes, double late_ns) {
  int me, found = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int i = 0; i < kTries; ++i) {
    leave_together(MPI_COMM_WORLD);
    if (me == 0) {
      const int64_t begin = ticks_now();
      MPI_Send(buffer, (int)bytes, MPI_BYTE, 1, kProbeTag, MPI_COMM_WORLD);
      found += ticks_to_ns(ticks_now() - begin) < late_ns / 2;
    } else {
      in_mpi_for(late_ns);
      MPI_Recv(buffer, (int)bytes, MPI_BYTE, 0, kProbeTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Bcast(&found, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return found > kTries / 2;
}

long eager_limit(char* buffer, long most, double round_trip_ns) {
  const double late_ns = round_trip_ns > kLateNs / 4 ? 4 * round_trip_ns : kLateNs;
  if (is_eager(buffer, most, late_ns)) return most;
  long eager = 0, waits = most;
  while (waits - eager > 1) {
    const long middle = eager + (waits - eager) / 2;
    if (is_eager(buffer, middle, late_ns)) eager = middle;
    else waits = middle;
  }
  return eager;
}

// An integer of whatever type the variable has.
static int read_variable(int index, MPI_Datatype type, long* value) {
  MPI_T_cvar_handle handle;
  int count = 0, size = 0;
  if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) return 0;
  union {
    int as_int;
    long long as_long;
    char room[256];
  } read = {.room = {0}};
  MPI_Type_size(type, &size);
  const int fits = count == 1 && (size == sizeof read.as_int || size == sizeof read.as_long) &&
                   MPI_T_cvar_read(handle, &read) == MPI_SUCCESS;
  MPI_T_cvar_handle_free(&handle);
  if (fits) *value = size == sizeof read.as_int ? read.as_int : (long)read.as_long;
  return fits;
}

static int read_named(const char* name, long* value) {
  int variables = 0;
  MPI_T_cvar_get_num(&variables);
  for (int i = 0; i < variables; ++i) {
    char found[256] = "";
    int length = sizeof found, description_length = 0, verbosity, binding, scope;
    MPI_Datatype type;
    if (MPI_T_cvar_get_info(i, found, &length, &verbosity, &type, NULL, NULL, &description_length, &binding,
                            &scope) == MPI_SUCCESS &&
        strcmp(found, name) == 0)
      return read_variable(i, type, value) && *value > 0;
  }
  return 0;
}

const char* eager_variable(int same_node, long* value) {
  static const char* const of_node[] = {"btl_sm_eager_limit", "btl_vader_eager_limit", NULL};
  static const char* const of_network[] = {"btl_tcp_eager_limit", "MPIR_CVAR_CH4_OFI_EAGER_THRESHOLD", NULL};
  int provided;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return NULL;
  const char* found = NULL;
  for (const char* const* name = same_node ? of_node : of_network; *name != NULL && found == NULL; ++name)
    if (read_named(*name, value)) found = *name;
  MPI_T_finalize();
  return found;
}
