// SPDX-License-Identifier: BSD-3-Clause
#include "plan.hpp"

#include <algorithm>

namespace fft3d {
namespace {

constexpr int kMessages = 4;

/// A number that all members of a column agree on.
int planes_per_message(const Decomposition& decomposition, const Form& form) {
  const int most = decomposition.z_of(0).count;
  if (form.exchanges != Exchanges::kPlanes) return most;
  return form.planes > 0 ? std::min(form.planes, most) : (most + kMessages - 1) / kMessages;
}

template <typename Real>
std::vector<Planes> pieces_of(const ColumnStage<Real>& column) {
  std::vector<Planes> pieces;
  for (int number = 0; number < column.piece_count(); ++number) pieces.push_back(column.piece(number));
  return pieces;
}

}  // namespace

template <typename Field>
Plan<Field>::Plan(const Decomposition& decomposition, const Form& form)
    : decomposition_(decomposition),
      planes_per_message_(fft3d::planes_per_message(decomposition, form)),
      lag_(form.exchanges == Exchanges::kPipelined ? form.depth : 0),
      column_(decomposition, planes_per_message_, lag_ + 1, form, this->times),
      row_(decomposition, pieces_of(column_), form, this->times),
      pencils_(std::size_t{1} * decomposition.x().count * decomposition.grid().points[1] *
               decomposition.z().count) {}

template <typename Field>
void Plan<Field>::forward(std::span<const Field* const> fields, std::span<Complex* const> spectra) {
  const int variables = static_cast<int>(fields.size());
  const int sets = lag_ + 1;
  for (int variable = 0; variable < variables + lag_; ++variable) {
    if (variable < variables)
      for (int piece = 0; piece < column_.piece_count(); ++piece) {
        row_.forward(fields[variable], column_.piece(piece), pencils_.data());
        column_.start_forward(variable % sets, piece, pencils_.data());
      }
    if (const int ready = variable - lag_; ready >= 0) column_.finish_forward(ready % sets, spectra[ready]);
  }
}

template <typename Field>
void Plan<Field>::backward(std::span<const Complex* const> spectra, std::span<Field* const> fields) {
  const int variables = static_cast<int>(spectra.size());
  const int sets = lag_ + 1;
  for (int variable = 0; variable < variables + lag_; ++variable) {
    if (variable < variables) column_.start_backward(variable % sets, spectra[variable]);
    const int ready = variable - lag_;
    if (ready < 0) continue;
    for (int piece = 0; piece < column_.piece_count(); ++piece) {
      column_.finish_backward(ready % sets, piece, pencils_.data());
      row_.backward(pencils_.data(), column_.piece(piece), fields[ready]);
    }
  }
}

template class Plan<double>;
template class Plan<float>;
template class Plan<std::complex<double>>;
template class Plan<std::complex<float>>;

}  // namespace fft3d
