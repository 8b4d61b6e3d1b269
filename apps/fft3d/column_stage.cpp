// SPDX-License-Identifier: BSD-3-Clause
#include "column_stage.hpp"

#include <algorithm>

#include "pack.hpp"

namespace fft3d {

template <typename Real>
ColumnStage<Real>::ColumnStage(const Decomposition& decomposition, int planes_per_piece, int sets,
                               const Form& form, Times& times)
    : decomposition_(decomposition),
      times_(times),
      form_(form.exchanges),
      members_(decomposition.processes().rows),
      planes_per_piece_(planes_per_piece),
      piece_count_((decomposition.z_of(0).count + planes_per_piece - 1) / planes_per_piece),
      ny_(decomposition.grid().points[1]),
      nz_(decomposition.grid().points[2]),
      my_x_(decomposition.x().count),
      my_y_(decomposition.y_of_spectrum().count),
      forward_(nz_, my_y_, Direction::kForward, Placement::kInPlace, form.effort),
      backward_(nz_, my_y_, Direction::kBackward, Placement::kOutOfPlace, form.effort),
      x_slab_(std::size_t{1} * my_y_ * nz_),
      exchanges_(sets) {
  for (auto& set : exchanges_)
    for (int number = 0; number < piece_count_; ++number) {
      std::vector<int> of_y_pencils(members_);
      std::vector<int> of_z_pencils(members_);
      for (int member = 0; member < members_; ++member) {
        of_y_pencils[member] = my_x_ * decomposition.y_in_column(member).count * piece(number).count;
        of_z_pencils[member] = my_x_ * my_y_ * piece_of(decomposition.z_of(member).count, number).count;
      }
      set.emplace_back(decomposition.column(), of_y_pencils, of_z_pencils);
    }
}

template <typename Real>
Planes ColumnStage<Real>::piece_of(int planes, int number) const {
  const int begin = std::min(number * planes_per_piece_, planes);
  return {begin, std::min(planes_per_piece_, planes - begin)};
}

template <typename Real>
void ColumnStage<Real>::begin(Exchange<Real>& exchange, Direction direction) {
  if (form_ == Exchanges::kSkipped) return;
  const Timed timed(times_[form_ == Exchanges::kBlocking ? Part::kColumn : Part::kColumnStart]);
  if (form_ == Exchanges::kBlocking) exchange.run(direction);
  else exchange.start(direction);
}

template <typename Real>
void ColumnStage<Real>::end(Exchange<Real>& exchange) {
  if (form_ == Exchanges::kSkipped || form_ == Exchanges::kBlocking) return;
  const Timed timed(times_[Part::kColumnWait]);
  exchange.finish();
}

template <typename Real>
void ColumnStage<Real>::start_forward(int set, int number, const Complex* pencils) {
  Exchange<Real>& exchange = exchanges_[set][number];
  const Planes planes = piece(number);
  const std::size_t plane = std::size_t{1} * my_x_ * ny_;
  {
    const Timed timed(times_[Part::kPack]);
    for (int member = 0; member < members_; ++member) {
      const Range y = decomposition_.y_in_column(member);
      Complex* const block = exchange.outgoing(Direction::kForward, member);
      for (int x = 0; x < my_x_; ++x)
        copy_turned({planes.count, y.count},
                    pencils + planes.begin * plane + std::size_t{1} * x * ny_ + y.begin, plane,
                    block + std::size_t{1} * x * y.count * planes.count, planes.count);
    }
  }
  begin(exchange, Direction::kForward);
}

template <typename Real>
void ColumnStage<Real>::finish_forward(int set, Complex* spectrum) {
  for (auto& exchange : exchanges_[set]) end(exchange);
  for (int x = 0; x < my_x_; ++x) {
    Complex* const slab = spectrum + std::size_t{1} * x * my_y_ * nz_;
    {
      const Timed timed(times_[Part::kPack]);
      for (int number = 0; number < piece_count_; ++number)
        for (int member = 0; member < members_; ++member) {
          const Range z = decomposition_.z_of(member);
          const Planes planes = piece_of(z.count, number);
          const Complex* const block = exchanges_[set][number].incoming(Direction::kForward, member);
          copy_rows({my_y_, planes.count}, block + std::size_t{1} * x * my_y_ * planes.count, planes.count,
                    slab + z.begin + planes.begin, nz_);
        }
    }
    const Timed timed(times_[Part::kTransform]);
    forward_.run(slab, slab);
  }
}

template <typename Real>
void ColumnStage<Real>::start_backward(int set, const Complex* spectrum) {
  for (int x = 0; x < my_x_; ++x) {
    {
      const Timed timed(times_[Part::kTransform]);
      backward_.run(spectrum + std::size_t{1} * x * my_y_ * nz_, x_slab_.data());
    }
    const Timed timed(times_[Part::kPack]);
    for (int number = 0; number < piece_count_; ++number)
      for (int member = 0; member < members_; ++member) {
        const Range z = decomposition_.z_of(member);
        const Planes planes = piece_of(z.count, number);
        Complex* const block = exchanges_[set][number].outgoing(Direction::kBackward, member);
        copy_rows({my_y_, planes.count}, x_slab_.data() + z.begin + planes.begin, nz_,
                  block + std::size_t{1} * x * my_y_ * planes.count, planes.count);
      }
  }
  for (auto& exchange : exchanges_[set]) begin(exchange, Direction::kBackward);
}

template <typename Real>
void ColumnStage<Real>::finish_backward(int set, int number, Complex* pencils) {
  Exchange<Real>& exchange = exchanges_[set][number];
  end(exchange);
  const Timed timed(times_[Part::kPack]);
  const Planes planes = piece(number);
  const std::size_t plane = std::size_t{1} * my_x_ * ny_;
  for (int member = 0; member < members_; ++member) {
    const Range y = decomposition_.y_in_column(member);
    const Complex* const block = exchange.incoming(Direction::kBackward, member);
    for (int x = 0; x < my_x_; ++x)
      copy_turned({y.count, planes.count}, block + std::size_t{1} * x * y.count * planes.count, planes.count,
                  pencils + planes.begin * plane + std::size_t{1} * x * ny_ + y.begin, plane);
  }
}

template class ColumnStage<double>;
template class ColumnStage<float>;

}  // namespace fft3d
