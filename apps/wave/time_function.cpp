// SPDX-License-Identifier: BSD-3-Clause
#include "time_function.hpp"

#include <cmath>
#include <numbers>

namespace wave {
namespace {

/// A Gaussian, its derivatives and its integrals.
struct Bell {
  double width, from_middle;

  double value() const { return std::exp(-0.5 * from_middle * from_middle / (width * width)); }
  double slope() const { return -from_middle / (width * width) * value(); }
  double curvature() const {
    const double scaled = from_middle / width;
    return (scaled * scaled - 1) / (width * width) * value();
  }
  double integral() const {
    return width * std::sqrt(std::numbers::pi / 2) *
           (1 + std::erf(from_middle / (std::numbers::sqrt2 * width)));
  }
  double second_integral() const { return from_middle * integral() + width * width * value(); }
};

Bell bell_of(const TimeFunction& function, double time) {
  return {1 / (std::numbers::sqrt2 * std::numbers::pi * function.frequency), time - function.delay};
}

const double kRootOfE = std::exp(0.5);

}  // namespace

const char* name_of(Shape shape) {
  switch (shape) {
    case Shape::kGaussian: return "gaussian";
    case Shape::kDerivative: return "derivative";
    case Shape::kRicker: return "ricker";
    case Shape::kFile: return "file";
  }
  return "?";
}

double TimeFunction::value(double time) const {
  const Bell bell = bell_of(*this, time);
  switch (shape) {
    case Shape::kGaussian: return bell.value();
    case Shape::kDerivative: return bell.width * kRootOfE * bell.slope();
    case Shape::kRicker: return -bell.width * bell.width * bell.curvature();
    case Shape::kFile: break;
  }
  const double place = (time - delay) / sample_interval;
  if (!(place >= 0) || place > static_cast<double>(samples.size() - 1)) return 0;
  const auto before = static_cast<std::size_t>(place);
  if (before + 1 == samples.size()) return samples[before];
  const double behind = place - static_cast<double>(before);
  return (1 - behind) * samples[before] + behind * samples[before + 1];
}

double TimeFunction::derivative(double time) const {
  const Bell bell = bell_of(*this, time);
  const double scaled = bell.from_middle / bell.width;
  switch (shape) {
    case Shape::kGaussian: return bell.slope();
    case Shape::kDerivative: return bell.width * kRootOfE * bell.curvature();
    default: return (scaled * scaled - 3) * scaled / bell.width * bell.value();
  }
}

double TimeFunction::integral(double time) const {
  const Bell bell = bell_of(*this, time);
  switch (shape) {
    case Shape::kGaussian: return bell.integral();
    case Shape::kDerivative: return bell.width * kRootOfE * bell.value();
    default: return bell.from_middle * bell.value();
  }
}

double TimeFunction::second_integral(double time) const {
  const Bell bell = bell_of(*this, time);
  switch (shape) {
    case Shape::kGaussian: return bell.second_integral();
    case Shape::kDerivative: return bell.width * kRootOfE * bell.integral();
    default: return -bell.width * bell.width * bell.value();
  }
}

}  // namespace wave
