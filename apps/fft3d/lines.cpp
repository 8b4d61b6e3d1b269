// SPDX-License-Identifier: BSD-3-Clause
#include "lines.hpp"

#include <stdexcept>

namespace fft3d {

template <typename In, typename Out>
Lines<In, Out>::Lines(int length, int count, Direction direction, Placement placement, Effort effort)
    : length_(length),
      count_(count),
      direction_(direction),
      placement_(placement),
      effort_(static_cast<unsigned>(effort)),
      aligned_(plan(0)) {}

template <typename In, typename Out>
Lines<In, Out>::~Lines() {
  if (aligned_) Library::destroy(aligned_);
  if (unaligned_) Library::destroy(unaligned_);
}

// Planning may write into the arrays, so that it gets some of its own.
template <typename In, typename Out>
typename Fftw<RealOf<In>>::Plan Lines<In, Out>::plan(unsigned flags) const {
  const std::size_t count = count_;
  Array<In> in(count * in_length());
  Array<Out> elsewhere(placement_ == Placement::kInPlace ? 0 : count * out_length());
  using FftwComplex = typename Library::Complex;
  void* const to = placement_ == Placement::kInPlace ? static_cast<void*>(in.data()) : elsewhere.data();
  const int in_distance = in_length();
  const int out_distance = out_length();
  flags |= effort_;
  typename Library::Plan made = nullptr;
  if constexpr (Element<In>::kIsReal)
    made = Library::many_real_to_complex(1, &length_, count_, in.data(), nullptr, 1, in_distance,
                                         static_cast<FftwComplex*>(to), nullptr, 1, out_distance, flags);
  else if constexpr (Element<Out>::kIsReal)
    made = Library::many_complex_to_real(1, &length_, count_, reinterpret_cast<FftwComplex*>(in.data()),
                                         nullptr, 1, in_distance, static_cast<Real*>(to), nullptr, 1,
                                         out_distance, flags);
  else
    made = Library::many_complex(1, &length_, count_, reinterpret_cast<FftwComplex*>(in.data()), nullptr, 1,
                                 in_distance, static_cast<FftwComplex*>(to), nullptr, 1, out_distance,
                                 direction_ == Direction::kForward ? FFTW_FORWARD : FFTW_BACKWARD, flags);
  if (!made) throw std::runtime_error("FFTW has no plan for a transform of this length");
  return made;
}

template <typename In, typename Out>
void Lines<In, Out>::run(const In* in, Out* out) {
  using FftwComplex = typename Library::Complex;
  auto* const from = const_cast<In*>(in);
  const bool is_aligned = !Library::alignment_of(reinterpret_cast<Real*>(from)) &&
                          !Library::alignment_of(reinterpret_cast<Real*>(out));
  if (!is_aligned && !unaligned_) unaligned_ = plan(FFTW_UNALIGNED);
  const auto plan = is_aligned ? aligned_ : unaligned_;
  if constexpr (Element<In>::kIsReal)
    Library::run_real_to_complex(plan, from, reinterpret_cast<FftwComplex*>(out));
  else if constexpr (Element<Out>::kIsReal)
    Library::run_complex_to_real(plan, reinterpret_cast<FftwComplex*>(from), out);
  else Library::run_complex(plan, reinterpret_cast<FftwComplex*>(from), reinterpret_cast<FftwComplex*>(out));
}

template class Lines<std::complex<double>, std::complex<double>>;
template class Lines<std::complex<float>, std::complex<float>>;
template class Lines<double, std::complex<double>>;
template class Lines<float, std::complex<float>>;
template class Lines<std::complex<double>, double>;
template class Lines<std::complex<float>, float>;

}  // namespace fft3d
