// SPDX-License-Identifier: BSD-3-Clause
// The matrix A on hypre's ParCSR structure, and what the solvers apply of it.
//
// hypre keeps a rank's rows as two blocks: the diagonal block (columns the rank owns) and the off-diagonal
// block (columns of others, whose vector elements the halo exchange brings).
#pragma once

#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_mv.h>
#include <mpi.h>
#include <vector>

#include "row_block.hpp"

namespace pcg {

using Vector = std::vector<double>;  ///< a rank's own elements

class Operator {
 public:
  /// Collective. Throws BadInput on all ranks, naming the row, when a diagonal element is not positive: then
  /// A is not positive definite, and its diagonal has no root.
  Operator(const RowBlock& rows, MPI_Comm communicator);
  ~Operator();
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  /// y = A x. The halo travels while the diagonal block is applied; what is spent in its MPI calls is added
  /// to `halo_seconds`.
  void apply(const Vector& x, Vector& y, double& halo_seconds) const;

  /// y = |A| x, with the magnitudes of all elements.
  void apply_magnitudes(const Vector& x, Vector& y) const;

  /// y = diag(A)^-1 x, by division, reading the diagonal where it lies in A: the paper's figure 4.
  void diag_scale(const Vector& x, Vector& y) const;

  /// y = diag(A)^-1/2 x, by multiplication with an array made beforehand: the paper's figure 5.
  void diag_inv_scale(const Vector& x, Vector& y) const;

  MPI_Comm communicator() const { return communicator_; }
  HYPRE_BigInt first_row() const { return first_row_; }
  HYPRE_BigInt global_rows() const { return global_rows_; }
  /// What a product with this rank's rows reads of the matrix: an element and its column, and where rows
  /// start.
  double bytes() const { return bytes_; }
  std::size_t row_count() const { return inverse_root_diagonal_.size(); }
  HYPRE_ParCSRMatrix hypre_matrix() const { return matrix_; }

 private:
  template <bool kMagnitudes>
  void multiply(const Vector& x, Vector& y, double& halo_seconds) const;
  void assemble(const RowBlock& rows);
  void take_diagonal();

  MPI_Comm communicator_;
  HYPRE_BigInt first_row_;
  HYPRE_BigInt global_rows_;
  HYPRE_IJMatrix ij_matrix_ = nullptr;
  HYPRE_ParCSRMatrix matrix_ = nullptr;  // owned by ij_matrix_
  double bytes_ = 0;
  Vector inverse_root_diagonal_;  // diag(A)^-1/2
  mutable Vector halo_out_;       // what neighbours need of x
  mutable Vector halo_in_;        // what we need of theirs
};

}  // namespace pcg
