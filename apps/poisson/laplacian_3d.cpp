// SPDX-License-Identifier: BSD-3-Clause
#include "laplacian_3d.hpp"

#include <algorithm>

namespace poisson {
namespace {

enum Side { kWest, kEast, kSouth, kNorth, kBelow, kAbove };  // lower and upper along x, y, z

std::vector<int> faces_of(const Box& box) {
  const int nx = box[0].count;
  const int ny = box[1].count;
  const int nz = box[2].count;
  return {ny * nz, nx * nz, nx * ny};
}

}  // namespace

Laplacian3d::Laplacian3d(const ProcessGrid& grid, Exchange exchange)
    : Operator(Halo(faces_of(grid.box()), exchange, grid.communicator())),
      nx_(grid.box()[0].count),
      ny_(grid.box()[1].count),
      nz_(grid.box()[2].count),
      inner_x_(without_halo(0)),
      inner_y_(without_halo(1)),
      inner_z_(without_halo(2)),
      zeros_(nx_) {}

/// Where the whole grid ends nothing comes from others, so points there are inner ones.
Laplacian3d::Range Laplacian3d::without_halo(int direction) const {
  const int count = direction == 0 ? nx_ : direction == 1 ? ny_ : nz_;
  const int first = halo_.has_neighbour(2 * direction) ? 1 : 0;
  const int last = count - (halo_.has_neighbour(2 * direction + 1) ? 1 : 0);
  return {first, std::max(first, last)};
}

void Laplacian3d::pack(const Vector& p) {
  const auto pack_x_face = [&](Side side, int x) {
    if (!halo_.has_neighbour(side)) return;
    double* out = halo_.out(side);
    for (int z = 0; z < nz_; ++z)
      for (int y = 0; y < ny_; ++y) *out++ = p[row_offset(y, z) + x];
  };
  const auto pack_y_face = [&](Side side, int y) {
    if (!halo_.has_neighbour(side)) return;
    double* out = halo_.out(side);
    for (int z = 0; z < nz_; ++z) out = std::copy_n(p.data() + row_offset(y, z), nx_, out);
  };
  const auto pack_z_face = [&](Side side, int z) {
    if (halo_.has_neighbour(side))
      std::copy_n(p.data() + row_offset(0, z), static_cast<std::size_t>(nx_) * ny_, halo_.out(side));
  };
  pack_x_face(kWest, 0);
  pack_x_face(kEast, nx_ - 1);
  pack_y_face(kSouth, 0);
  pack_y_face(kNorth, ny_ - 1);
  pack_z_face(kBelow, 0);
  pack_z_face(kAbove, nz_ - 1);
}

Laplacian3d::Row Laplacian3d::row_at(const double* p, int y, int z) const {
  const auto beyond = [&](Side side, std::size_t offset) {
    return halo_.has_neighbour(side) ? halo_.in(side) + offset : zeros_.data();
  };
  const std::size_t along_x = static_cast<std::size_t>(nx_);
  const std::size_t in_x_face = y + static_cast<std::size_t>(ny_) * z;
  const double* here = p + row_offset(y, z);
  return {.here = here,
          .south = y > 0 ? here - along_x : beyond(kSouth, along_x * z),
          .north = y < ny_ - 1 ? here + along_x : beyond(kNorth, along_x * z),
          .below = z > 0 ? here - along_x * ny_ : beyond(kBelow, along_x * y),
          .above = z < nz_ - 1 ? here + along_x * ny_ : beyond(kAbove, along_x * y),
          .before = halo_.has_neighbour(kWest) ? halo_.in(kWest)[in_x_face] : 0,
          .behind = halo_.has_neighbour(kEast) ? halo_.in(kEast)[in_x_face] : 0};
}

/// At one point, which may be the first or the last of its row.
double Laplacian3d::product_of(const Row& row, double* q, int x) const {
  const double west = x > 0 ? row.here[x - 1] : row.before;
  const double east = x < nx_ - 1 ? row.here[x + 1] : row.behind;
  q[x] = 6 * row.here[x] - (west + east + row.south[x] + row.north[x] + row.below[x] + row.above[x]);
  return row.here[x] * q[x];
}

double Laplacian3d::product_of(const Row& row, double* q, Range xs) const {
  double product = 0;
  const Range middle{std::max(xs.first, 1), std::min(xs.last, nx_ - 1)};
  if (xs.contains(0)) product += product_of(row, q, 0);
  const auto [here, south, north, below, above, before, behind] = row;
#pragma omp simd reduction(+ : product)
  for (int x = middle.first; x < middle.last; ++x) {
    q[x] = 6 * here[x] - (here[x - 1] + here[x + 1] + south[x] + north[x] + below[x] + above[x]);
    product += here[x] * q[x];
  }
  if (nx_ > 1 && xs.contains(nx_ - 1)) product += product_of(row, q, nx_ - 1);
  return product;
}

double Laplacian3d::inner(const Vector& p, Vector& q) const {
  double product = 0;
  for (int z = inner_z_.first; z < inner_z_.last; ++z)
    for (int y = inner_y_.first; y < inner_y_.last; ++y)
      product += product_of(row_at(p.data(), y, z), q.data() + row_offset(y, z), inner_x_);
  return product;
}

double Laplacian3d::boundary(const Vector& p, Vector& q) const {
  const Range before{0, inner_x_.first};
  const Range behind{inner_x_.last, nx_};
  double product = 0;
  for (int z = 0; z < nz_; ++z)
    for (int y = 0; y < ny_; ++y) {
      const Row row = row_at(p.data(), y, z);
      double* to = q.data() + row_offset(y, z);
      if (!inner_z_.contains(z) || !inner_y_.contains(y)) {
        product += product_of(row, to, Range{0, nx_});
      } else {
        if (before.first < before.last) product += product_of(row, to, before);
        if (behind.first < behind.last) product += product_of(row, to, behind);
      }
    }
  return product;
}

}  // namespace poisson
