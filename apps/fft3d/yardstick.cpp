// SPDX-License-Identifier: BSD-3-Clause
#include "yardstick.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fft3d {

void Worst::add(std::complex<double> got, std::complex<double> expected) {
  const double difference = std::abs(got - expected);
  if (std::isnan(difference)) difference_ = std::numeric_limits<double>::infinity();
  else difference_ = std::max(difference_, difference);
  expected_ = std::max(expected_, std::abs(expected));
}

double Worst::over(MPI_Comm communicator) const {
  double both[2] = {difference_, expected_};
  MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_DOUBLE, MPI_MAX, communicator);
  return both[1] > 0 ? both[0] / both[1] : both[0];
}

template <typename Field>
double parseval_error(const Grid& grid, const Block& field_block, const Field* field,
                      const Block& spectrum_block, const ComplexOf<Field>* spectrum, MPI_Comm communicator) {
  Sum<double> of_field, of_spectrum;
  for_each_point(field_block, [&](int, int, int, std::size_t i) {
    of_field.add(std::norm(std::complex<double>(field[i])));
  });
  const int nx = grid.points[0];
  for_each_point(spectrum_block, [&](int x, int, int, std::size_t i) {
    const bool stands_for_two = grid.is_real && x != 0 && 2 * x != nx;
    of_spectrum.add((stands_for_two ? 2 : 1) * std::norm(std::complex<double>(spectrum[i])));
  });
  double sums[2] = {of_field.value(), of_spectrum.value()};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, communicator);
  sums[1] /= grid.size();
  const double error = std::abs(sums[1] - sums[0]) / (sums[0] > 0 ? sums[0] : 1);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

template <typename Field>
double round_trip_error(const Grid& grid, const Block& block, const Field* field, const Field* back,
                        MPI_Comm communicator) {
  Worst worst;
  for_each_point(block, [&](int, int, int, std::size_t i) {
    worst.add(std::complex<double>(back[i]) / grid.size(), field[i]);
  });
  return worst.over(communicator);
}

#define FFT3D_INSTANTIATE(FIELD)                                                        \
  template double parseval_error(const Grid&, const Block&, const FIELD*, const Block&, \
                                 const ComplexOf<FIELD>*, MPI_Comm);                    \
  template double round_trip_error(const Grid&, const Block&, const FIELD*, const FIELD*, MPI_Comm)
FFT3D_INSTANTIATE(double);
FFT3D_INSTANTIATE(float);
FFT3D_INSTANTIATE(std::complex<double>);
FFT3D_INSTANTIATE(std::complex<float>);
#undef FFT3D_INSTANTIATE

}  // namespace fft3d
