// SPDX-License-Identifier: BSD-3-Clause
// Ranks on cores of one's choice: rank 0 of WEFT_BENCH_CORES=0,8 runs on processor 0 and rank 1 on processor
// 8, as the system numbers them. Launchers have no common way to say so.
#ifndef WEFT_BENCH_CORES_H
#define WEFT_BENCH_CORES_H

// Before MPI_Init, so that what the MPI allocates there lies near the core; nothing where the variable is not
// set.
void cores_take(void);

// After MPI_Init: ends the program if some rank is not on its core alone.
void cores_confirm(void);

#endif
