// SPDX-License-Identifier: BSD-3-Clause
// RowStage: between the field and y pencils, plane by plane of z: x transforms, x and y exchanged within the
// row, y transforms.
//
// One plane at a time goes through a transform and into messages, or the other way, so that it stays in the
// cache. A block from x pencils of one member to y pencils of another is [z][x][y]: turned where it is packed
// going forward and where it is unpacked coming back. A row of one member needs no messages.
#pragma once

#include <map>

#include "decomposition.hpp"
#include "exchange.hpp"
#include "form.hpp"
#include "times.hpp"

namespace fft3d {

/// Some of this rank's z planes, counted from its first.
struct Planes {
  int begin = 0;
  int count = 0;
};

template <typename Field>
class RowStage {
 public:
  using Real = RealOf<Field>;
  using Complex = std::complex<Real>;

  /// `pieces`: what forward and backward will be called with.
  RowStage(const Decomposition& decomposition, const std::vector<Planes>& pieces, const Form& form,
           Times& times);

  /// `field` and `pencils` are those of all planes. Collective in the row.
  void forward(const Field* field, Planes planes, Complex* pencils);
  /// The pencils are destroyed.
  void backward(Complex* pencils, Planes planes, Field* field);

 private:
  /// Between one plane of x pencils and messages, or y pencils where there is no other member.
  void pack_x(int plane, Exchange<Real>& exchange);
  void unpack_x(int plane, Exchange<Real>& exchange);
  void unpack_y(int plane, Exchange<Real>& exchange, Complex* pencil_plane);
  void pack_y(int plane, Exchange<Real>& exchange, const Complex* pencil_plane);
  void run(Exchange<Real>& exchange, Direction direction);

  const Decomposition& decomposition_;
  Times& times_;
  bool is_skipped_;
  int members_;
  int ny_, my_x_, my_y_, spectrum_x_;
  std::size_t field_plane_, pencil_plane_;
  Lines<Field, Complex> x_forward_;
  Lines<Complex, Field> x_backward_;
  Lines<Complex, Complex> y_forward_, y_backward_;
  Array<Complex> x_plane_;                   ///< x pencils of one plane
  std::map<int, Exchange<Real>> exchanges_;  ///< by number of planes
};

}  // namespace fft3d
