// SPDX-License-Identifier: BSD-3-Clause
#include "operator.hpp"

#include <HYPRE.h>
#include <_hypre_parcsr_mv.h>
#include <cmath>
#include <fmt/format.h>
#include <type_traits>

#include "timers.hpp"
#include "verdict.hpp"

namespace pcg {

static_assert(std::is_same_v<HYPRE_Complex, double>, "pcg needs a hypre built for real double precision");

namespace {

constexpr HYPRE_Int kForward = 1;  // hypre's job number for "send vector elements along the matrix's columns"

/// y = B x or y += B x for one block B of A, or of |A|.
template <bool kAdd, bool kMagnitudes>
void apply_block(hypre_CSRMatrix* block, const double* x, double* y) {
  const HYPRE_Int* row_start = hypre_CSRMatrixI(block);
  const HYPRE_Int* column = hypre_CSRMatrixJ(block);
  const double* value = hypre_CSRMatrixData(block);
  const HYPRE_Int rows = hypre_CSRMatrixNumRows(block);
  for (HYPRE_Int row = 0; row < rows; ++row) {
    double sum = kAdd ? y[row] : 0.0;
    for (HYPRE_Int k = row_start[row]; k < row_start[row + 1]; ++k)
      sum += (kMagnitudes ? std::abs(value[k]) : value[k]) * x[column[k]];
    y[row] = sum;
  }
}

}  // namespace

Operator::Operator(const RowBlock& rows, MPI_Comm communicator)
    : communicator_(communicator), first_row_(rows.first_row), global_rows_(rows.global_rows) {
  assemble(rows);
  try {
    app::together(communicator, [this] { take_diagonal(); });
  } catch (...) {
    HYPRE_IJMatrixDestroy(ij_matrix_);  // no destructor runs for an object that is not finished
    throw;
  }
  hypre_ParCSRMatrix* matrix = matrix_;
  if (hypre_ParCSRMatrixCommPkg(matrix) == nullptr) hypre_MatvecCommPkgCreate(matrix);
  const hypre_ParCSRCommPkg* halo = hypre_ParCSRMatrixCommPkg(matrix);
  halo_out_.resize(hypre_ParCSRCommPkgSendMapStart(halo, hypre_ParCSRCommPkgNumSends(halo)));
  halo_in_.resize(hypre_CSRMatrixNumCols(hypre_ParCSRMatrixOffd(matrix)));
  for (hypre_CSRMatrix* block : {hypre_ParCSRMatrixDiag(matrix), hypre_ParCSRMatrixOffd(matrix)})
    bytes_ += 1.0 * hypre_CSRMatrixNumNonzeros(block) * (sizeof(double) + sizeof(HYPRE_Int)) +
              1.0 * hypre_CSRMatrixNumRows(block) * sizeof(HYPRE_Int);
}

Operator::~Operator() { HYPRE_IJMatrixDestroy(ij_matrix_); }

void Operator::assemble(const RowBlock& block) {
  const HYPRE_BigInt last_row = block.first_row + block.row_count() - 1;
  HYPRE_IJMatrixCreate(communicator_, block.first_row, last_row, block.first_row, last_row, &ij_matrix_);
  HYPRE_IJMatrixSetObjectType(ij_matrix_, HYPRE_PARCSR);

  std::vector<HYPRE_BigInt> row_numbers(block.row_count());
  std::vector<HYPRE_Int> sizes = block.row_sizes;  // hypre's arguments are not const
  std::vector<HYPRE_Int> in_diagonal_block(block.row_count(), 0);
  std::size_t position = 0;
  for (HYPRE_Int row = 0; row < block.row_count(); ++row) {
    row_numbers[row] = block.first_row + row;
    for (HYPRE_Int k = 0; k < sizes[row]; ++k, ++position)
      in_diagonal_block[row] +=
          block.columns[position] >= block.first_row && block.columns[position] <= last_row;
  }
  std::vector<HYPRE_Int> in_off_diagonal_block(block.row_count());
  for (HYPRE_Int row = 0; row < block.row_count(); ++row)
    in_off_diagonal_block[row] = sizes[row] - in_diagonal_block[row];

  HYPRE_IJMatrixSetDiagOffdSizes(ij_matrix_, in_diagonal_block.data(), in_off_diagonal_block.data());
  HYPRE_IJMatrixInitialize(ij_matrix_);
  HYPRE_IJMatrixSetValues(ij_matrix_, block.row_count(), sizes.data(), row_numbers.data(),
                          block.columns.data(), block.values.data());
  HYPRE_IJMatrixAssemble(ij_matrix_);
  void* object = nullptr;
  HYPRE_IJMatrixGetObject(ij_matrix_, &object);
  matrix_ = static_cast<HYPRE_ParCSRMatrix>(object);
}

/// hypre puts the diagonal element first in each row of the diagonal block, if there is one.
void Operator::take_diagonal() {
  hypre_CSRMatrix* diagonal_block = hypre_ParCSRMatrixDiag(matrix_);
  const HYPRE_Int* row_start = hypre_CSRMatrixI(diagonal_block);
  const HYPRE_Int rows = hypre_CSRMatrixNumRows(diagonal_block);
  inverse_root_diagonal_.resize(rows);
  for (HYPRE_Int row = 0; row < rows; ++row) {
    const HYPRE_Int first = row_start[row];
    const bool present = first < row_start[row + 1] && hypre_CSRMatrixJ(diagonal_block)[first] == row;
    const double value = present ? hypre_CSRMatrixData(diagonal_block)[first] : 0.0;
    if (!(value > 0))
      throw app::BadInput(
          fmt::format("the matrix is not positive definite: the diagonal element of row {} (counting from 1) "
                      "is {}; "
                      "conjugate gradients need a positive definite matrix, whose diagonal is positive",
                      first_row_ + row + 1, value));
    inverse_root_diagonal_[row] = 1.0 / std::sqrt(value);
  }
}

void Operator::apply(const Vector& x, Vector& y, double& halo_seconds) const {
  multiply<false>(x, y, halo_seconds);
}

void Operator::apply_magnitudes(const Vector& x, Vector& y) const {
  double halo_seconds = 0;
  multiply<true>(x, y, halo_seconds);
}

template <bool kMagnitudes>
void Operator::multiply(const Vector& x, Vector& y, double& halo_seconds) const {
  hypre_ParCSRMatrix* matrix = matrix_;
  hypre_ParCSRCommPkg* halo = hypre_ParCSRMatrixCommPkg(matrix);
  const HYPRE_Int* send_elements = hypre_ParCSRCommPkgSendMapElmts(halo);
  for (std::size_t i = 0; i < halo_out_.size(); ++i) halo_out_[i] = x[send_elements[i]];

  const double before_start = now();
  hypre_ParCSRCommHandle* exchange =
      hypre_ParCSRCommHandleCreate(kForward, halo, halo_out_.data(), halo_in_.data());
  const double after_start = now();

  apply_block<false, kMagnitudes>(hypre_ParCSRMatrixDiag(matrix), x.data(), y.data());

  const double before_finish = now();
  hypre_ParCSRCommHandleDestroy(exchange);  // waits
  const double after_finish = now();
  halo_seconds += (after_start - before_start) + (after_finish - before_finish);

  apply_block<true, kMagnitudes>(hypre_ParCSRMatrixOffd(matrix), halo_in_.data(), y.data());
}

void Operator::diag_scale(const Vector& x, Vector& y) const {
  hypre_CSRMatrix* diagonal_block = hypre_ParCSRMatrixDiag(matrix_);
  const double* value = hypre_CSRMatrixData(diagonal_block);
  const HYPRE_Int* row_start = hypre_CSRMatrixI(diagonal_block);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] / value[row_start[i]];
}

void Operator::diag_inv_scale(const Vector& x, Vector& y) const {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * inverse_root_diagonal_[i];
}

}  // namespace pcg
