// SPDX-License-Identifier: BSD-3-Clause
// A fixed piece of work of about a microsecond: the product of two 16 x 16 matrices, whose answer is known.
#ifndef WEFT_BENCH_SMALL_PRODUCT_H
#define WEFT_BENCH_SMALL_PRODUCT_H

enum { kOrder = 16 };

struct small_product {
  double a[kOrder][kOrder], b[kOrder][kOrder], c[kOrder][kOrder];
};

// A has i + 1 in every place of row i, and B is twice the unit matrix; so C is twice A.
static inline struct small_product small_product_make(void) {
  struct small_product p = {0};
  for (int i = 0; i < kOrder; ++i) {
    p.b[i][i] = 2;
    for (int j = 0; j < kOrder; ++j) p.a[i][j] = i + 1;
  }
  return p;
}

static inline void small_product_compute(struct small_product* p) {
  for (int i = 0; i < kOrder; ++i)
    for (int j = 0; j < kOrder; ++j) {
      double sum = 0;
      for (int k = 0; k < kOrder; ++k) sum += p->a[i][k] * p->b[k][j];
      p->c[i][j] = sum;
    }
  // A compiler that sees that nothing changed would not compute it again.
  __asm__ volatile("" : : "r"(p) : "memory");
}

static inline int small_product_is_right(const struct small_product* p) {
  for (int i = 0; i < kOrder; ++i)
    for (int j = 0; j < kOrder; ++j)
      if (p->c[i][j] != 2 * (i + 1)) return 0;
  return 1;
}

#endif
