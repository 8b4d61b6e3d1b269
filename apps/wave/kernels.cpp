// SPDX-License-Identifier: BSD-3-Clause
#include "kernels.hpp"

#include "wide.hpp"

namespace wave {
namespace {

template <typename Work>
void each_row(const Layout& layout, const Region& region, const Work& work) {
  const int count = region.to[0] - region.from[0];
  for (int z = region.from[2]; z < region.to[2]; ++z)
    for (int y = region.from[1]; y < region.to[1]; ++y) work(layout.at(region.from[0], y, z), count, y, z);
}

template <typename Real>
struct Velocity {
  Real* out;
  const Real* buoyancy;
  Difference<Real> a, b, c;
};

template <typename Real>
struct Relaxing {
  Real* memory;
  const Real* lost;   // modulus / Q; of lambda, for normal stresses
  const Real* decay;  // of this row
  const Real* gain;
};

template <typename Real>
struct Shear {
  Real* out;
  const Real* modulus;
  Difference<Real> a, b;
};

template <typename Real>
struct Normal {
  Real *xx, *yy, *zz;
  const Real *lambda, *two_mu;
  Difference<Real> x, y, z;
};

template <typename Real>
WAVE_INLINE void velocity_row(const Velocity<Real>& what, std::ptrdiff_t at, int count) {
  Real* __restrict__ out = what.out + at;
  const Real* __restrict__ buoyancy = what.buoyancy + at;
  const Real* __restrict__ a = what.a.values + at;
  const Real* __restrict__ b = what.b.values + at;
  const Real* __restrict__ c = what.c.values + at;
  const std::ptrdiff_t step_a = what.a.step, step_b = what.b.step, step_c = what.c.step;
#pragma omp simd
  for (int i = 0; i < count; ++i)
    out[i] +=
        buoyancy[i] * (difference(a + i, step_a) + difference(b + i, step_b) + difference(c + i, step_c));
}

template <typename Real>
WAVE_INLINE void shear_row(const Shear<Real>& what, std::ptrdiff_t at, int count) {
  Real* __restrict__ out = what.out + at;
  const Real* __restrict__ modulus = what.modulus + at;
  const Real* __restrict__ a = what.a.values + at;
  const Real* __restrict__ b = what.b.values + at;
  const std::ptrdiff_t step_a = what.a.step, step_b = what.b.step;
#pragma omp simd
  for (int i = 0; i < count; ++i)
    out[i] += modulus[i] * (difference(a + i, step_a) + difference(b + i, step_b));
}

template <typename Real>
WAVE_INLINE void relaxing_shear_row(const Shear<Real>& what, const Relaxing<Real>& relaxing,
                                    std::ptrdiff_t at, int count) {
  Real* __restrict__ out = what.out + at;
  Real* __restrict__ memory = relaxing.memory + at;
  const Real* __restrict__ modulus = what.modulus + at;
  const Real* __restrict__ lost = relaxing.lost + at;
  const Real* __restrict__ a = what.a.values + at;
  const Real* __restrict__ b = what.b.values + at;
  const Real* __restrict__ decay = relaxing.decay;
  const Real* __restrict__ gain = relaxing.gain;
  const std::ptrdiff_t step_a = what.a.step, step_b = what.b.step;
#pragma omp simd
  for (int i = 0; i < count; ++i) {
    const Real strain = difference(a + i, step_a) + difference(b + i, step_b);
    const Real before = memory[i];
    const Real behind = decay[i] * before + gain[i] * (lost[i] * strain);
    memory[i] = behind;
    out[i] += modulus[i] * strain - Real(0.5) * (before + behind);
  }
}

template <typename Real>
WAVE_INLINE void normal_row(const Normal<Real>& what, std::ptrdiff_t at, int count) {
  Real* __restrict__ xx = what.xx + at;
  Real* __restrict__ yy = what.yy + at;
  Real* __restrict__ zz = what.zz + at;
  const Real* __restrict__ lambda = what.lambda + at;
  const Real* __restrict__ two_mu = what.two_mu + at;
  const Real* __restrict__ vx = what.x.values + at;
  const Real* __restrict__ vy = what.y.values + at;
  const Real* __restrict__ vz = what.z.values + at;
  const std::ptrdiff_t step_y = what.y.step, step_z = what.z.step;
#pragma omp simd
  for (int i = 0; i < count; ++i) {
    const Real x = difference(vx + i, 1), y = difference(vy + i, step_y), z = difference(vz + i, step_z);
    const Real pressure = lambda[i] * (x + y + z);
    xx[i] += pressure + two_mu[i] * x;
    yy[i] += pressure + two_mu[i] * y;
    zz[i] += pressure + two_mu[i] * z;
  }
}

template <typename Real>
WAVE_INLINE void relaxing_normal_row(const Normal<Real>& what, const std::array<Real*, 3>& memories,
                                     const Relaxing<Real>& relaxing, const Real* lost_mu, std::ptrdiff_t at,
                                     int count) {
  const std::array<Real*, 3> stresses{what.xx + at, what.yy + at, what.zz + at};
  const Real* __restrict__ lambda = what.lambda + at;
  const Real* __restrict__ two_mu = what.two_mu + at;
  const Real* __restrict__ lost_lambda = relaxing.lost + at;
  const Real* __restrict__ lost_two_mu = lost_mu + at;
  const Real* __restrict__ vx = what.x.values + at;
  const Real* __restrict__ vy = what.y.values + at;
  const Real* __restrict__ vz = what.z.values + at;
  const std::ptrdiff_t step_y = what.y.step, step_z = what.z.step;
  Real* __restrict__ xx = stresses[0];
  Real* __restrict__ yy = stresses[1];
  Real* __restrict__ zz = stresses[2];
  Real* __restrict__ memory_x = memories[0] + at;
  Real* __restrict__ memory_y = memories[1] + at;
  Real* __restrict__ memory_z = memories[2] + at;
  const Real* __restrict__ decay = relaxing.decay;
  const Real* __restrict__ gain = relaxing.gain;
#pragma omp simd
  for (int i = 0; i < count; ++i) {
    const Real x = difference(vx + i, 1), y = difference(vy + i, step_y), z = difference(vz + i, step_z);
    const Real pressure = lambda[i] * (x + y + z);
    const Real lost_pressure = lost_lambda[i] * (x + y + z);
    const Real before_x = memory_x[i], before_y = memory_y[i], before_z = memory_z[i];
    memory_x[i] = decay[i] * before_x + gain[i] * (lost_pressure + lost_two_mu[i] * x);
    memory_y[i] = decay[i] * before_y + gain[i] * (lost_pressure + lost_two_mu[i] * y);
    memory_z[i] = decay[i] * before_z + gain[i] * (lost_pressure + lost_two_mu[i] * z);
    xx[i] += pressure + two_mu[i] * x - Real(0.5) * (before_x + memory_x[i]);
    yy[i] += pressure + two_mu[i] * y - Real(0.5) * (before_y + memory_y[i]);
    zz[i] += pressure + two_mu[i] * z - Real(0.5) * (before_z + memory_z[i]);
  }
}

// One clone for each type: templates have none.
#define WAVE_ROWS(Real)                                                                                      \
  WAVE_WIDE void row_of(const Velocity<Real>& what, std::ptrdiff_t at, int count) {                          \
    velocity_row(what, at, count);                                                                           \
  }                                                                                                          \
  WAVE_WIDE void row_of(const Shear<Real>& what, std::ptrdiff_t at, int count) {                             \
    shear_row(what, at, count);                                                                              \
  }                                                                                                          \
  WAVE_WIDE void row_of(const Normal<Real>& what, std::ptrdiff_t at, int count) {                            \
    normal_row(what, at, count);                                                                             \
  }                                                                                                          \
  WAVE_WIDE void row_of(const Shear<Real>& what, const Relaxing<Real>& relaxing, std::ptrdiff_t at,          \
                        int count) {                                                                         \
    relaxing_shear_row(what, relaxing, at, count);                                                           \
  }                                                                                                          \
  WAVE_WIDE void row_of(const Normal<Real>& what, const std::array<Real*, 3>& memories,                      \
                        const Relaxing<Real>& relaxing, const Real* lost_mu, std::ptrdiff_t at, int count) { \
    relaxing_normal_row(what, memories, relaxing, lost_mu, at, count);                                       \
  }
WAVE_ROWS(float)
WAVE_ROWS(double)
#undef WAVE_ROWS

}  // namespace

template <typename Real>
void update(int group, State<Real>& state, const Coefficients<Real>& coefficients, const Layout& layout,
            const Region& region) {
  if (region.empty()) return;
  const auto along = [&](Component component, int direction) {
    return difference_of(state, layout, component, direction);
  };
  const auto relaxing = [&](int stress, const Field<Real>& lost, int y, int z) {
    const auto& rows = coefficients.relaxation.row_at(y, z);
    return Relaxing<Real>{state.memory[stress - kFirstStress].data(), lost.data(),
                          rows.decay.data() + region.from[0], rows.gain.data() + region.from[0]};
  };
  if (is_velocity(group)) {
    static constexpr std::array<std::array<Component, 3>, 3> kStresses{
        {{kXx, kXy, kXz}, {kXy, kYy, kYz}, {kXz, kYz, kZz}}};
    const auto& [x, y, z] = kStresses[group];
    const Velocity<Real> what{state.fields[kVx + group].data(), coefficients.buoyancy[group].data(),
                              along(x, 0), along(y, 1), along(z, 2)};
    each_row(layout, region, [&](std::ptrdiff_t at, int count, int, int) { row_of(what, at, count); });
  } else if (group == kGroupNormal) {
    const Normal<Real> what{state.fields[kXx].data(),
                            state.fields[kYy].data(),
                            state.fields[kZz].data(),
                            coefficients.lambda.data(),
                            coefficients.two_mu.data(),
                            along(kVx, 0),
                            along(kVy, 1),
                            along(kVz, 2)};
    if (state.attenuating()) {
      const std::array<Real*, 3> memories{state.memory[0].data(), state.memory[1].data(),
                                          state.memory[2].data()};
      each_row(layout, region, [&](std::ptrdiff_t at, int count, int y, int z) {
        row_of(what, memories, relaxing(kXx, coefficients.lost_lambda, y, z), coefficients.lost_two_mu.data(),
               at, count);
      });
    } else {
      each_row(layout, region, [&](std::ptrdiff_t at, int count, int, int) { row_of(what, at, count); });
    }
  } else {
    const int which = group - kGroupXy;
    static constexpr std::array<std::array<int, 2>, 3> kDirections{{{0, 1}, {0, 2}, {1, 2}}};
    const auto [first, second] = kDirections[which];
    const Shear<Real> what{state.fields[kXy + which].data(), coefficients.shear[which].data(),
                           along(Component(kVx + first), second), along(Component(kVx + second), first)};
    if (state.attenuating())
      each_row(layout, region, [&](std::ptrdiff_t at, int count, int y, int z) {
        row_of(what, relaxing(kXy + which, coefficients.lost_shear[which], y, z), at, count);
      });
    else each_row(layout, region, [&](std::ptrdiff_t at, int count, int, int) { row_of(what, at, count); });
  }
}

template void update(int, State<float>&, const Coefficients<float>&, const Layout&, const Region&);
template void update(int, State<double>&, const Coefficients<double>&, const Layout&, const Region&);

}  // namespace wave
