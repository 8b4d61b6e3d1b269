// SPDX-License-Identifier: BSD-3-Clause
// Plan: a parallel 3-D Fourier transform of several variables, prepared once and run often.
//
// Field is double, float, or std::complex of them. The rank's part of a variable is a Block of its
// Decomposition: field() [z][y][x] and spectrum() [x][y][z], the last one fastest. Nothing is normalised:
// forward sums f(r) exp(-i k r), backward F(k) exp(i k r), and backward after forward gives the field times
// the number of points. Of a real field, the spectrum has x coefficients 0 to nx / 2.
//
// The pipeline over variables, forward, with the exchange of y and z on its way from start to finish:
//
//   blocking    row(0) start(0) finish(0) z(0) | row(1) start(1) finish(1) z(1) | …; start does all of it
//   pipelined   row(0) start(0) | row(1) start(1) finish(0) z(0) | row(2) start(2) finish(1) z(1) | …
//   planes      row(some) start(some) row(more) start(more) … finish(all) z; the same of the next variable
//
// Here row is: x transforms, x and y exchanged, y transforms. Pipelined with a depth D finishes D variables
// later. Backward is the mirror, as z(0) start(0) | z(1) start(1) finish(0) row(0) | …
//
// Sources: the co-design of P3DFFT with an MPI library for InfiniBand, section III.B.2 and figure 2
// (pipelined); Hoefler, Lumsdaine and Rehm, Implementation and Performance Analysis of Non-Blocking
// Collective Operations for MPI (SC 2007), section 5.2 (planes).
#pragma once

#include <span>

#include "column_stage.hpp"

namespace fft3d {

/// A 3-D transform of several variables, this one's or another library's.
template <typename Field>
class Transform {
 public:
  using Complex = ComplexOf<Field>;
  virtual ~Transform() = default;

  virtual Block field() const = 0;
  virtual Block spectrum() const = 0;
  /// How many numbers an array must hold; the blocks may need less.
  virtual std::size_t field_size() const { return field().size(); }
  virtual std::size_t spectrum_size() const { return spectrum().size(); }

  /// Collective. As many fields as spectra.
  virtual void forward(std::span<const Field* const> fields, std::span<Complex* const> spectra) = 0;
  virtual void backward(std::span<const Complex* const> spectra, std::span<Field* const> fields) = 0;

  Times times;  ///< of this rank, added up over all calls
};

template <typename Field>
class Plan : public Transform<Field> {
 public:
  using Real = RealOf<Field>;
  using Complex = std::complex<Real>;

  /// Collective. The decomposition must outlive the plan, and its grid be real if Field is.
  Plan(const Decomposition& decomposition, const Form& form);

  Block field() const override { return decomposition_.field(); }
  Block spectrum() const override { return decomposition_.spectrum(); }
  void forward(std::span<const Field* const> fields, std::span<Complex* const> spectra) override;
  void backward(std::span<const Complex* const> spectra, std::span<Field* const> fields) override;

  int planes_per_message() const { return planes_per_message_; }

 private:
  const Decomposition& decomposition_;
  int planes_per_message_;
  int lag_;  ///< how many variables later an exchange is finished
  ColumnStage<Real> column_;
  RowStage<Field> row_;
  Array<Complex> pencils_;  ///< y pencils of one variable
};

}  // namespace fft3d
