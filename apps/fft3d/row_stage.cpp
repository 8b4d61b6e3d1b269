// SPDX-License-Identifier: BSD-3-Clause
#include "row_stage.hpp"

#include "pack.hpp"

namespace fft3d {

template <typename Field>
RowStage<Field>::RowStage(const Decomposition& decomposition, const std::vector<Planes>& pieces,
                          const Form& form, Times& times)
    : decomposition_(decomposition),
      times_(times),
      is_skipped_(form.exchanges == Exchanges::kSkipped),
      members_(decomposition.processes().columns),
      ny_(decomposition.grid().points[1]),
      my_x_(decomposition.x().count),
      my_y_(decomposition.y_of_field().count),
      spectrum_x_(decomposition.grid().spectrum_x()),
      field_plane_(std::size_t{1} * decomposition.grid().points[0] * my_y_),
      pencil_plane_(std::size_t{1} * my_x_ * ny_),
      x_forward_(decomposition.grid().points[0], my_y_, Direction::kForward, Placement::kOutOfPlace,
                 form.effort),
      x_backward_(decomposition.grid().points[0], my_y_, Direction::kBackward, Placement::kOutOfPlace,
                  form.effort),
      y_forward_(ny_, my_x_, Direction::kForward, Placement::kInPlace, form.effort),
      y_backward_(ny_, my_x_, Direction::kBackward, Placement::kInPlace, form.effort),
      x_plane_(std::size_t{1} * spectrum_x_ * my_y_) {
  if (members_ == 1) return;
  for (const Planes& piece : pieces) {
    std::vector<int> of_x_pencils(members_);
    std::vector<int> of_y_pencils(members_);
    for (int member = 0; member < members_; ++member) {
      of_x_pencils[member] = piece.count * decomposition.x_of(member).count * my_y_;
      of_y_pencils[member] = piece.count * my_x_ * decomposition.y_in_row(member).count;
    }
    if (piece.count > 0 && !exchanges_.contains(piece.count))
      exchanges_.emplace(piece.count, Exchange<Real>(decomposition.row(), of_x_pencils, of_y_pencils));
  }
}

template <typename Field>
void RowStage<Field>::pack_x(int plane, Exchange<Real>& exchange) {
  const Timed timed(times_[Part::kPack]);
  for (int member = 0; member < members_; ++member) {
    const Range x = decomposition_.x_of(member);
    Complex* const block =
        exchange.outgoing(Direction::kForward, member) + std::size_t{1} * plane * x.count * my_y_;
    copy_turned({my_y_, x.count}, x_plane_.data() + x.begin, spectrum_x_, block, my_y_);
  }
}

template <typename Field>
void RowStage<Field>::unpack_x(int plane, Exchange<Real>& exchange) {
  const Timed timed(times_[Part::kPack]);
  for (int member = 0; member < members_; ++member) {
    const Range x = decomposition_.x_of(member);
    const Complex* const block =
        exchange.incoming(Direction::kBackward, member) + std::size_t{1} * plane * x.count * my_y_;
    copy_turned({x.count, my_y_}, block, my_y_, x_plane_.data() + x.begin, spectrum_x_);
  }
}

template <typename Field>
void RowStage<Field>::unpack_y(int plane, Exchange<Real>& exchange, Complex* pencil_plane) {
  const Timed timed(times_[Part::kPack]);
  for (int member = 0; member < members_; ++member) {
    const Range y = decomposition_.y_in_row(member);
    const Complex* const block =
        exchange.incoming(Direction::kForward, member) + std::size_t{1} * plane * my_x_ * y.count;
    copy_rows({my_x_, y.count}, block, y.count, pencil_plane + y.begin, ny_);
  }
}

template <typename Field>
void RowStage<Field>::pack_y(int plane, Exchange<Real>& exchange, const Complex* pencil_plane) {
  const Timed timed(times_[Part::kPack]);
  for (int member = 0; member < members_; ++member) {
    const Range y = decomposition_.y_in_row(member);
    Complex* const block =
        exchange.outgoing(Direction::kBackward, member) + std::size_t{1} * plane * my_x_ * y.count;
    copy_rows({my_x_, y.count}, pencil_plane + y.begin, ny_, block, y.count);
  }
}

template <typename Field>
void RowStage<Field>::run(Exchange<Real>& exchange, Direction direction) {
  if (is_skipped_) return;
  const Timed timed(times_[Part::kRow]);
  exchange.run(direction);
}

template <typename Field>
void RowStage<Field>::forward(const Field* field, Planes planes, Complex* pencils) {
  if (planes.count == 0) return;
  field += planes.begin * field_plane_;
  pencils += planes.begin * pencil_plane_;
  Exchange<Real>* const exchange = members_ == 1 ? nullptr : &exchanges_.at(planes.count);
  const auto transform_y = [&](int plane) {
    const Timed timed(times_[Part::kTransform]);
    y_forward_.run(pencils + plane * pencil_plane_, pencils + plane * pencil_plane_);
  };
  for (int plane = 0; plane < planes.count; ++plane) {
    {
      const Timed timed(times_[Part::kTransform]);
      x_forward_.run(field + plane * field_plane_, x_plane_.data());
    }
    if (exchange) {
      pack_x(plane, *exchange);
      continue;
    }
    {
      const Timed timed(times_[Part::kPack]);
      copy_turned({ny_, my_x_}, x_plane_.data(), my_x_, pencils + plane * pencil_plane_, ny_);
    }
    transform_y(plane);
  }
  if (!exchange) return;
  run(*exchange, Direction::kForward);
  for (int plane = 0; plane < planes.count; ++plane) {
    unpack_y(plane, *exchange, pencils + plane * pencil_plane_);
    transform_y(plane);
  }
}

template <typename Field>
void RowStage<Field>::backward(Complex* pencils, Planes planes, Field* field) {
  if (planes.count == 0) return;
  field += planes.begin * field_plane_;
  pencils += planes.begin * pencil_plane_;
  Exchange<Real>* const exchange = members_ == 1 ? nullptr : &exchanges_.at(planes.count);
  const auto transform_x = [&](int plane) {
    const Timed timed(times_[Part::kTransform]);
    x_backward_.run(x_plane_.data(), field + plane * field_plane_);
  };
  for (int plane = 0; plane < planes.count; ++plane) {
    Complex* const pencil_plane = pencils + plane * pencil_plane_;
    {
      const Timed timed(times_[Part::kTransform]);
      y_backward_.run(pencil_plane, pencil_plane);
    }
    if (exchange) {
      pack_y(plane, *exchange, pencil_plane);
      continue;
    }
    {
      const Timed timed(times_[Part::kPack]);
      copy_turned({my_x_, ny_}, pencil_plane, ny_, x_plane_.data(), my_x_);
    }
    transform_x(plane);
  }
  if (!exchange) return;
  run(*exchange, Direction::kBackward);
  for (int plane = 0; plane < planes.count; ++plane) {
    unpack_x(plane, *exchange);
    transform_x(plane);
  }
}

template class RowStage<double>;
template class RowStage<float>;
template class RowStage<std::complex<double>>;
template class RowStage<std::complex<float>>;

}  // namespace fft3d
