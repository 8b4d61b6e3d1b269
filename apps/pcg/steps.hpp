// SPDX-License-Identifier: BSD-3-Clause
// The operations that the algorithms are written in, each timed under its row of Table I.
#pragma once

#include "operator.hpp"
#include "options.hpp"
#include "preconditioner.hpp"
#include "sums.hpp"
#include "timers.hpp"

namespace pcg {

class Steps {
 public:
  /// `sums`: for Exchange::kSkipped those of an earlier solve, else where to record them, if anywhere. Only
  /// Exchange::kBlocking has them in an order that can be repeated.
  Steps(const Operator& matrix, const Preconditioner& preconditioner, Times& times, Exchange exchange,
        Sums* sums)
      : matrix_(matrix), preconditioner_(preconditioner), times_(times), exchange_(exchange), sums_(sums) {}
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  void matvec(const Vector& x, Vector& y);               ///< y = A x
  void precondition(const Vector& x, Vector& y);         ///< y = C^-1 x
  void precondition_half(const Vector& x, Vector& y);    ///< y = L^-1 x
  void axpy(double alpha, const Vector& x, Vector& y);   ///< y = y + alpha x
  void aypx(double alpha, const Vector& x, Vector& y);   ///< y = x + alpha y
  void scale(double alpha, const Vector& x, Vector& y);  ///< y = alpha x; x may be y

  /// y = y + the first `count` of `columns`, each times its factor.
  void add_combination(const double* factors, const std::vector<Vector>& columns, int count, Vector& y);

  /// x . y over all ranks, by MPI_Allreduce.
  double inner_product(InnerProduct which, const Vector& x, const Vector& y);

  /// The same in two halves: MPI_Iallreduce of one double, and its MPI_Wait. Between them x and y may change,
  /// as the local product is complete. At most one inner product of each kind is on its way; every start
  /// needs its wait.
  void start_inner_product(InnerProduct which, const Vector& x, const Vector& y);
  double wait_inner_product(InnerProduct which);

  /// The same for two or three inner products of an iteration, by one MPI_Iallreduce of as many doubles; in
  /// pipelined's terms gamma = r . u, u . A u = w . u and i_prod = r . r.
  struct Together {
    double gamma, i_prod, udotw;
  };
  void start_together(const Vector& r, const Vector& u, const Vector& w);
  void start_together(const Vector& r, const Vector& u);  ///< without w . u, which is 0 then: two doubles
  Together wait_together();

  /// The same for as many inner products as one likes. The sums live until the next start.
  struct Pair {
    const Vector *left, *right;
  };
  void start_together(const std::vector<Pair>& pairs);
  const double* wait_sums();

 private:
  struct Pending {
    bool is_under_way = false;
    std::vector<double> local = std::vector<double>(3);   // what MPI reads ...
    std::vector<double> global = std::vector<double>(3);  // ... and writes while the operation is on its way
    MPI_Request request = MPI_REQUEST_NULL;
    double started_at = 0;
  };

  /// So many vectors like x are read or written.
  void count(int vectors, const Vector& x) { times_.bytes += 1.0 * sizeof(double) * vectors * x.size(); }
  void reduce(const double* local, double* global, int count);
  void start(InnerProduct which, int count);
  void wait(InnerProduct which);
  Pending& pending(InnerProduct which) { return pending_[static_cast<std::size_t>(which)]; }

  const Operator& matrix_;
  const Preconditioner& preconditioner_;
  Times& times_;
  const Exchange exchange_;
  Sums* const sums_;
  std::array<Pending, kInnerProducts.size()> pending_{};
};

}  // namespace pcg
