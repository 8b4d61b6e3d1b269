// SPDX-License-Identifier: BSD-3-Clause
// The operations that the algorithms are written in, each timed under its row of Table I.
#pragma once

#include "operator.hpp"
#include "timers.hpp"

namespace pcg {

class Steps {
 public:
  Steps(const Operator& matrix, Times& times) : matrix_(matrix), times_(times) {}
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  void matvec(const Vector& x, Vector& y);               ///< y = A x
  void diag_scale(const Vector& x, Vector& y);           ///< y = C^-1 x
  void diag_inv_scale(const Vector& x, Vector& y);       ///< y = L^-1 x
  void axpy(double alpha, const Vector& x, Vector& y);   ///< y = y + alpha x
  void scale(double alpha, const Vector& x, Vector& y);  ///< y = alpha x; x may be y

  /// x . y over all ranks, by MPI_Allreduce.
  double inner_product(InnerProduct which, const Vector& x, const Vector& y);

  /// The same in two halves: MPI_Iallreduce of one double, and its MPI_Wait. Between them x and y may change,
  /// as the local product is complete. At most one inner product of each kind is on its way; every start
  /// needs its wait.
  void start_inner_product(InnerProduct which, const Vector& x, const Vector& y);
  double wait_inner_product(InnerProduct which);

 private:
  struct Pending {
    double local = 0;   // what MPI reads ...
    double global = 0;  // ... and writes while the operation is on its way
    MPI_Request request = MPI_REQUEST_NULL;
    double started_at = 0;
  };

  const Operator& matrix_;
  Times& times_;
  std::array<Pending, kInnerProducts.size()> pending_{};
};

}  // namespace pcg
