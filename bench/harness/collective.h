// SPDX-License-Identifier: BSD-3-Clause
// Every collective of MPI in every form, called in the same way: with data that is known and answers that are
// checked.
//
// A name is a collective's in lower case ("allreduce", "neighbor_alltoallw"), with an i before it for the
// non-blocking form (start and wait) or _init behind it for the persistent one (start and wait of a request
// that was made before). "sendrecv" and "isend" are point-to-point in the same dress: every rank sends to its
// right; "put" and "iput" are one-sided: every rank puts into the window of its right, in one epoch of post,
// start (the first half), complete and wait (the second).
//
// `bytes` is one rank's block: what one rank passes to MPI_Allreduce, MPI_Bcast and their like, contributes
// to MPI_Gather, receives from MPI_Scatter or MPI_Reduce_scatter, sends to each of the others in
// MPI_Alltoall. Reductions add doubles, or bytes where the size is no multiple of 8. Roots are rank 0. The
// neighbours are the ranks to the left and to the right.
#ifndef WEFT_BENCH_COLLECTIVE_H
#define WEFT_BENCH_COLLECTIVE_H

#include <mpi.h>
#include <stddef.h>

#include "arguments.h"

enum form { kBlocking, kNonblocking, kPersistent };

struct operations;  // one collective's three forms

struct collective {
  const char* name;  // as it was asked for
  const struct operations* operations;
  enum form form;
  MPI_Comm comm;
  int me, ranks;
  int neighbours, neighbour[2];
  int has_lists;  // it is told the length of each block, which may differ: a v or w form, or reduce_scatter
  int sends_by_pair;  // each rank has other blocks for the others
  size_t bytes;
  size_t item, stride;  // bytes of an element, and from one to the next
  MPI_Datatype type;    // of an element, its gap included
  int count;            // of `type`, in one block
  size_t in_blocks, out_blocks;
  int buffers;  // pairs of buffers to take in turn
  unsigned char **in, **out;
  int *counts, *displacements, *byte_displacements;  // for the v and w forms: equal blocks, one after another
  MPI_Aint* addresses;
  MPI_Datatype* types;
  MPI_Request* persistent;  // per buffer
  MPI_Win* windows;         // per buffer, whose memory are the output buffers; null: it is not one-sided
  MPI_Group left, right;
};

// One started operation.
struct started {
  MPI_Request* requests;
  MPI_Request own[2];
  int count;
  MPI_Win window;  // MPI_WIN_NULL: there are requests
  int has_completed;
};

// Ends the program unless all these names exist in this MPI.
void collectives_require(const struct word_list* names);

// Every collective at every size, those without data once. Are all answers right, as `measure` says?
int collectives_measure(const struct word_list* names, const struct number_list* sizes,
                        int (*measure)(const char* name, size_t bytes));

enum { kHot = 1, kRotating = 0 };
int buffers_of(const char* word);  // "hot" or "rotating"

enum datatype { kPredefined, kStrided };
enum datatype datatype_of(const char* word);  // "predefined" or "strided"

// Collective over `comm`. `buffers` pairs of buffers: kHot is one; kRotating as many as outgrow a cache.
// kStrided: a derived datatype, of an element and a gap as long as itself behind it, as the column of a
// matrix lies in memory; no reduction has it. Ends the program where the name does not exist or the memory is
// not there.
struct collective collective_make(const char* name, size_t bytes, int buffers, enum datatype datatype,
                                  MPI_Comm comm);
void collective_free(struct collective* c);

// From now on operations have so many items in each block, at most as many as it was made for. Not for
// persistent ones, which are bound to what they were made with.
void collective_set_count(struct collective* c, int count);

// Gives the blocks of an operation with lists (has_lists) lengths of their own: from `least` to `most` items,
// others in each turn, and the same at both ends of a block. They lie where they did.
void collective_vary_counts(struct collective* c, long turn, int least, int most);

// From now on blocks of as many bytes as before are of this predefined datatype, of so many bytes, which
// divide a block's. Not for persistent operations.
void collective_set_type(struct collective* c, MPI_Datatype type, size_t bytes);

// The whole operation, in the turn of buffer `turn` (any number from 0).
void collective_run(struct collective* c, long turn);

// An operation in its two halves, for non-blocking and persistent forms. Operations under way at the same
// time need turns that differ modulo the number of buffers.
void collective_start(struct collective* c, long turn, struct started* started);
int collective_test(struct started* started);  // is it complete?
// Whether a test returns at once. The epoch of a put can be tested by its target alone.
int collective_can_be_tested(const struct collective* c);
void collective_wait(struct started* started);

// Runs one more operation on fresh data and checks every item of every rank's result. Collective; the same
// answer everywhere.
int collective_is_right(struct collective* c);

// The two halves of that check, for an operation that the caller runs between them. collective_refresh puts
// known data into this rank's input, and into its output what is not the result; collective_result_is_right
// says whether this turn's output on every rank is the result (collective).
void collective_refresh(struct collective* c, long turn);
int collective_result_is_right(struct collective* c, long turn);

#endif
