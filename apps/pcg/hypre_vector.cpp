// SPDX-License-Identifier: BSD-3-Clause
#include "hypre_vector.hpp"

#include <HYPRE.h>
#include <_hypre_parcsr_mv.h>
#include <algorithm>

namespace pcg {

HypreVector::HypreVector(const Operator& matrix) {
  const auto last_row = matrix.first_row() + static_cast<HYPRE_BigInt>(matrix.row_count()) - 1;
  HYPRE_IJVectorCreate(matrix.communicator(), matrix.first_row(), last_row, &ij_vector_);
  HYPRE_IJVectorSetObjectType(ij_vector_, HYPRE_PARCSR);
  HYPRE_IJVectorInitialize(ij_vector_);
  HYPRE_IJVectorAssemble(ij_vector_);
  void* object = nullptr;
  HYPRE_IJVectorGetObject(ij_vector_, &object);
  vector_ = static_cast<HYPRE_ParVector>(object);
  std::fill_n(elements(), matrix.row_count(), 0.0);
}

double* HypreVector::elements() const {
  return hypre_VectorData(hypre_ParVectorLocalVector(static_cast<hypre_ParVector*>(vector_)));
}

}  // namespace pcg
