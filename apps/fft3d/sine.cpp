// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numbers>
#include <vector>

#include "yardstick.hpp"

namespace fft3d {
namespace {

constexpr std::complex<double> kI{0, 1};

/// The wave numbers of a variable along x, y and z; all three differ, so that no two axes can be mistaken.
int wave_number(int variable, int axis) { return 1 + (variable + axis) % 3; }

/// A variable is that times its sines; real fields have no imaginary part.
template <typename Field>
std::complex<double> amplitude(int variable) {
  return {1.0 + variable, Element<Field>::kIsReal ? 0.0 : 0.5};
}

std::vector<double> sines(int length, int wave) {
  std::vector<double> values(length);
  for (int i = 0; i < length; ++i)
    values[i] = std::sin(2 * std::numbers::pi * (1LL * i * wave % length) / length);
  return values;
}

/// sin = (exp(i wave x) - exp(-i wave x)) / 2i; on short axes both may be the same coefficient, and cancel.
std::vector<std::complex<double>> spectrum_of_sine(int length, int wave) {
  std::vector<std::complex<double>> values(length);
  const int place = wave % length;
  values[place] += 0.5 * length / kI;
  values[(length - place) % length] -= 0.5 * length / kI;
  return values;
}

template <typename Field>
class Sine : public Yardstick<Field> {
 public:
  Sine(const Grid& grid, MPI_Comm communicator) : grid_(grid), communicator_(communicator) {}

  void fill(int variable, const Block& block, Field* field) const override {
    std::array<std::vector<double>, 3> along;
    for (int axis = 0; axis < 3; ++axis) along[axis] = sines(grid_.points[axis], wave_number(variable, axis));
    const std::complex<double> scale = amplitude<Field>(variable);
    for_each_point(block, [&](int x, int y, int z, std::size_t i) {
      const std::complex<double> value = scale * (along[0][x] * along[1][y] * along[2][z]);
      if constexpr (Element<Field>::kIsReal) field[i] = static_cast<Field>(value.real());
      else field[i] = Field(value);
    });
  }

  double spectrum_error(int variable, const Block& block, const ComplexOf<Field>* spectrum) const override {
    std::array<std::vector<std::complex<double>>, 3> along;
    for (int axis = 0; axis < 3; ++axis)
      along[axis] = spectrum_of_sine(grid_.points[axis], wave_number(variable, axis));
    const std::complex<double> scale = amplitude<Field>(variable);
    Worst worst;
    for_each_point(block, [&](int x, int y, int z, std::size_t i) {
      worst.add(spectrum[i], scale * along[0][x] * along[1][y] * along[2][z]);
    });
    return worst.over(communicator_);
  }

 private:
  Grid grid_;
  MPI_Comm communicator_;
};

}  // namespace

template <typename Field>
std::unique_ptr<Yardstick<Field>> make_sine(const Grid& grid, MPI_Comm communicator) {
  return std::make_unique<Sine<Field>>(grid, communicator);
}

template std::unique_ptr<Yardstick<double>> make_sine(const Grid&, MPI_Comm);
template std::unique_ptr<Yardstick<float>> make_sine(const Grid&, MPI_Comm);
template std::unique_ptr<Yardstick<std::complex<double>>> make_sine(const Grid&, MPI_Comm);
template std::unique_ptr<Yardstick<std::complex<float>>> make_sine(const Grid&, MPI_Comm);

}  // namespace fft3d
