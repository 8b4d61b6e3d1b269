// SPDX-License-Identifier: BSD-3-Clause
// In place of fftw_reference.cpp where FFTW's MPI transform is missing.
#include "fftw_reference.hpp"

namespace fft3d {

bool has_fftw_reference() { return false; }

template <typename Field>
std::unique_ptr<Transform<Field>> make_fftw_reference(const Grid&, Effort, MPI_Comm) {
  return nullptr;
}

template std::unique_ptr<Transform<double>> make_fftw_reference(const Grid&, Effort, MPI_Comm);
template std::unique_ptr<Transform<float>> make_fftw_reference(const Grid&, Effort, MPI_Comm);
template std::unique_ptr<Transform<std::complex<double>>> make_fftw_reference(const Grid&, Effort, MPI_Comm);
template std::unique_ptr<Transform<std::complex<float>>> make_fftw_reference(const Grid&, Effort, MPI_Comm);

}  // namespace fft3d
