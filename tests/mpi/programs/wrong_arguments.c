// SPDX-License-Identifier: BSD-3-Clause
// One rank gives a wrong argument: its handler is called, once, with what the host says of it, and nothing
// has been sent that the right calls behind it could meet.
#include "collectives.h"
#include "forms.h"

static int handled, handled_class;

static void handle(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  ++handled;
  MPI_Error_class(*code, &handled_class);
}

static int in[64], out[64], counts[64], displacements[64];

enum {
  kNull,
  kNegativeCount,
  kNoType,
  kNoOperator,
  kWrongRoot,
  kNegativeRoot,
  kWrongOperator,
  kNoList,
  kWrongs
};
static const char* const wrong_names[] = {"no communicator", "negative count", "no type",
                                          "no operator",     "wrong root",     "negative root",
                                          "wrong operator",  "no list"};

static const Collective tried[] = {kBcast, kAllreduce, kReduce, kAllgather, kAlltoallv, kScan};

static int has(Collective which, int wrong) {
#ifdef OPEN_MPI
  if (wrong == kNull && which == kAllgather) return 0;  // Open MPI 4.1 crashes
#else
  if (wrong == kNegativeCount && is_reduction(which)) return 0;  // MPICH 4.0 does not look
  if (wrong == kNoList) return 0;                                // and crashes
#endif
  if (wrong == kNoList) return which == kAlltoallv;
  if (wrong == kNoOperator || wrong == kWrongOperator) return is_reduction(which);
  if (wrong == kWrongRoot || wrong == kNegativeRoot) return is_rooted(which);
  return 1;
}

// Calls the collective with one wrong argument, or with none if `wrong` < 0. A persistent one is made, not
// started.
static void call(Collective which, int wrong, MPI_Comm right_comm) {
  const MPI_Comm comm = wrong == kNull ? MPI_COMM_NULL : right_comm;
  const int count = wrong == kNegativeCount ? -1 : 2;
  const MPI_Datatype type = wrong == kNoType          ? MPI_DATATYPE_NULL
                            : wrong == kWrongOperator ? MPI_DOUBLE
                                                      : MPI_INT;
  const MPI_Op op = wrong == kNoOperator ? MPI_OP_NULL : wrong == kWrongOperator ? MPI_BAND : MPI_SUM;
  const int root = wrong == kWrongRoot ? world_size : wrong == kNegativeRoot ? -17 : 0;
  const int* const places = wrong == kNoList ? NULL : displacements;
  for (int r = 0; r < world_size; ++r) counts[r] = count, displacements[r] = 2 * r;
  switch (which) {
    case kBcast: CALL(Bcast, bcast, in, count, type, root, comm); break;
    case kAllreduce: CALL(Allreduce, allreduce, in, out, count, type, op, comm); break;
    case kReduce: CALL(Reduce, reduce, in, out, count, type, op, root, comm); break;
    case kAllgather: CALL(Allgather, allgather, in, count, type, out, count, type, comm); break;
    case kAlltoallv:
      CALL(Alltoallv, alltoallv, in, counts, places, type, out, counts, displacements, type, comm);
      break;
    default: CALL(Scan, scan, in, out, count, type, op, comm);
  }
}

static void right_call(Collective which, MPI_Comm comm) {
  const int n = world_size, all = n * (n - 1) / 2;
  memset(out, -1, sizeof out);
  for (int i = 0; i < 2 * n; ++i) in[i] = world_rank;
  call(which, -1, comm);
  if (form == kPersistent) MPI_Start(&request);
  turn = turns() - 1;  // the only one
  settle();
  const int first = which == kBcast ? in[0] : out[0];
  const int wanted = which == kAllreduce ? all : which == kScan ? world_rank * (world_rank + 1) / 2 : 0;
  if (which == kReduce && world_rank != 0) return;
  CHECK(first == (which == kReduce ? all : wanted), "%s after a wrong one: %d", collective_names[which],
        first);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm comm;
  const int teller = world_size - 1;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);  // of calls without a communicator
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);   // or here, as MPI-4 has it
  for (form = 0; form < kForms; ++form)
    for (size_t i = 0; i < sizeof tried / sizeof *tried; ++i)
      for (int wrong = 0; wrong < kWrongs; ++wrong) {
        const Collective which = tried[i];
        if (!has(which, wrong)) continue;
        handled = 0, handled_class = MPI_SUCCESS;
        if (world_rank == teller) {
          call(which, wrong, comm);
          CHECK(handled == 1 && handled_class != MPI_SUCCESS, "%s %s, %s: class %d, %d times",
                form_names[form], collective_names[which], wrong_names[wrong], handled_class, handled);
        }
        right_call(which, comm);
      }
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
  return end("wrong arguments are named");
}
