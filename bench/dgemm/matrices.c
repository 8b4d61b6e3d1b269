// SPDX-License-Identifier: BSD-3-Clause
#include "matrices.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "harness/arguments.h"

static double row_term(const struct matrices* m, int i) { return (i + m->rank) % 7; }
static double column_term(int j) { return j % 11; }
static double inner_term_of_a(int k) { return k % 5; }
static double inner_term_of_b(int k) { return k % 3; }

static double* memory(int order) {
  void* allocated = NULL;
  const size_t items = (size_t)order * (size_t)order;
  if (posix_memalign(&allocated, 4096, items * sizeof(double)) != 0)
    refuse("--sizes", "there is not enough memory for the matrices");
  return allocated;
}

struct matrices matrices_make(int order, int rank) {
  struct matrices m = {order, rank, memory(order), memory(order), memory(order)};
  for (int i = 0; i < order; ++i)
    for (int j = 0; j < order; ++j) {
      const size_t at = (size_t)i * (size_t)order + (size_t)j;
      m.a[at] = row_term(&m, i) + inner_term_of_a(j);
      m.b[at] = inner_term_of_b(i) - column_term(j);
    }
  matrices_forget(&m);
  return m;
}

void matrices_free(struct matrices* m) { free(m->a), free(m->b), free(m->c); }

void matrices_multiply(const struct matrices* m, int order) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, order, order, order, 1, m->a, m->order, m->b,
              m->order, 0, m->c, m->order);
}

void matrices_forget(struct matrices* m) {
  const size_t items = (size_t)m->order * (size_t)m->order;
  for (size_t i = 0; i < items; ++i) m->c[i] = NAN;
}

int matrices_product_is_right(const struct matrices* m) {
  double sum_s = 0, sum_t = 0, sum_st = 0;
  for (int k = 0; k < m->order; ++k) {
    sum_s += inner_term_of_a(k);
    sum_t += inner_term_of_b(k);
    sum_st += inner_term_of_a(k) * inner_term_of_b(k);
  }
  for (int i = 0; i < m->order; ++i)
    for (int j = 0; j < m->order; ++j) {
      const double a = row_term(m, i), b = column_term(j);
      const double item = a * sum_t - m->order * a * b + sum_st - b * sum_s;
      if (m->c[(size_t)i * (size_t)m->order + (size_t)j] != item) return 0;
    }
  return 1;
}
