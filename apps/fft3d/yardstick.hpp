// SPDX-License-Identifier: BSD-3-Clause
// Yardsticks: fields whose spectrum is known without the transform under test, and what all must keep.
//
//   sine        as P3DFFT's test_sine: A sin(a x) sin(b y) sin(c z) on the grid of 2 pi / n. Of its N
//               coefficients only the eight (+-a, +-b, +-c) are not zero: A N i s_a s_b s_c / 8, signs s.
//   random      every number by a hash of its place. On small grids the spectrum is that of serial FFTW
//               on the whole field, in double precision; on larger ones a few coefficients are summed up
//               as they are defined.
//   Parseval    sum |f|^2 = sum |F|^2 / N; of a real field, the half that is not stored counts too.
//   round trip  backward after forward is N times the field.
//
// All errors are relative to the largest number expected, over all ranks; infinite where a number is none.
#pragma once

#include <memory>

#include "decomposition.hpp"
#include "fftw.hpp"

namespace fft3d {

template <typename Field>
class Yardstick {
 public:
  using Complex = ComplexOf<Field>;
  virtual ~Yardstick() = default;

  virtual void fill(int variable, const Block& block, Field* field) const = 0;
  /// Collective.
  virtual double spectrum_error(int variable, const Block& block, const Complex* spectrum) const = 0;
};

template <typename Field>
std::unique_ptr<Yardstick<Field>> make_sine(const Grid& grid, MPI_Comm communicator);

/// Collective. `field_block` and `spectrum_block` are those that it will be asked about.
template <typename Field>
std::unique_ptr<Yardstick<Field>> make_random(const Grid& grid, int variables, const Block& field_block,
                                              const Block& spectrum_block, MPI_Comm communicator);

/// Collective.
template <typename Field>
double parseval_error(const Grid& grid, const Block& field_block, const Field* field,
                      const Block& spectrum_block, const ComplexOf<Field>* spectrum, MPI_Comm communicator);

/// `back` is what came back, N times the field. Collective.
template <typename Field>
double round_trip_error(const Grid& grid, const Block& block, const Field* field, const Field* back,
                        MPI_Comm communicator);

/// A sum of many numbers without their rounding piling up (Kahan, 1965).
template <typename T>
class Sum {
 public:
  void add(T value) {
    value -= lost_;
    const T sum = sum_ + value;
    lost_ = (sum - sum_) - value;
    sum_ = sum;
  }
  T value() const { return sum_; }

 private:
  T sum_{}, lost_{};
};

/// The largest difference and the largest number expected so far.
class Worst {
 public:
  void add(std::complex<double> got, std::complex<double> expected);
  /// Their ratio over all ranks. Collective.
  double over(MPI_Comm communicator) const;

 private:
  double difference_ = 0;
  double expected_ = 0;
};

}  // namespace fft3d
