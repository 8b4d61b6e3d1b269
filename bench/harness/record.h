// SPDX-License-Identifier: BSD-3-Clause
// Records: one measurement is one JSON object on a line of its own, written by rank 0 (elsewhere these do
// nothing).
#ifndef WEFT_BENCH_RECORD_H
#define WEFT_BENCH_RECORD_H

// Opens a record and says what every record says: the benchmark, the ranks, the clock, the MPI.
void record_begin(const char* benchmark);
void record_text(const char* key, const char* value);
void record_number(const char* key, double value);  // null if it is not finite
void record_count(const char* key, long value);
void record_truth(const char* key, int value);
void record_numbers(const char* key, const double* values, long count);
void record_end(void);  // and flushes: what was measured survives what comes

#endif
