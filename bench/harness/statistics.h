// SPDX-License-Identifier: BSD-3-Clause
// What many measurements of one thing come to.
#ifndef WEFT_BENCH_STATISTICS_H
#define WEFT_BENCH_STATISTICS_H

struct summary {
  double minimum, median, mean, maximum;
};

// `values` is sorted on return; zeroes for none.
struct summary summarize(double* values, long count);

// The field that `name` names: "min", "median", "mean" or "max".
const double* summary_field(const struct summary* summary, const char* name);

#endif
