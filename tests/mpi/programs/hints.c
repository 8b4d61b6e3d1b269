// SPDX-License-Identifier: BSD-3-Clause
// Hints of communicators: rank 0 prints, a line for each, the plan that an allreduce of 8 bytes gets on
// communicators that were given different MPI_Info keys, and every answer is right.
#define _GNU_SOURCE
#include <dlfcn.h>

#include "../../../include/weft/weft.h"
#include "check.h"

#ifdef MPI_ABI  // mpicc_abi says so; the standard ABI has no Fortran handles in C
#define MPI_Comm_c2f MPI_Comm_toint
#endif

static int (*explain)(int, const char*, int, int64_t, char*, size_t);

static void use(const char* name, MPI_Comm comm) {
  int rank, size, sum = -1;
  char text[300];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < 3; ++i) {
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == size * (size - 1) / 2, "%s: %d", name, sum);
  }
  CHECK(explain((int)MPI_Comm_c2f(comm), "allreduce", 0, 4, text, sizeof text) == WEFT_SUCCESS, "%s", name);
  if (world_rank == 0) printf("%s: %s\n", name, text);
}

static MPI_Info info_of(const char* key, const char* value) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "somebody_elses", "key");
  MPI_Info_set(info, key, value);
  return info;
}

static void duplicate_with(const char* name, const char* key, const char* value) {
  MPI_Comm comm;
  MPI_Info info = info_of(key, value);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  MPI_Info_free(&info);
  use(name, comm);
  MPI_Comm_free(&comm);
}

static void set(const char* name, MPI_Comm comm, const char* key, const char* value) {
  MPI_Info info = info_of(key, value);
  MPI_Comm_set_info(comm, info);
  MPI_Info_free(&info);
  use(name, comm);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  explain = (int (*)(int, const char*, int, int64_t, char*, size_t))dlsym(RTLD_DEFAULT, "weft_explain_on");
  CHECK(explain != NULL, "Weft is loaded");
  MPI_Comm comm;
  use("world", MPI_COMM_WORLD);
  duplicate_with("ring", "weft_algorithm", "allreduce=ring");
  duplicate_with("radix", "weft_algorithm", "allreduce=recursive_k_ing:3,bcast=k_nomial");
  duplicate_with("impossible", "weft_algorithm", "allreduce=magic");
  duplicate_with("malformed", "weft_enable", "perhaps");
  duplicate_with("off", "weft_enable", "0");
  duplicate_with("differ", "weft_algorithm",
                 world_rank == 0 ? "allreduce=ring" : "allreduce=recursive_k_ing");
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);  // nobody knows yet where the others are
  set("set hierarchy", comm, "weft_hierarchy", "socket+node");
  MPI_Comm_free(&comm);
  duplicate_with("hierarchy", "weft_hierarchy", "socket+node");

  MPI_Info info = info_of("weft_algorithm", "allreduce=ring");
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, info, &comm);
  MPI_Info_free(&info);
  use("split", comm);
  MPI_Comm copy;
  MPI_Comm_dup(comm, &copy);
  use("copy", copy);
  MPI_Comm_free(&copy);
  MPI_Request pending;
  int in = world_rank, out = -1;
  MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, comm, &pending);  // by the former plan
  set("set", comm, "weft_algorithm", "allreduce=recursive_k_ing:4");
  MPI_Wait(&pending, MPI_STATUS_IGNORE);
  CHECK(out == world_size * (world_size - 1) / 2, "%d", out);
  set("set to differ", comm, "weft_algorithm", world_rank == 0 ? "allreduce=ring" : "bcast=k_nomial");
  set("set off", comm, "weft_enable", "0");
  set("set on", comm, "weft_enable", "1");
  MPI_Comm_free(&comm);
  return end("done");
}
