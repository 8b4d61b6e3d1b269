// SPDX-License-Identifier: BSD-3-Clause
// Three square matrices of doubles whose product is known in closed form, so that each of its n² items is
// checked and not only a sample.
//
//   A[i][k] = a(i) + s(k)   B[k][j] = t(k) - b(j)   C[i][j] = a Σt - n a b + Σst - b Σs
//
// All of them are small whole numbers: no order of additions rounds.
#ifndef WEFT_BENCH_MATRICES_H
#define WEFT_BENCH_MATRICES_H

struct matrices {
  int order, rank;
  double *a, *b, *c;
};

// Each rank has its own. Ends the program where the memory is not there.
struct matrices matrices_make(int order, int rank);
void matrices_free(struct matrices* m);

// C = A B by cblas_dgemm, of the leading `order` rows and columns.
void matrices_multiply(const struct matrices* m, int order);

// C is nothing, until it is computed.
void matrices_forget(struct matrices* m);

// Is C the product of the whole matrices?
int matrices_product_is_right(const struct matrices* m);

#endif
