// SPDX-License-Identifier: BSD-3-Clause
#include "sources.hpp"

#include "interpolation.hpp"

namespace wave {

double Source::strength(Component component) const {
  return component < kFirstStress ? force[component] : moment[component - kFirstStress];
}

double Source::moment_scale() const {
  if (function.shape != Shape::kGaussian) return 1;
  return 1 / function.integral(function.delay + 20 / function.frequency);  // of all of it
}

template <typename Real>
Sources<Real>::Sources(const std::vector<Source>& sources, double spacing, double time_step, const Box& box,
                       const Layout& layout, const Coefficients<Real>& coefficients)
    : time_step_(time_step) {
  const Triple points{box[0].whole, box[1].whole, box[2].whole};
  const double volume = spacing * spacing * spacing;
  for (const Source& source : sources) {
    for (int c = 0; c < kComponentCount; ++c) {
      const auto component = static_cast<Component>(c);
      const double strength = source.strength(component);
      if (strength == 0) continue;
      for (const auto& [point, weight] : points_around(source.position, component, spacing, points)) {
        Triple own{};
        if (!is_inside(box, point, own)) continue;
        const std::ptrdiff_t at = layout.at(own[0], own[1], own[2]);
        const double factor = c < kFirstStress
                                  ? static_cast<double>(coefficients.buoyancy[c][at]) * spacing / volume
                                  : -time_step * source.moment_scale() / volume;
        places_[c].push_back({at, functions_.size(), factor * weight * strength});
      }
    }
    functions_.push_back(source.function);
  }
}

template <typename Real>
void Sources<Real>::add(int group, int step, State<Real>& state) const {
  const double time = (step + (is_velocity(group) ? 0 : 0.5)) * time_step_;
  for (const Component component : members_of(group))
    for (const Place& place : places_[component])
      state.fields[component][place.at] +=
          static_cast<Real>(place.factor * functions_[place.source].value(time));
}

template class Sources<float>;
template class Sources<double>;

}  // namespace wave
