// SPDX-License-Identifier: BSD-3-Clause
#include "edges.hpp"

#include <algorithm>

#include "kernels.hpp"

namespace wave {
namespace {

/// For each point of the box's plane z = 0.
template <typename Work>
void at_surface(const Layout& layout, const Work& work) {
  for (int y = 0; y < layout.count[1]; ++y)
    for (int x = 0; x < layout.count[0]; ++x) work(layout.at(x, y, 0));
}

template <typename Real>
void image_above(Component component, State<Real>& state, const Layout& layout) {
  Real* f = state.fields[component].data();
  const std::ptrdiff_t down = layout.stride[2];
  at_surface(layout, [&](std::ptrdiff_t at) {
    switch (component) {
      case kVx:
      case kVy:
      case kVz: f[at - down] = 3 * f[at] - 3 * f[at + down] + f[at + 2 * down]; break;
      case kZz: f[at - down] = -f[at + down]; break;
      case kXz:
      case kYz:
        f[at - down] = -f[at];
        f[at - 2 * down] = -f[at + down];
        break;
      default: break;
    }
  });
}

template <typename Real>
void mirror(Component component, int side, State<Real>& state, const Layout& layout) {
  const int direction = side / 2;
  const bool is_odd = kStaggered[component][direction];
  const bool is_upper = side % 2 == 1;
  const std::ptrdiff_t inwards = is_upper ? -layout.stride[direction] : layout.stride[direction];
  Triple to = layout.count;
  Triple from{};
  from[direction] = is_upper ? layout.count[direction] - 1 : 0;
  to[direction] = from[direction] + 1;
  Real* f = state.fields[component].data();
  for (int z = from[2]; z < to[2]; ++z)
    for (int y = from[1]; y < to[1]; ++y)
      for (int x = from[0]; x < to[0]; ++x) {
        const std::ptrdiff_t at = layout.at(x, y, z);  // the outermost point
        if (!is_odd) {
          f[at - inwards] = f[at];
          f[at - 2 * inwards] = f[at + inwards];
        } else if (is_upper) {  // which lies on the wall
          f[at - inwards] = -f[at + inwards];
        } else {
          f[at - inwards] = 0;
          f[at - 2 * inwards] = -f[at];
        }
      }
}

}  // namespace

template <typename Real>
void fill_edges(int group, const Edges& edges, State<Real>& state, const Layout& layout) {
  if (edges.has_surface())
    for (const Component component : members_of(group)) image_above(component, state, layout);
  if (edges.boundaries == Boundaries::kRigid)
    for (int side = 0; side < kSideCount; ++side)
      if (const int component = sent_over(group, side); edges.is_edge[side] && component >= 0)
        mirror(Component(component), side, state, layout);
}

template <typename Real>
void free_surface_before_normal(const Edges& edges, State<Real>& state,
                                const Coefficients<Real>& coefficients, const Layout& layout) {
  if (!edges.has_surface()) return;
  const auto [vx, along_x] = difference_of(state, layout, kVx, 0);
  const auto [vy, along_y] = difference_of(state, layout, kVy, 1);
  Real* vz = state.fields[kVz].data();
  const std::ptrdiff_t down = layout.stride[2];
  const Real near(9.0 / 8), far(-1.0 / 24);
  for (int y = 0; y < layout.count[1]; ++y)
    for (int x = 0; x < layout.count[0]; ++x) {
      const std::ptrdiff_t at = layout.at(x, y, 0);
      const Real lambda = coefficients.lambda[at];
      const Real wanted = -lambda / (lambda + coefficients.two_mu[at]) *
                          (difference(vx + at, along_x) + difference(vy + at, along_y));
      vz[at - 2 * down] = vz[at + down] - (wanted - near * (vz[at] - vz[at - down])) / far;
    }
}

template <typename Real>
void free_surface_behind_normal(const Edges& edges, State<Real>& state, const Layout& layout,
                                const Region& region) {
  if (!edges.has_surface() || region.from[2] > 0 || region.empty()) return;
  for (int y = region.from[1]; y < region.to[1]; ++y) {
    Real* row = state.fields[kZz].data() + layout.at(region.from[0], y, 0);
    std::fill_n(row, region.to[0] - region.from[0], Real(0));
  }
}

template void fill_edges(int, const Edges&, State<float>&, const Layout&);
template void fill_edges(int, const Edges&, State<double>&, const Layout&);
template void free_surface_before_normal(const Edges&, State<float>&, const Coefficients<float>&,
                                         const Layout&);
template void free_surface_before_normal(const Edges&, State<double>&, const Coefficients<double>&,
                                         const Layout&);
template void free_surface_behind_normal(const Edges&, State<float>&, const Layout&, const Region&);
template void free_surface_behind_normal(const Edges&, State<double>&, const Layout&, const Region&);

}  // namespace wave
