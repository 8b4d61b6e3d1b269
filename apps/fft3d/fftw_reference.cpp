// SPDX-License-Identifier: BSD-3-Clause
#include "fftw_reference.hpp"

#include <algorithm>
#include <fftw3-mpi.h>
#include <stdexcept>

namespace fft3d {
namespace {

template <typename Real>
struct FftwMpi;

#define FFT3D_FFTW_MPI(REAL, PREFIX)                                      \
  template <>                                                             \
  struct FftwMpi<REAL> {                                                  \
    static constexpr auto init = PREFIX##init;                            \
    static constexpr auto local_size = PREFIX##local_size_3d_transposed;  \
    static constexpr auto plan_complex = PREFIX##plan_dft_3d;             \
    static constexpr auto plan_real_to_complex = PREFIX##plan_dft_r2c_3d; \
    static constexpr auto plan_complex_to_real = PREFIX##plan_dft_c2r_3d; \
    static constexpr auto run_complex = PREFIX##execute_dft;              \
    static constexpr auto run_real_to_complex = PREFIX##execute_dft_r2c;  \
    static constexpr auto run_complex_to_real = PREFIX##execute_dft_c2r;  \
  }
FFT3D_FFTW_MPI(double, fftw_mpi_);
FFT3D_FFTW_MPI(float, fftwf_mpi_);
#undef FFT3D_FFTW_MPI

template <typename Field>
class FftwReference : public Transform<Field> {
 public:
  using Real = RealOf<Field>;
  using Complex = std::complex<Real>;

  FftwReference(const Grid& grid, Effort effort, MPI_Comm communicator) : grid_(grid) {
    const auto [nx, ny, nz] = grid.points;
    Library::init();
    std::ptrdiff_t z_count = 0, z_begin = 0, y_count = 0, y_begin = 0;
    size_ =
        Library::local_size(nz, ny, grid.spectrum_x(), communicator, &z_count, &z_begin, &y_count, &y_begin);
    z_ = {static_cast<int>(z_begin), static_cast<int>(z_count)};
    y_ = {static_cast<int>(y_begin), static_cast<int>(y_count)};
    Array<Field> field(field_size());
    Array<Complex> spectrum(size_);
    const unsigned flags = static_cast<unsigned>(effort);
    auto* const numbers = reinterpret_cast<FftwComplex*>(spectrum.data());
    if constexpr (kIsReal) {
      copy_ = Array<Complex>(size_);
      forward_ = Library::plan_real_to_complex(nz, ny, nx, field.data(), numbers, communicator,
                                               flags | FFTW_MPI_TRANSPOSED_OUT);
      backward_ = Library::plan_complex_to_real(nz, ny, nx, numbers, field.data(), communicator,
                                                flags | FFTW_MPI_TRANSPOSED_IN);
    } else {
      auto* const values = reinterpret_cast<FftwComplex*>(field.data());
      forward_ = Library::plan_complex(nz, ny, nx, values, numbers, communicator, FFTW_FORWARD,
                                       flags | FFTW_MPI_TRANSPOSED_OUT);
      backward_ = Library::plan_complex(nz, ny, nx, numbers, values, communicator, FFTW_BACKWARD,
                                        flags | FFTW_MPI_TRANSPOSED_IN);
    }
    if (!forward_ || !backward_) throw std::runtime_error("FFTW's MPI has no plan for this transform");
  }
  ~FftwReference() override {
    Fftw<Real>::destroy(forward_);
    Fftw<Real>::destroy(backward_);
  }

  Block field() const override {
    const std::size_t line = kIsReal ? 2 * grid_.spectrum_x() : grid_.points[0];
    return {{Range{0, grid_.points[0]}, Range{0, grid_.points[1]}, z_}, {1, line, line * grid_.points[1]}};
  }
  Block spectrum() const override {
    const std::size_t line = grid_.spectrum_x();
    return {{Range{0, grid_.spectrum_x()}, y_, Range{0, grid_.points[2]}}, {1, line * grid_.points[2], line}};
  }
  std::size_t field_size() const override { return kIsReal ? 2 * size_ : size_; }
  std::size_t spectrum_size() const override { return size_; }

  void forward(std::span<const Field* const> fields, std::span<Complex* const> spectra) override {
    const Timed timed(this->times[Part::kTransform]);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      auto* const field = const_cast<Field*>(fields[i]);
      auto* const spectrum = reinterpret_cast<FftwComplex*>(spectra[i]);
      if constexpr (kIsReal) Library::run_real_to_complex(forward_, field, spectrum);
      else Library::run_complex(forward_, reinterpret_cast<FftwComplex*>(field), spectrum);
    }
  }
  void backward(std::span<const Complex* const> spectra, std::span<Field* const> fields) override {
    const Timed timed(this->times[Part::kTransform]);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if constexpr (kIsReal) {
        std::copy_n(spectra[i], size_, copy_.data());
        Library::run_complex_to_real(backward_, reinterpret_cast<FftwComplex*>(copy_.data()), fields[i]);
      } else {
        Library::run_complex(backward_, reinterpret_cast<FftwComplex*>(const_cast<Complex*>(spectra[i])),
                             reinterpret_cast<FftwComplex*>(fields[i]));
      }
    }
  }

 private:
  static constexpr bool kIsReal = Element<Field>::kIsReal;
  using Library = FftwMpi<Real>;
  using FftwComplex = typename Fftw<Real>::Complex;

  Grid grid_;
  std::size_t size_ = 0;
  Range y_, z_;
  Array<Complex> copy_;
  typename Fftw<Real>::Plan forward_ = nullptr;
  typename Fftw<Real>::Plan backward_ = nullptr;
};

}  // namespace

bool has_fftw_reference() { return true; }

template <typename Field>
std::unique_ptr<Transform<Field>> make_fftw_reference(const Grid& grid, Effort effort,
                                                      MPI_Comm communicator) {
  return std::make_unique<FftwReference<Field>>(grid, effort, communicator);
}

template std::unique_ptr<Transform<double>> make_fftw_reference(const Grid&, Effort, MPI_Comm);
template std::unique_ptr<Transform<float>> make_fftw_reference(const Grid&, Effort, MPI_Comm);
template std::unique_ptr<Transform<std::complex<double>>> make_fftw_reference(const Grid&, Effort, MPI_Comm);
template std::unique_ptr<Transform<std::complex<float>>> make_fftw_reference(const Grid&, Effort, MPI_Comm);

}  // namespace fft3d
