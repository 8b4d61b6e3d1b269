// SPDX-License-Identifier: BSD-3-Clause
// A vector as hypre's own solvers take it, distributed like the rows of the matrix; zero at first.
#pragma once

#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_mv.h>

#include "operator.hpp"

namespace pcg {

class HypreVector {
 public:
  explicit HypreVector(const Operator& matrix);
  ~HypreVector() { HYPRE_IJVectorDestroy(ij_vector_); }
  HypreVector(const HypreVector&) = delete;
  HypreVector& operator=(const HypreVector&) = delete;

  HYPRE_ParVector get() const { return vector_; }
  double* elements() const;  ///< this rank's own

 private:
  HYPRE_IJVector ij_vector_ = nullptr;
  HYPRE_ParVector vector_ = nullptr;  // owned by ij_vector_
};

}  // namespace pcg
