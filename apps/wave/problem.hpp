// SPDX-License-Identifier: BSD-3-Clause
// Problem: everything that decides about the answer, with nothing left open.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absorbing.hpp"
#include "attenuation.hpp"
#include "medium.hpp"
#include "options.hpp"
#include "sources.hpp"

namespace wave {

struct Problem {
  Triple points{};
  double spacing = 0, time_step = 0;
  double stable_time_step = 0;  ///< the largest
  int steps = 0;
  Boundaries boundaries = Boundaries::kSurface;
  AbsorbingLayers layers;
  std::optional<Attenuation> attenuation;
  std::vector<Source> sources;
  std::vector<Position> receivers;
  MediumRange range;
  double points_per_wavelength = 0;  ///< of the slowest wave, at the highest frequency of the sources

  std::string warning;  ///< empty if there is nothing to say
};

/// Of all ranks; throws BadInput where the grid has no points, or more than are counted.
Triple points_of(const Options& options, const Triple& processes);

/// What the ground is made of.
std::vector<Layer> layers_of(const Options& options);

/// Throws BadInput where something makes no sense. Deterministic.
Problem make_problem(const Options& options, const Triple& points, const MediumRange& range);

/// All that a restart must agree with, one line each; `medium_fingerprint` stands for the ground.
std::string description(const Problem& problem, const Options& options, std::uint64_t medium_fingerprint);

}  // namespace wave
