// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "yardstick.hpp"

namespace fft3d {
namespace {

/// Up to here each rank transforms the whole field by itself.
constexpr double kMostPointsForSerial = 1 << 18;

using Complex = std::complex<double>;
using WaveVector = std::array<int, 3>;

/// The finisher of splitmix64 (Steele, Lea and Flood, 2014).
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

/// Between -1/2 and 1/2.
double uniform(std::uint64_t key) { return std::ldexp(static_cast<double>(mixed(key) >> 11), -53) - 0.5; }

template <typename Field>
class Random : public Yardstick<Field> {
 public:
  Random(const Grid& grid, int variables, const Block& field_block, const Block& spectrum_block,
         MPI_Comm communicator)
      : grid_(grid), communicator_(communicator), is_serial_(grid.size() <= kMostPointsForSerial) {
    if (!is_serial_) choose_wave_vectors();
    for (int variable = 0; variable < variables; ++variable)
      expected_.push_back(is_serial_ ? serial_spectrum(variable, spectrum_block)
                                     : sums(variable, field_block));
  }

  void fill(int variable, const Block& block, Field* field) const override {
    for_each_point(block, [&](int x, int y, int z, std::size_t i) { field[i] = value(variable, x, y, z); });
  }

  double spectrum_error(int variable, const Block& block, const ComplexOf<Field>* spectrum) const override {
    Worst worst;
    const std::vector<Complex>& expected = expected_[variable];
    if (is_serial_) {
      std::size_t next = 0;
      for_each_point(block, [&](int, int, int, std::size_t i) { worst.add(spectrum[i], expected[next++]); });
      return worst.over(communicator_);
    }
    const auto [x, y, z] = block.ranges;
    const auto has = [](Range range, int place) { return place >= range.begin && place < range.end(); };
    for (std::size_t i = 0; i < wave_vectors_.size(); ++i) {
      const auto [kx, ky, kz] = wave_vectors_[i];
      if (has(x, kx) && has(y, ky) && has(z, kz))
        worst.add(spectrum[(kx - x.begin) * block.strides[0] + (ky - y.begin) * block.strides[1] +
                           (kz - z.begin) * block.strides[2]],
                  expected[i]);
    }
    return worst.over(communicator_);
  }

 private:
  Field value(int variable, int x, int y, int z) const {
    const auto& n = grid_.points;
    const std::uint64_t place = ((std::uint64_t{1} * variable * n[2] + z) * n[1] + y) * n[0] + x;
    const auto first = static_cast<RealOf<Field>>(uniform(2 * place + 1));
    if constexpr (Element<Field>::kIsReal) return first;
    else return {first, static_cast<RealOf<Field>>(uniform(2 * place + 2))};
  }

  /// Of the block alone, in the order of for_each_point.
  std::vector<Complex> serial_spectrum(int variable, const Block& block) const {
    const auto [nx, ny, nz] = grid_.points;
    Array<Complex> whole(static_cast<std::size_t>(grid_.size()));
    auto* const numbers = reinterpret_cast<fftw_complex*>(whole.data());
    const fftw_plan plan = fftw_plan_dft_3d(nz, ny, nx, numbers, numbers, FFTW_FORWARD, FFTW_ESTIMATE);
    const std::size_t line = nx;
    const Block all{{Range{0, nx}, Range{0, ny}, Range{0, nz}}, {1, line, line * ny}};
    for_each_point(all,
                   [&](int x, int y, int z, std::size_t i) { whole[i] = Complex(value(variable, x, y, z)); });
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    std::vector<Complex> own;
    own.reserve(block.size());
    for_each_point(block, [&](int x, int y, int z, std::size_t) {
      own.push_back(whole[(line * z * ny) + line * y + x]);
    });
    return own;
  }

  void choose_wave_vectors() {
    const auto [nx, ny, nz] = grid_.points;
    const int most = grid_.spectrum_x() - 1;
    wave_vectors_ = {WaveVector{0, 0, 0}, WaveVector{std::min(1, most), 2 % ny, 3 % nz},
                     WaveVector{nx / 2, ny / 3, nz - 1}, WaveVector{std::min(nx / 3, most), ny - 1, nz / 2}};
  }

  /// The coefficients of the wave vectors, from their definition. Collective.
  std::vector<Complex> sums(int variable, const Block& block) const {
    std::vector<Complex> result;
    for (const WaveVector& wave : wave_vectors_) {
      std::array<std::vector<Complex>, 3> along;
      for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < grid_.points[axis]; ++i)
          along[axis].push_back(std::polar(
              1.0, -2 * std::numbers::pi * (1LL * i * wave[axis] % grid_.points[axis]) / grid_.points[axis]));
      Sum<Complex> partial;
      for_each_point(block, [&](int x, int y, int z, std::size_t) {
        partial.add(Complex(value(variable, x, y, z)) * along[0][x] * along[1][y] * along[2][z]);
      });
      Complex sum = partial.value();
      MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, communicator_);
      result.push_back(sum);
    }
    return result;
  }

  Grid grid_;
  MPI_Comm communicator_;
  bool is_serial_;
  std::vector<WaveVector> wave_vectors_;
  std::vector<std::vector<Complex>>
      expected_;  ///< by variable: the spectrum block, or a number per wave vector
};

}  // namespace

template <typename Field>
std::unique_ptr<Yardstick<Field>> make_random(const Grid& grid, int variables, const Block& field_block,
                                              const Block& spectrum_block, MPI_Comm communicator) {
  return std::make_unique<Random<Field>>(grid, variables, field_block, spectrum_block, communicator);
}

#define FFT3D_INSTANTIATE(FIELD)                                                                       \
  template std::unique_ptr<Yardstick<FIELD>> make_random(const Grid&, int, const Block&, const Block&, \
                                                         MPI_Comm)
FFT3D_INSTANTIATE(double);
FFT3D_INSTANTIATE(float);
FFT3D_INSTANTIATE(std::complex<double>);
FFT3D_INSTANTIATE(std::complex<float>);
#undef FFT3D_INSTANTIATE

}  // namespace fft3d
