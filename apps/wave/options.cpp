// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string_view>

#include "arguments.hpp"
#include "verdict.hpp"

namespace wave {
namespace {

using app::Arguments;
using app::BadInput;

/// Any finite number; negative ones too.
double number(Arguments& arguments, std::string_view option, const char* meaning) {
  const std::string_view text = arguments.value_of(option, meaning);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw BadInput(fmt::format("{} needs {}, not '{}'", option, meaning, text));
  return value;
}

template <std::size_t N>
std::array<double, N> numbers(Arguments& arguments, std::string_view option, const char* meaning) {
  std::array<double, N> values{};
  for (double& value : values) value = number(arguments, option, meaning);
  return values;
}

double positive(Arguments& arguments, std::string_view option) {
  const double value = number(arguments, option, "a positive number");
  if (value <= 0) throw BadInput(fmt::format("{} needs a positive number, not '{:g}'", option, value));
  return value;
}

/// One of an enum's values, by its name.
template <typename Kind, std::size_t N>
Kind named(Arguments& arguments, std::string_view option, const std::array<Kind, N>& kinds) {
  const std::string_view text = arguments.value_of(option, "a name");
  std::string known;
  for (const Kind kind : kinds) {
    if (text == name_of(kind)) return kind;
    known += (known.empty() ? "" : kind == kinds.back() ? " or " : ", ") + std::string(name_of(kind));
  }
  throw BadInput(fmt::format("{} '{}' is unknown: use {}", option, text, known));
}

Triple parse_process_grid(Arguments& arguments, std::string_view option) {
  Triple grid{};
  for (int& places : grid) {
    const double value = number(arguments, option, "three integers, 0 for a free choice");
    if (value < 0 || value != std::floor(value) || value > std::numeric_limits<int>::max())
      throw BadInput(fmt::format("{} needs three integers, 0 for a free choice, not '{:g}'", option, value));
    places = static_cast<int>(value);
  }
  return grid;
}

/// Options that say more about the source that was named last.
Source& last_source(Options& options, std::string_view option) {
  if (options.sources.empty())
    throw BadInput(fmt::format("{} says more about a source: put a --source X Y Z before it", option));
  return options.sources.back();
}

void parse_snapshot(Arguments& arguments, std::string_view option, SnapshotRequest& request) {
  const std::string_view component = arguments.value_of(option, "a component, an axis and a position");
  const std::string_view axis = arguments.value_of(option, "a component, an axis and a position");
  int found = -1;
  for (int c = 0; c < kComponentCount; ++c)
    if (component == kComponentNames[c]) found = c;
  if (found < 0)
    throw BadInput(
        fmt::format("{} '{}' is no component: use vx, vy, vz, xx, yy, zz, xy, xz or yz", option, component));
  if (axis != "x" && axis != "y" && axis != "z")
    throw BadInput(
        fmt::format("{} needs the axis that the plane is across, x, y or z, not '{}'", option, axis));
  request.component = static_cast<Component>(found);
  request.axis = axis[0] - 'x';
  request.position = number(arguments, option, "the plane's position in metres");
}

bool parse_grid_option(std::string_view option, Arguments& arguments, Options& options) {
  if (option == "-n") options.points = arguments.positive_integers<3>(option);
  else if (option == "--per-rank") options.points_per_rank = arguments.positive_integer(option);
  else if (option == "--grid" || option == "-P") options.process_grid = parse_process_grid(arguments, option);
  else if (option == "--spacing") options.spacing = positive(arguments, option);
  else if (option == "--steps") options.steps = arguments.positive_integer(option);
  else if (option == "--duration") options.duration = positive(arguments, option);
  else if (option == "--dt") options.time_step = positive(arguments, option);
  else if (option == "--absorbing-width") options.absorbing_width = arguments.positive_integer(option);
  else return false;
  return true;
}

bool parse_medium_option(std::string_view option, Arguments& arguments, Options& options) {
  if (option == "--material") {
    const auto [vp, vs, density] = numbers<3>(arguments, option, "vp, vs and density");
    options.material.vp = vp;
    options.material.vs = vs;
    options.material.density = density;
  } else if (option == "--quality") {
    const auto [qp, qs] = numbers<2>(arguments, option, "Qp and Qs");
    options.material.qp = qp;
    options.material.qs = qs;
  } else if (option == "--layers") {
    options.layers_file = arguments.value_of(option, "the name of a table of layers");
  } else if (option == "--medium") {
    options.medium_file = arguments.value_of(option, "the name of an array (.npy)");
  } else if (option == "--elastic") {
    options.elastic = true;
  } else if (option == "--band") {
    options.band = numbers<2>(arguments, option, "two frequencies");
    if (!(0 < (*options.band)[0] && (*options.band)[0] < (*options.band)[1]))
      throw BadInput(fmt::format("--band needs two frequencies, the lower one first, not {:g} and {:g}",
                                 (*options.band)[0], (*options.band)[1]));
  } else if (option == "--reference-frequency") {
    options.reference_frequency = positive(arguments, option);
  } else {
    return false;
  }
  return true;
}

bool parse_source_option(std::string_view option, Arguments& arguments, Options& options) {
  if (option == "--source") {
    Source source{.position = numbers<3>(arguments, option, "three coordinates in metres")};
    source.function.delay = std::numeric_limits<double>::quiet_NaN();
    options.sources.push_back(source);
  } else if (option == "--moment") {
    last_source(options, option).moment = numbers<6>(arguments, option, "Mxx Myy Mzz Mxy Mxz Myz in N m");
  } else if (option == "--force") {
    last_source(options, option).force = numbers<3>(arguments, option, "Fx Fy Fz in N");
  } else if (option == "--frequency") {
    last_source(options, option).function.frequency = positive(arguments, option);
  } else if (option == "--delay") {
    last_source(options, option).function.delay = number(arguments, option, "seconds");
  } else if (option == "--time-function") {
    static constexpr std::array kShapes{Shape::kRicker, Shape::kGaussian, Shape::kDerivative, Shape::kFile};
    TimeFunction& function = last_source(options, option).function;
    function.shape = named(arguments, option, kShapes);
    if (function.shape == Shape::kFile) {
      function.file =
          arguments.value_of("--time-function file", "the name of a file and the seconds between its lines");
      function.sample_interval = positive(arguments, "--time-function file FILE");
    }
  } else {
    return false;
  }
  return true;
}

bool parse_output_option(std::string_view option, Arguments& arguments, Options& options) {
  if (option == "--receiver")
    options.receivers.push_back(numbers<3>(arguments, option, "three coordinates in metres"));
  else if (option == "--receivers") options.receivers_file = arguments.value_of(option, "a file name");
  else if (option == "--seismograms") options.seismograms_file = arguments.value_of(option, "a file name");
  else if (option == "--snapshot") parse_snapshot(arguments, option, options.snapshot);
  else if (option == "--snapshot-every") options.snapshot.every = arguments.positive_integer(option);
  else if (option == "--snapshots")
    options.snapshot.folder = arguments.value_of(option, "the name of a folder");
  else if (option == "--checkpoint") options.checkpoint_file = arguments.value_of(option, "a file name");
  else if (option == "--checkpoint-every") options.checkpoint_every = arguments.positive_integer(option);
  else if (option == "--restart")
    options.restart_file = arguments.value_of(option, "the name of a checkpoint");
  else if (option == "--bandwidth") options.bandwidth = true;
  else if (option == "--json")
    options.json_file = arguments.value_of(option, "a file name, or - for standard output");
  else return false;
  return true;
}

/// What cannot be meant together.
void require_sense(const Options& options, bool boundaries_given) {
  const auto refuse = [](bool refused, const char* message) {
    if (refused) throw BadInput(message);
  };
  refuse(options.points && options.points_per_rank,
         "-n and --per-rank both say how large the grid is: drop one");
  refuse(options.steps && options.duration, "--steps and --duration both say how long to run: drop one");
  refuse(!options.layers_file.empty() && !options.medium_file.empty(),
         "--layers and --medium both say what the ground is made of: drop one");
  refuse(options.snapshot.every > 0 && options.snapshot.folder.empty(),
         "--snapshot-every needs a folder for the files: add --snapshots FOLDER");
  refuse(options.snapshot.every == 0 && !options.snapshot.folder.empty(),
         "--snapshots needs the number of steps between them: add --snapshot-every N");
  refuse(options.checkpoint_every > 0 && options.checkpoint_file.empty(),
         "--checkpoint-every needs a file: add --checkpoint FILE");
  refuse(!options.checkpoint_file.empty() && options.exchange == ExchangeKind::kSkipped,
         "--checkpoint would keep a wrong answer: drop it, or --exchange skipped");
  refuse(options.repeat_count > 1 && (!options.checkpoint_file.empty() || options.snapshot.every > 0),
         "--repeat would write the same checkpoint or snapshots several times: drop one");
  const bool has_receivers = !options.receivers.empty() || !options.receivers_file.empty();
  refuse(!options.seismograms_file.empty() && !has_receivers && options.check != Check::kFullSpace,
         "--seismograms needs receivers: add --receiver X Y Z or --receivers FILE");
  refuse(
      options.check == Check::kFullSpace && boundaries_given && options.boundaries != Boundaries::kAbsorbing,
      "--check full-space has absorbing boundaries: drop --boundaries");
  refuse(options.check == Check::kStanding && boundaries_given && options.boundaries != Boundaries::kRigid,
         "--check standing has rigid boundaries: drop --boundaries");
  const auto& name = options.seismograms_file;
  refuse(!name.empty() && !name.ends_with(".npy") && !name.ends_with(".csv"),
         "--seismograms needs a name that ends in .npy or .csv");
}

}  // namespace

const char* name_of(Boundaries boundaries) {
  switch (boundaries) {
    case Boundaries::kSurface: return "surface";
    case Boundaries::kAbsorbing: return "absorbing";
    case Boundaries::kRigid: return "rigid";
  }
  return "?";
}

const char* name_of(Check check) {
  switch (check) {
    case Check::kNone: return "none";
    case Check::kFullSpace: return "full-space";
    case Check::kStanding: return "standing";
  }
  return "?";
}

const char* name_of(Precision precision) { return precision == Precision::kSingle ? "single" : "double"; }

Options parse_options(int argument_count, char** argument_values) {
  Options options;
  Arguments arguments(argument_count, argument_values);
  bool boundaries_given = false;
  while (!arguments.empty()) {
    const std::string_view option = arguments.take();
    if (option == "--exchange") {
      options.exchange = named(arguments, option, kExchangeKinds);
    } else if (option == "--boundaries") {
      options.boundaries = named(
          arguments, option, std::array{Boundaries::kSurface, Boundaries::kAbsorbing, Boundaries::kRigid});
      boundaries_given = true;
    } else if (option == "--precision") {
      options.precision = named(arguments, option, std::array{Precision::kSingle, Precision::kDouble});
    } else if (option == "--check") {
      options.check = named(arguments, option, std::array{Check::kFullSpace, Check::kStanding});
    } else if (option == "--repeat") {
      options.repeat_count = arguments.positive_integer(option);
    } else if (option == "--help" || option == "-h") {
      options.help = true;
    } else if (!parse_grid_option(option, arguments, options) &&
               !parse_medium_option(option, arguments, options) &&
               !parse_source_option(option, arguments, options) &&
               !parse_output_option(option, arguments, options)) {
      throw BadInput("unknown option '" + std::string(option) + "': wave --help lists the options");
    }
  }
  require_sense(options, boundaries_given);
  if (options.check == Check::kFullSpace) options.boundaries = Boundaries::kAbsorbing;
  if (options.check == Check::kStanding) options.boundaries = Boundaries::kRigid;
  return options;
}

}  // namespace wave
