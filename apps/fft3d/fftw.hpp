// SPDX-License-Identifier: BSD-3-Clause
// Fftw<Real>: the functions of FFTW 3 by precision, so that templates can call them.
#pragma once

#include <complex>
#include <cstddef>
#include <fftw3.h>
#include <memory>
#include <mpi.h>
#include <new>
#include <utility>

namespace fft3d {

template <typename Real>
struct Fftw;

#define FFT3D_FFTW(REAL, PREFIX, COMPLEX_TYPE)                              \
  template <>                                                               \
  struct Fftw<REAL> {                                                       \
    using Plan = PREFIX##plan;                                              \
    using Complex = PREFIX##complex;                                        \
    static MPI_Datatype complex_type() { return COMPLEX_TYPE; }             \
    static constexpr auto many_complex = PREFIX##plan_many_dft;             \
    static constexpr auto many_real_to_complex = PREFIX##plan_many_dft_r2c; \
    static constexpr auto many_complex_to_real = PREFIX##plan_many_dft_c2r; \
    static constexpr auto run_complex = PREFIX##execute_dft;                \
    static constexpr auto run_real_to_complex = PREFIX##execute_dft_r2c;    \
    static constexpr auto run_complex_to_real = PREFIX##execute_dft_c2r;    \
    static constexpr auto destroy = PREFIX##destroy_plan;                   \
    static constexpr auto alignment_of = PREFIX##alignment_of;              \
  }
FFT3D_FFTW(double, fftw_, MPI_C_DOUBLE_COMPLEX);
FFT3D_FFTW(float, fftwf_, MPI_C_FLOAT_COMPLEX);
#undef FFT3D_FFTW

/// What a field consists of: reals, or complex numbers of them.
template <typename Field>
struct Element {
  using Real = Field;
  static constexpr bool kIsReal = true;
};
template <typename R>
struct Element<std::complex<R>> {
  using Real = R;
  static constexpr bool kIsReal = false;
};
template <typename Field>
using RealOf = typename Element<Field>::Real;
template <typename Field>
using ComplexOf = std::complex<RealOf<Field>>;

/// Memory that FFTW's vector instructions like, zero at first. Move-only.
template <typename T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t size) : data_(static_cast<T*>(fftw_malloc(size * sizeof(T)))), size_(size) {
    if (!data_ && size > 0) throw std::bad_alloc();
    std::uninitialized_value_construct_n(data_.get(), size);
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }

 private:
  struct Free {
    void operator()(T* memory) const { fftw_free(memory); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace fft3d
