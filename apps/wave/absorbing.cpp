// SPDX-License-Identifier: BSD-3-Clause
#include "absorbing.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "absorbing_rows.hpp"
#include "kernels.hpp"
#include "verdict.hpp"

namespace wave {
namespace {

/// Of the amplitude of a wave that has crossed the layer, straight, and come back from its end.
constexpr double kReflected = 1e-4;

/// Numbers in a cache line, and by how many psi is asked for before it is used. Rows in a layer across x are
/// one line each, or two, and the processor would wait for every one.
template <typename Real>
constexpr int kLine = Field<Real>::kCacheLine / sizeof(Real);
template <typename Real>
constexpr int kAhead = 32 * kLine<Real>;

/// Damping of the field itself, as a share of that of derivatives into the layer.
constexpr double kSpongeShare = 0.05;

struct Decay {
  double a, b;
  double kept;  // of the field, per time step
};

/// `depth`: how far into the layer, 0 to 1.
Decay decay_at(double depth, const AbsorbingLayers& layers) {
  if (depth <= 0) return {0, 1, 1};
  const double thickness = layers.width * layers.spacing;
  const double strongest = -3 * layers.fastest * std::log(kReflected) / (2 * thickness);
  const double damping = strongest * depth * depth;
  const double shift = std::numbers::pi * layers.frequency * std::max(0.0, 1 - depth);
  const double b = std::exp(-(damping + shift) * layers.time_step);
  return {damping / (damping + shift) * (b - 1), b, std::exp(-kSpongeShare * damping * layers.time_step)};
}

}  // namespace

template <typename Real>
std::array<int, 2> Absorbing<Real>::stretch_of(int direction, bool is_upper, int width, int whole) {
  // Half a spacing beyond the last point before the upper layer is inside it.
  const int wanted = is_upper ? width + 1 : width;
  // Along x whole vectors, in which nothing happens outside the layer, are faster than what they leave over.
  constexpr int kVector = 16;
  const int rounded = direction == 0 ? (wanted + kVector - 1) / kVector * kVector : wanted;
  const int points = std::min(rounded, whole - width - 1);  // not into the other layer
  return is_upper ? std::array{whole - points, whole} : std::array{0, points};
}

template <typename Real>
Absorbing<Real>::Absorbing(const AbsorbingLayers& layers, const Box& box)
    : layers_(layers), has_surface_(!layers.at_top && box[2].first == 0) {
  if (layers.width == 0) return;
  make_profiles(box);
  make_sponge(box);
  static constexpr std::array<std::array<Component, 3>, 3> kStresses{
      {{kXx, kXy, kXz}, {kXy, kYy, kYz}, {kXz, kYz, kZz}}};
  for (int v = 0; v < 3; ++v)
    for (int d = 0; d < 3; ++d) add_slab(kGroupVx + v, d, kStresses[v][d], Component(kVx + v), box);
  static constexpr std::array<std::array<int, 2>, 3> kDirections{{{0, 1}, {0, 2}, {1, 2}}};
  for (int which = 0; which < 3; ++which) {
    const auto [a, b] = kDirections[which];
    add_slab(kGroupXy + which, a, Component(kVx + b), Component(kXy + which), box);
    add_slab(kGroupXy + which, b, Component(kVx + a), Component(kXy + which), box);
  }
  for (int d = 0; d < 3; ++d) add_slab(kGroupNormal, d, Component(kVx + d), Component(kXx + d), box);
  make_psi();
}

template <typename Real>
void Absorbing<Real>::make_profiles(const Box& box) {
  for (int d = 0; d < 3; ++d)
    for (int half = 0; half < 2; ++half)
      for (int i = 0; i < box[d].count; ++i) {
        const double place = box[d].first + i + 0.5 * half;
        const double width = layers_.width;
        const bool has_lower = d < 2 || layers_.at_top;
        const double lower = has_lower ? (width - place) / width : 0;
        const double upper = (place - (box[d].whole - 1 - width)) / width;
        const auto [a, b, kept] = decay_at(std::max(lower, upper), layers_);
        profiles_[d][half].a.push_back(static_cast<Real>(a));
        profiles_[d][half].b.push_back(static_cast<Real>(b));
        profiles_[d][half].kept.push_back(static_cast<Real>(kept));
      }
}

/// All points that are in some layer, each once.
template <typename Real>
void Absorbing<Real>::make_sponge(const Box& box) {
  Region rest = whole_region(box);
  for (const int d : {2, 1, 0})
    for (const bool is_upper : {false, true}) {
      if (d == 2 && !is_upper && !layers_.at_top) continue;
      const auto [first, behind] = stretch_of(d, is_upper, layers_.width, box[d].whole);
      Region layer = rest;
      if (is_upper) {
        layer.from[d] = std::max(rest.from[d], first - box[d].first);
        rest.to[d] = std::min(rest.to[d], layer.from[d]);
      } else {
        layer.to[d] = std::min(rest.to[d], behind - box[d].first);
        rest.from[d] = std::max(rest.from[d], layer.to[d]);
      }
      if (!layer.empty()) sponge_.push_back(layer);
    }
}

template <typename Real>
void Absorbing<Real>::add_slab(int group, int direction, Component from, Component to, const Box& box) {
  for (const bool is_upper : {false, true}) {
    if (direction == 2 && !is_upper && !layers_.at_top) continue;
    const auto [first, behind] = stretch_of(direction, is_upper, layers_.width, box[direction].whole);
    Region region = whole_region(box);
    region.from[direction] = std::max(region.from[direction], first - box[direction].first);
    region.to[direction] = std::min(region.to[direction], behind - box[direction].first);
    slabs_.push_back({group, direction, is_upper, from, to, region});
  }
}

template <typename Real>
void Absorbing<Real>::make_psi() {
  const auto rounded = [](const Slab& slab) {
    return (slab.region.points() + kLine<Real> - 1) / kLine<Real> * kLine<Real>;
  };
  std::size_t count = kAhead<Real>;
  for (const Slab& slab : slabs_) count += rounded(slab);
  psi_ = Field<Real>(count);
  Real* next = psi_.data();
  for (Slab& slab : slabs_) {
    slab.psi = next;
    next += rounded(slab);
  }
}

template <typename Real>
void Absorbing<Real>::add(int group, State<Real>& state, const Coefficients<Real>& coefficients,
                          const Layout& layout, const Region& region) {
  for (Slab& slab : slabs_)
    if (slab.group == group) add_to(slab, state, coefficients, layout, common(slab.region, region));
  for (const Component component : members_of(group)) dampen(component, state, layout, region);
}

template <typename Real>
void Absorbing<Real>::dampen(Component component, State<Real>& state, const Layout& layout,
                             const Region& region) const {
  for (const Region& layer : sponge_) {
    const Region part = common(layer, region);
    if (part.empty()) continue;
    const auto kept = [&](int d) {
      return profiles_[d][kStaggered[component][d] ? 1 : 0].kept.data() + part.from[d];
    };
    for (int z = part.from[2]; z < part.to[2]; ++z)
      multiply_rows(state.fields[component].data() + layout.at(part.from[0], part.from[1], z),
                    layout.stride[1], kept(0), kept(1), kept(2)[z - part.from[2]], part.to[0] - part.from[0],
                    part.to[1] - part.from[1]);
  }
}

/// A row of a slab: where its points lie in memory, and what of the layer belongs to it.
template <typename Real>
struct Absorbing<Real>::Row {
  const Slab& slab;
  Real* psi;
  std::ptrdiff_t at;
  int x, y, z, count;  // its first point
};

template <typename Real>
void Absorbing<Real>::add_to(Slab& slab, State<Real>& state, const Coefficients<Real>& coefficients,
                             const Layout& layout, const Region& region) {
  if (region.empty()) return;
  const int d = slab.direction;
  const auto [values, step] = difference_of(state, layout, slab.from, d);
  const Profile& profile = profiles_[d][kStaggered[slab.from][d] ? 0 : 1];
  const auto& [from, to] = slab.region;
  const int count = region.to[0] - region.from[0];
  for (int z = region.from[2]; z < region.to[2]; ++z)
    for (int y = region.from[1]; y < region.to[1]; ++y) {
      const std::size_t in_slab =
          (std::size_t(z - from[2]) * (to[1] - from[1]) + (y - from[1])) * (to[0] - from[0]) +
          region.from[0] - from[0];
      const std::ptrdiff_t at = layout.at(region.from[0], y, z);
      const int along = d == 1 ? y : z;
      Real* const psi_of_row = slab.psi + in_slab;
      for (int i = 0; i < count; i += kLine<Real>) __builtin_prefetch(psi_of_row + kAhead<Real> + i, 1);
      const PsiRow<Real> psi{psi_of_row,
                             d == 0 ? profile.a.data() + region.from[0] : nullptr,
                             d == 0 ? profile.b.data() + region.from[0] : nullptr,
                             d == 0 ? Real(0) : profile.a[along],
                             d == 0 ? Real(0) : profile.b[along],
                             values + at,
                             step,
                             count};
      const Row row{slab, psi.psi, at, region.from[0], y, z, count};
      if (is_velocity(slab.group)) {
        absorb(psi, state.fields[slab.to].data() + at, coefficients.buoyancy[slab.group].data() + at);
      } else if (slab.group != kGroupNormal) {
        const int which = slab.group - kGroupXy;
        absorb(psi, state.fields[slab.to].data() + at, coefficients.shear[which].data() + at);
        if (state.attenuating()) relax_shear(row, state, coefficients);
      } else if (state.attenuating() || (has_surface_ && z == 0)) {
        advance(psi);
        add_to_normal(row, state, coefficients);
      } else {
        const auto stress = [&](int e) { return state.fields[kXx + e].data() + at; };
        absorb_normal(psi, {stress(d), stress((d + 1) % 3), stress((d + 2) % 3)},
                      coefficients.lambda.data() + at, coefficients.two_mu.data() + at);
      }
    }
}

template <typename Real>
void Absorbing<Real>::relax_shear(const Row& row, State<Real>& state,
                                  const Coefficients<Real>& coefficients) const {
  relax_row(state.fields[row.slab.to].data() + row.at,
            state.memory[row.slab.to - kFirstStress].data() + row.at,
            coefficients.relaxation.row_at(row.y, row.z).gain.data() + row.x,
            coefficients.lost_shear[row.slab.group - kGroupXy].data() + row.at, row.psi, row.count);
}

template <typename Real>
void Absorbing<Real>::add_to_normal(const Row& row, State<Real>& state,
                                    const Coefficients<Real>& coefficients) {
  const Real* lambda = coefficients.lambda.data() + row.at;
  const Real* two_mu = coefficients.two_mu.data() + row.at;
  const Real* sum = row.psi;  // what psi adds to the sum of all three strain rates
  if (has_surface_ && row.z == 0) {
    across_.resize(row.count);
    sum_.resize(row.count);
    for (int i = 0; i < row.count; ++i) {
      across_[i] = -lambda[i] / (lambda[i] + two_mu[i]) * row.psi[i];
      sum_[i] = row.psi[i] + across_[i];
    }
    sum = sum_.data();
  }
  for (int e = 0; e < 3; ++e) {
    const bool is_across = sum != row.psi && e == 2;
    const Real* own = e == row.slab.direction ? row.psi : is_across ? across_.data() : nullptr;
    Real* stress = state.fields[kXx + e].data() + row.at;
    add_row(stress, lambda, sum, row.count);
    if (own != nullptr) add_row(stress, two_mu, own, row.count);
    if (!state.attenuating()) continue;
    Real* memory = state.memory[e].data() + row.at;
    const Real* gain = coefficients.relaxation.row_at(row.y, row.z).gain.data() + row.x;
    relax_row(stress, memory, gain, coefficients.lost_lambda.data() + row.at, sum, row.count);
    if (own != nullptr)
      relax_row(stress, memory, gain, coefficients.lost_two_mu.data() + row.at, own, row.count);
  }
}

void require_room(int width, bool at_top, const Triple& points) {
  for (int d = 0; d < 3; ++d) {
    const int layers = d == 2 && !at_top ? 1 : 2;
    if (points[d] < layers * width + 3)
      throw app::BadInput(
          fmt::format("{} points along {} have no room for {} absorbing layer{} of {} points: use a "
                      "larger grid, or less with --absorbing-width",
                      points[d], "xyz"[d], layers, layers == 1 ? "" : "s", width));
  }
}

template class Absorbing<float>;
template class Absorbing<double>;

}  // namespace wave
