// SPDX-License-Identifier: BSD-3-Clause
#include "full_space.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "interpolation.hpp"

namespace wave {
namespace {

constexpr double kFourPi = 4 * std::numbers::pi;

/// f and what the solution needs of it, at one arrival.
struct Values {
  double slope, value, first, second;  // f', f, its first and second integral
};

/// f is the time function itself, or its derivative.
Values values_of(const TimeFunction& function, double time, bool derived) {
  if (derived) {
    // The slope of s' is never asked for: forces have no field that changes with it.
    return {0, function.derivative(time), function.value(time), function.integral(time)};
  }
  return {function.derivative(time), function.value(time), function.integral(time),
          function.second_integral(time)};
}

struct Ray {
  std::array<double, 3> g;
  double r, rho, alpha, beta;
};

double near_field(const Ray& ray, const Values& p, const Values& s) {
  return ray.r / ray.alpha * p.first + p.second - ray.r / ray.beta * s.first - s.second;
}

double delta(int i, int j) { return i == j ? 1 : 0; }

/// Velocity in direction i of a force along j; f is s'.
double of_force(const Ray& ray, int i, int j, const Values& p, const Values& s) {
  const auto& [g, r, rho, alpha, beta] = ray;
  const double gg = g[i] * g[j];
  return ((3 * gg - delta(i, j)) / (r * r * r) * near_field(ray, p, s) + gg / (alpha * alpha * r) * p.value -
          (gg - delta(i, j)) / (beta * beta * r) * s.value) /
         (kFourPi * rho);
}

/// Velocity in direction n of a moment M_pq; f is the moment rate s.
double of_moment(const Ray& ray, int n, int p_index, int q_index, const Values& p, const Values& s) {
  const auto& [g, r, rho, alpha, beta] = ray;
  const int a = p_index, b = q_index;
  const double ggg = g[n] * g[a] * g[b];
  const double mixed = g[n] * delta(a, b) + g[a] * delta(n, b) + g[b] * delta(n, a);
  const double near = 15 * ggg - 3 * mixed;
  const double between_p = 6 * ggg - mixed;
  const double between_s = between_p - delta(n, a) * g[b];
  return (near / (r * r * r * r) * near_field(ray, p, s) + between_p / (alpha * alpha * r * r) * p.value -
          between_s / (beta * beta * r * r) * s.value + ggg / (alpha * alpha * alpha * r) * p.slope -
          (g[n] * g[a] - delta(n, a)) * g[b] / (beta * beta * beta * r) * s.slope) /
         (kFourPi * rho);
}

constexpr std::array<std::array<int, 2>, kStressCount> kIndices{
    {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};

class Exact {
 public:
  Exact(const Problem& problem, const Material& material, const Seismograms& shape)
      : problem_(problem), material_(material), found_{shape.receivers, shape.steps, {}} {
    found_.values.resize(shape.values.size());
    for (std::size_t receiver = 0; receiver < shape.receivers; ++receiver)
      for (int n = 0; n < 3; ++n)
        for (const auto& [point, weight] :
             points_around(problem.receivers[receiver], Component(kVx + n), problem.spacing, problem.points))
          for (const Source& source : problem.sources)
            add_source(receiver, n, place_of(point, Component(kVx + n), problem.spacing), weight, source);
  }
  const Seismograms& found() const { return found_; }

 private:
  void add_source(std::size_t receiver, int n, const Position& place, double weight, const Source& source) {
    for (int c = 0; c < kComponentCount; ++c) {
      const auto component = static_cast<Component>(c);
      const double strength = source.strength(component);
      if (strength == 0) continue;
      for (const auto& [point, share] :
           points_around(source.position, component, problem_.spacing, problem_.points))
        add_point(receiver, n, place, place_of(point, component, problem_.spacing), component,
                  weight * share * strength * (c < kFirstStress ? 1 : source.moment_scale()),
                  source.function);
    }
  }

  void add_point(std::size_t receiver, int n, const Position& to, const Position& from, Component component,
                 double strength, const TimeFunction& function) {
    Ray ray{{}, 0, material_.density, material_.vp, material_.vs};
    for (int d = 0; d < 3; ++d) ray.g[d] = to[d] - from[d];
    ray.r = std::hypot(ray.g[0], ray.g[1], ray.g[2]);
    for (double& cosine : ray.g) cosine /= ray.r;
    const bool is_force = component < kFirstStress;
    for (std::size_t step = 0; step < found_.steps; ++step) {
      const double time = (static_cast<double>(step) + 0.5) * problem_.time_step;
      const Values p = values_of(function, time - ray.r / ray.alpha, is_force);
      const Values s = values_of(function, time - ray.r / ray.beta, is_force);
      double value = 0;
      if (is_force) {
        value = of_force(ray, n, component - kVx, p, s);
      } else {
        const auto [a, b] = kIndices[component - kFirstStress];
        value = of_moment(ray, n, a, b, p, s);
        if (a != b) value += of_moment(ray, n, b, a, p, s);
      }
      found_.values[(step * found_.receivers + receiver) * 3 + n] += strength * value;
    }
  }

  const Problem& problem_;
  const Material& material_;
  Seismograms found_;
};

struct Peak {
  double seconds = 0, amplitude = 0;
};

/// Of the part along the ray, or across it, between the samples by a parabola.
Peak peak_of(const Seismograms& seismograms, std::size_t receiver, const std::array<double, 3>& g, bool along,
             double time_step) {
  std::vector<double> sizes;
  for (std::size_t step = 0; step < seismograms.steps; ++step) {
    double radial = 0;
    double all = 0;
    for (int c = 0; c < 3; ++c) {
      const double v = seismograms.at(receiver, step, c);
      radial += v * g[c];
      all += v * v;
    }
    sizes.push_back(along ? std::abs(radial) : std::sqrt(std::max(0.0, all - radial * radial)));
  }
  const auto best = static_cast<std::size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  Peak peak{(static_cast<double>(best) + 0.5) * time_step, sizes[best]};
  if (best == 0 || best + 1 >= sizes.size()) return peak;
  const double before = sizes[best - 1], behind = sizes[best + 1];
  const double bend = before - 2 * sizes[best] + behind;
  if (bend >= 0) return peak;
  const double shift = 0.5 * (before - behind) / bend;
  peak.seconds += shift * time_step;
  peak.amplitude -= 0.25 * (before - behind) * shift;
  return peak;
}

}  // namespace

std::vector<ReceiverError> compare_with_full_space(const Problem& problem, const Material& material,
                                                   const Seismograms& seismograms) {
  const Exact exact(problem, material, seismograms);
  std::vector<ReceiverError> errors;
  for (std::size_t receiver = 0; receiver < seismograms.receivers; ++receiver) {
    ReceiverError error;
    double difference = 0, whole = 0;
    for (std::size_t step = 0; step < seismograms.steps; ++step)
      for (int c = 0; c < 3; ++c) {
        const double wanted = exact.found().at(receiver, step, c);
        const double found = seismograms.at(receiver, step, c);
        difference += (found - wanted) * (found - wanted);
        whole += wanted * wanted;
      }
    error.misfit = std::sqrt(difference / whole);
    std::array<double, 3> g{};
    for (int d = 0; d < 3; ++d) g[d] = problem.receivers[receiver][d] - problem.sources[0].position[d];
    error.distance = std::hypot(g[0], g[1], g[2]);
    for (double& cosine : g) cosine /= error.distance;
    for (const bool along : {true, false}) {
      const Peak wanted = peak_of(exact.found(), receiver, g, along, problem.time_step);
      const Peak found = peak_of(seismograms, receiver, g, along, problem.time_step);
      (along ? error.p : error.s) = {wanted.seconds, found.seconds, wanted.amplitude, found.amplitude};
    }
    // What an explosion has across the ray, or a nodal plane along it, is next to nothing, and has no
    // arrival.
    constexpr double kNothing = 0.1;
    const double larger = std::max(error.p.exact_amplitude, error.s.exact_amplitude);
    for (Arrival* arrival : {&error.p, &error.s})
      if (arrival->exact_amplitude < kNothing * larger) *arrival = {};
    errors.push_back(error);
  }
  return errors;
}

std::vector<std::string> complaints(const std::vector<ReceiverError>& errors, const Problem& problem) {
  std::vector<std::string> lines;
  const double late = kArrivalBound / problem.sources[0].function.frequency;
  for (std::size_t receiver = 0; receiver < errors.size(); ++receiver) {
    const ReceiverError& error = errors[receiver];
    if (!(error.misfit <= kMisfitBound))
      lines.push_back(fmt::format("receiver {}: the misfit to the exact solution is {:.3g}, more than {:g}",
                                  receiver, error.misfit, kMisfitBound));
    for (const auto& [name, arrival] : {std::pair{"P", error.p}, std::pair{"S", error.s}}) {
      if (arrival.exact_amplitude == 0) continue;
      const double off = std::abs(arrival.seconds - arrival.exact_seconds);
      if (!(off <= late))
        lines.push_back(fmt::format("receiver {}: {} arrives {:.3g} s off, more than {:.3g} s", receiver,
                                    name, off, late));
      const double ratio = arrival.amplitude / arrival.exact_amplitude;
      if (!(std::abs(ratio - 1) <= kAmplitudeBound))
        lines.push_back(fmt::format("receiver {}: the amplitude of {} is {:.4g} times the exact one",
                                    receiver, name, ratio));
    }
  }
  return lines;
}

}  // namespace wave
