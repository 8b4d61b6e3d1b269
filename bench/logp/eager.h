// SPDX-License-Identifier: BSD-3-Clause
// S: from which size on a message waits for its receiver.
#ifndef WEFT_BENCH_EAGER_H
#define WEFT_BENCH_EAGER_H

// Rank 0 sends to rank 1, which is in MPI but posts its receive late: a message that is on its way at once
// leaves MPI_Send long before. The largest such size in bytes, up to `most`, by halving. Both ranks call it;
// each needs a buffer of `most` bytes. `round_trip_ns` is that of a short message.
long eager_limit(char* buffer, long most, double round_trip_ns);

// The MPI's control variable for such a limit, the first that is there of those known for the level, by its
// name; NULL if there is none. Open MPI counts its headers in.
const char* eager_variable(int same_node, long* value);

#endif
