// SPDX-License-Identifier: BSD-3-Clause
// What the command line asks for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absorbing.hpp"
#include "exchange.hpp"
#include "layers.hpp"
#include "sources.hpp"

namespace wave {

const char* name_of(Boundaries boundaries);

enum class Check { kNone, kFullSpace, kStanding };
const char* name_of(Check check);

enum class Precision { kSingle, kDouble };
const char* name_of(Precision precision);

/// A plane of a component that is written now and then.
struct SnapshotRequest {
  Component component = kVz;
  int axis = 1;                    ///< that it is across
  std::optional<double> position;  ///< metres; nothing: the middle
  int every = 0;                   ///< steps; 0: none
  std::string folder;
};

struct Options {
  std::optional<Triple> points;        ///< -n
  std::optional<int> points_per_rank;  ///< --per-rank: along each direction
  Triple process_grid{0, 0, 0};        ///< --grid; 0 leaves that number to MPI_Dims_create
  double spacing = 100;                ///< m
  std::optional<int> steps;
  std::optional<double> duration, time_step;  ///< s

  Material material;
  std::string layers_file, medium_file;
  bool elastic = false;
  std::optional<std::array<double, 2>> band;  ///< Hz, of attenuation
  std::optional<double> reference_frequency;

  Boundaries boundaries = Boundaries::kSurface;
  int absorbing_width = 10;

  std::vector<Source> sources;  ///< their frequency 0, delay NaN where not given
  std::vector<Position> receivers;
  std::string receivers_file, seismograms_file;
  SnapshotRequest snapshot;

  ExchangeKind exchange = ExchangeKind::kOneSided;
  Precision precision = Precision::kSingle;
  Check check = Check::kNone;
  int repeat_count = 1;
  bool bandwidth = false;
  std::string checkpoint_file, restart_file;
  int checkpoint_every = 0;  ///< steps; 0: at the end only
  std::string json_file;     ///< empty: none; "-": standard output, instead of the tables
  bool help = false;
};

/// Reads the command line; throws BadInput. Deterministic, so every rank may do it by itself.
Options parse_options(int argument_count, char** arguments);

std::string help_text();

}  // namespace wave
