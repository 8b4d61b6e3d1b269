// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "number_file.hpp"
#include "verdict.hpp"

namespace wave {
namespace {

constexpr double kFewWavelengthPoints = 5;  // below this waves of that length go visibly too slow
constexpr double kTooFewWavelengthPoints = 2.5;
constexpr double kUsualWavelengthPoints = 8;
constexpr double kUsualPartOfStable = 0.8;
constexpr int kUsualSteps = 100;

double stable_time_step(double spacing, double fastest) {
  return 6 * spacing / (7 * std::sqrt(3.0) * fastest);
}

void require_inside(const Position& position, const Problem& problem, const std::string& what) {
  for (int d = 0; d < 3; ++d) {
    const double end = (problem.points[d] - 1) * problem.spacing;
    if (!(position[d] >= 0 && position[d] <= end))
      throw app::BadInput(fmt::format("{} {:g} {:g} {:g} is outside the grid: {} must be from 0 to {:g} m",
                                      what, position[0], position[1], position[2], "xyz"[d], end));
  }
}

Position middle_of(const Problem& problem) {
  Position middle{};
  for (int d = 0; d < 3; ++d) middle[d] = problem.points[d] / 2 * problem.spacing;
  return middle;
}

void complete_sources(Problem& problem, const Options& options) {
  problem.sources = options.sources;
  if (problem.sources.empty()) {
    if (options.check == Check::kStanding) return;
    Source explosion{.position = middle_of(problem), .moment = {1e15, 1e15, 1e15, 0, 0, 0}};
    explosion.function.delay = std::numeric_limits<double>::quiet_NaN();
    problem.sources.push_back(explosion);
  }
  for (Source& source : problem.sources) {
    TimeFunction& function = source.function;
    if (function.frequency == 0)
      function.frequency =
          problem.range.slowest / (kUsualWavelengthPoints * kHighestFrequency * problem.spacing);
    if (std::isnan(function.delay))
      function.delay = function.shape == Shape::kFile ? 0 : usual_delay(function.frequency);
    require_inside(source.position, problem, "--source");
    if (!source.has_force() && !source.has_moment()) source.moment = {1e15, 1e15, 1e15, 0, 0, 0};
    if (function.shape == Shape::kFile && function.samples.empty())
      for (const auto& row : read_number_file("--time-function", function.file, {1}))
        function.samples.push_back(row[0]);
  }
}

/// Four of them around the source, in directions that no plane of symmetry has.
std::vector<Position> usual_receivers(const Problem& problem) {
  const Position from = problem.sources[0].position;
  const double room = problem.spacing * (*std::min_element(problem.points.begin(), problem.points.end()) / 2 -
                                         problem.layers.width - 2);
  static constexpr std::array<std::array<double, 3>, 4> kDirections{
      {{0.93, 0.11, 0.29}, {-0.31, 0.87, -0.17}, {0.23, -0.37, 0.91}, {0.59, 0.61, -0.47}}};
  std::vector<Position> receivers;
  for (const auto& direction : kDirections)
    receivers.push_back(
        {from[0] + room * direction[0], from[1] + room * direction[1], from[2] + room * direction[2]});
  return receivers;
}

double distance(const Position& a, const Position& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

void complete_time(Problem& problem, const Options& options) {
  problem.stable_time_step = stable_time_step(problem.spacing, problem.range.fastest);
  problem.time_step = options.time_step.value_or(kUsualPartOfStable * problem.stable_time_step);
  if (options.steps) {
    problem.steps = *options.steps;
  } else if (options.duration) {
    const double steps = std::ceil(*options.duration / problem.time_step);
    if (steps > std::numeric_limits<int>::max() / 2)
      throw app::BadInput(
          fmt::format("--duration {:g} is {:g} steps, more than are counted here", *options.duration, steps));
    problem.steps = std::max(1, static_cast<int>(steps));
  } else if (options.check == Check::kFullSpace) {
    double longest = 0;  // until the whole of the slowest wave is past the farthest receiver
    for (const Source& source : problem.sources)
      for (const Position& receiver : problem.receivers)
        longest = std::max(
            longest, distance(source.position, receiver) / problem.range.slowest + 2 * source.function.delay);
    problem.steps = static_cast<int>(std::ceil(longest / problem.time_step));
  } else {
    problem.steps = kUsualSteps;
  }
}

void look_at_wavelengths(Problem& problem) {
  double highest = 0;
  for (const Source& source : problem.sources)
    if (source.function.shape != Shape::kFile)
      highest = std::max(highest, kHighestFrequency * source.function.frequency);
  if (highest == 0) return;
  problem.points_per_wavelength = problem.range.slowest / (highest * problem.spacing);
  const std::string found = fmt::format(
      "{:.2g} points per wavelength: the slowest wave, {:g} m/s, at the source's highest frequency, {:g} "
      "times its "
      "--frequency, {:.4g} Hz",
      problem.points_per_wavelength, problem.range.slowest, kHighestFrequency, highest);
  const double wanted = problem.range.slowest / (kFewWavelengthPoints * kHighestFrequency * problem.spacing);
  const std::string advice =
      fmt::format("use a --frequency of at most {:.4g} Hz, or a smaller --spacing", wanted);
  if (problem.points_per_wavelength < kTooFewWavelengthPoints)
    throw app::BadInput(
        fmt::format("only {} (at least {:g} are needed): {}", found, kTooFewWavelengthPoints, advice));
  if (problem.points_per_wavelength < kFewWavelengthPoints)
    problem.warning =
        fmt::format("{}; below {:g} short waves are visibly late: {}", found, kFewWavelengthPoints, advice);
}

void require_checkable(const Problem& problem, const Options& options) {
  if (options.check == Check::kNone) return;
  const std::string name = fmt::format("--check {}", name_of(options.check));
  if (!options.layers_file.empty() || !options.medium_file.empty() || problem.attenuation)
    throw app::BadInput(name + " goes with one elastic --material only: drop --layers, --medium and Q");
  if (options.check == Check::kStanding) {
    if (!problem.sources.empty()) throw app::BadInput(name + " has a mode instead of sources: drop --source");
    return;
  }
  if (options.material.vs == 0) throw app::BadInput(name + " needs a --material with a vs above 0");
  for (const Source& source : problem.sources)
    if (source.function.shape == Shape::kFile)
      throw app::BadInput(name + " needs a time function of closed form: ricker, gaussian or derivative");
  for (const Position& receiver : problem.receivers) {
    for (int d = 0; d < 3; ++d) {
      const double layer = problem.layers.width * problem.spacing;
      const double end = (problem.points[d] - 1) * problem.spacing - layer;
      if (receiver[d] < layer || receiver[d] > end)
        throw app::BadInput(
            fmt::format("{}: receiver {:g} {:g} {:g} lies in an absorbing layer: {} must be from {:g} "
                        "to {:g} m",
                        name, receiver[0], receiver[1], receiver[2], "xyz"[d], layer, end));
    }
    for (const Source& source : problem.sources)
      if (distance(source.position, receiver) < 3 * problem.spacing)
        throw app::BadInput(
            fmt::format("{}: receiver {:g} {:g} {:g} is nearer to a source than three spacings, where "
                        "no grid is accurate",
                        name, receiver[0], receiver[1], receiver[2]));
  }
}

}  // namespace

Triple points_of(const Options& options, const Triple& processes) {
  Triple points{64, 64, 64};
  if (options.check == Check::kFullSpace) points = {72, 72, 72};
  if (options.points) points = *options.points;
  if (options.points_per_rank)
    for (int d = 0; d < 3; ++d) {
      const double all = 1.0 * *options.points_per_rank * processes[d];
      if (all > std::numeric_limits<int>::max() / 4)
        throw app::BadInput(fmt::format("--per-rank {}: {:g} points along {} are more than are counted here",
                                        *options.points_per_rank, all, "xyz"[d]));
      points[d] = static_cast<int>(all);
    }
  return points;
}

std::vector<Layer> layers_of(const Options& options) {
  if (!options.layers_file.empty()) return read_layers(options.layers_file);
  require_sound(options.material, "--material");
  return {{1, options.material}};
}

Problem make_problem(const Options& options, const Triple& points, const MediumRange& range) {
  Problem problem;
  problem.points = points;
  problem.spacing = options.spacing;
  problem.boundaries = options.boundaries;
  problem.range = range;
  complete_sources(problem, options);
  const double frequency = problem.sources.empty() ? 0 : problem.sources[0].function.frequency;
  problem.layers = {.width = options.boundaries == Boundaries::kRigid ? 0 : options.absorbing_width,
                    .at_top = options.boundaries == Boundaries::kAbsorbing,
                    .frequency = frequency,
                    .spacing = options.spacing};
  if (problem.layers.width > 0) require_room(problem.layers.width, problem.layers.at_top, points);
  if (range.attenuating()) {
    const auto band = options.band.value_or(std::array{0.1 * frequency, 4 * frequency});
    problem.attenuation = fit_attenuation(band[0], band[1], options.reference_frequency.value_or(frequency));
    // The unrelaxed velocities, with which it computes, are larger than those that the medium names.
    problem.range.fastest *= std::sqrt(problem.attenuation->stiffening(range.lowest_q));
  }
  problem.receivers = options.receivers;
  if (!options.receivers_file.empty())
    for (const auto& row : read_number_file("--receivers", options.receivers_file, {3}))
      problem.receivers.push_back({row[0], row[1], row[2]});
  if (problem.receivers.empty() && options.check == Check::kFullSpace)
    problem.receivers = usual_receivers(problem);
  for (const Position& receiver : problem.receivers) require_inside(receiver, problem, "--receiver");
  complete_time(problem, options);
  if (problem.time_step > problem.stable_time_step * (1 + 1e-12))
    throw app::BadInput(
        fmt::format("--dt {:g} is unstable: at {:g} m/s and a spacing of {:g} m the largest stable "
                    "time step is {:.6g} s",
                    problem.time_step, problem.range.fastest, problem.spacing, problem.stable_time_step));
  problem.layers.fastest = problem.range.fastest;
  problem.layers.time_step = problem.time_step;
  look_at_wavelengths(problem);
  require_checkable(problem, options);
  return problem;
}

std::string description(const Problem& problem, const Options& options, std::uint64_t medium_fingerprint) {
  std::string text = fmt::format(
      "points {}\nspacing {}\ntime step {}\nprecision {}\nboundaries {}, {} points\nmedium {:016x}\n",
      fmt::join(problem.points, " "), problem.spacing, problem.time_step, name_of(options.precision),
      name_of(problem.boundaries), problem.layers.width, medium_fingerprint);
  if (problem.attenuation)
    text += fmt::format("attenuation {} to {} Hz, velocities at {} Hz\n", problem.attenuation->low,
                        problem.attenuation->high, problem.attenuation->reference);
  for (const Source& source : problem.sources) {
    const TimeFunction& function = source.function;
    text += fmt::format("source {} moment {} force {} {} {} Hz, delay {}\n", fmt::join(source.position, " "),
                        fmt::join(source.moment, " "), fmt::join(source.force, " "), name_of(function.shape),
                        function.frequency, function.delay);
    if (function.shape == Shape::kFile)
      text +=
          fmt::format("samples every {}: {}\n", function.sample_interval, fmt::join(function.samples, " "));
  }
  for (const Position& receiver : problem.receivers)
    text += fmt::format("receiver {}\n", fmt::join(receiver, " "));
  if (options.check == Check::kStanding) text += "standing mode\n";
  return text;
}

}  // namespace wave
