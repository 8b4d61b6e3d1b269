// SPDX-License-Identifier: BSD-3-Clause
#include "statistics.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

struct summary summarize(double* values, long count) {
  struct summary s = {0, 0, 0, 0};
  if (count < 1) return s;
  qsort(values, (size_t)count, sizeof *values, ascending);
  for (long i = 0; i < count; ++i) s.mean += values[i] / (double)count;
  s.minimum = values[0];
  s.maximum = values[count - 1];
  s.median = (values[(count - 1) / 2] + values[count / 2]) / 2;
  return s;
}

const double* summary_field(const struct summary* summary, const char* name) {
  if (strcmp(name, "min") == 0) return &summary->minimum;
  if (strcmp(name, "median") == 0) return &summary->median;
  if (strcmp(name, "mean") == 0) return &summary->mean;
  return &summary->maximum;
}
