// SPDX-License-Identifier: BSD-3-Clause
// Lines: many 1-D transforms side by side, each of contiguous numbers.
//
// From In to Out: complex to complex either way, real to complex forward, complex to real backward. A line of
// n reals has n / 2 + 1 complex coefficients; the others are their conjugates. Not normalised: backward after
// forward is n times what it was.
//
// Complex to real may destroy what it reads; the others keep it, unless they are made to work in place.
#pragma once

#include <type_traits>

#include "fftw.hpp"

namespace fft3d {

enum class Direction { kForward, kBackward };

/// How long FFTW may look for the fastest way.
enum class Effort : unsigned { kEstimate = FFTW_ESTIMATE, kMeasure = FFTW_MEASURE };

enum class Placement { kInPlace, kOutOfPlace };

template <typename In, typename Out>
class Lines {
 public:
  using Real = RealOf<In>;
  static_assert(std::is_same_v<Real, RealOf<Out>>);

  Lines(int length, int count, Direction direction, Placement placement, Effort effort);
  ~Lines();
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  void run(const In* in, Out* out);

 private:
  using Library = Fftw<Real>;
  typename Library::Plan plan(unsigned flags) const;
  int in_length() const { return Element<Out>::kIsReal ? length_ / 2 + 1 : length_; }
  int out_length() const { return Element<In>::kIsReal ? length_ / 2 + 1 : length_; }

  int length_, count_;
  Direction direction_;
  Placement placement_;
  unsigned effort_;
  typename Library::Plan aligned_ = nullptr;
  typename Library::Plan unaligned_ = nullptr;  ///< made when it is first needed
};

}  // namespace fft3d
