// SPDX-License-Identifier: BSD-3-Clause
// ColumnStage: between y pencils and the spectrum: y and z exchanged within the column, z transforms.
//
// The exchange may be cut into pieces of z planes, each a message of its own to every member, and there may
// be several sets of messages, so that a variable's are on their way while another's are packed. A block is
// [x][y][z] with the z of one piece: turned on the side of the y pencils. On the other side one x at a time
// goes through messages and transform, so that it stays in the cache.
#pragma once

#include "row_stage.hpp"

namespace fft3d {

template <typename Real>
class ColumnStage {
 public:
  using Complex = std::complex<Real>;

  ColumnStage(const Decomposition& decomposition, int planes_per_piece, int sets, const Form& form,
              Times& times);

  /// The same for all members; those with fewer planes have short or empty ones at the end.
  int piece_count() const { return piece_count_; }
  Planes piece(int number) const { return piece_of(decomposition_.z().count, number); }

  /// Forward: pack and start each piece; then finish the whole set into the spectrum.
  void start_forward(int set, int piece, const Complex* pencils);
  void finish_forward(int set, Complex* spectrum);

  /// Backward: start the whole set; then finish each piece into y pencils.
  void start_backward(int set, const Complex* spectrum);
  void finish_backward(int set, int piece, Complex* pencils);

 private:
  Planes piece_of(int planes, int number) const;
  void begin(Exchange<Real>& exchange, Direction direction);
  void end(Exchange<Real>& exchange);

  const Decomposition& decomposition_;
  Times& times_;
  Exchanges form_;
  int members_, planes_per_piece_, piece_count_;
  int ny_, nz_, my_x_, my_y_;
  Lines<Complex, Complex> forward_, backward_;
  Array<Complex> x_slab_;                               ///< z pencils of one x
  std::vector<std::vector<Exchange<Real>>> exchanges_;  ///< [set][piece]
};

}  // namespace fft3d
