// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "arguments.hpp"
#include "verdict.hpp"

namespace fft3d {
namespace {

using app::Arguments;
using app::BadInput;

template <typename Value>
Value one_of(const std::map<std::string_view, Value>& values, std::string_view option, Arguments& arguments) {
  std::string names;
  for (const auto& [name, value] : values) names += (names.empty() ? "" : ", ") + std::string(name);
  const std::string_view text = arguments.value_of(option, ("one of " + names).c_str());
  const auto found = values.find(text);
  if (found == values.end())
    throw BadInput(std::string(option) + " '" + std::string(text) + "' is unknown: use one of " + names);
  return found->second;
}

struct Tests {
  bool sine, random;
};

std::string file_name(std::string_view option, const char* meaning, Arguments& arguments) {
  const std::string_view name = arguments.value_of(option, meaning);
  if (name.empty()) throw BadInput(std::string(option) + " needs " + meaning + ", not ''");
  return std::string(name);
}

/// False if it is none of them.
bool parse_taylor_green(std::string_view option, Arguments& arguments, TaylorGreenOptions& options) {
  if (option == "--taylor-green")
    options.steps = arguments.positive_integer(option, "a positive number of steps");
  else if (option == "--viscosity") options.viscosity = arguments.number_between(0, 1e6, option);
  else if (option == "--amplitude") options.amplitude = arguments.number_between(0, 1e6, option);
  else if (option == "--time-step") options.time_step = arguments.number_between(0, 1e6, option);
  else if (option == "--slice") options.slice_file = file_name(option, "the name of an NPY file", arguments);
  else return false;
  return true;
}

bool parse_transform(std::string_view option, Arguments& arguments, Options& options) {
  if (option == "-n") {
    options.grid.points = arguments.positive_integers<3>(option);
  } else if (option == "-P") {
    const auto [rows, columns] = arguments.positive_integers<2>(option);
    options.processes = {rows, columns};
  } else if (option == "--kind") {
    options.grid.is_real = one_of<bool>({{"complex", false}, {"real", true}}, option, arguments);
  } else if (option == "--precision") {
    options.is_single = one_of<bool>({{"double", false}, {"single", true}}, option, arguments);
  } else if (option == "--variables") {
    options.variables = arguments.positive_integer(option);
  } else if (option == "--exchange") {
    std::map<std::string_view, Exchanges> names;
    for (int i = 0; i < static_cast<int>(kExchangeNames.size()); ++i)
      names[kExchangeNames[i]] = static_cast<Exchanges>(i);
    options.form.exchanges = one_of(names, option, arguments);
  } else if (option == "--planes") {
    options.form.planes = arguments.positive_integer(option);
  } else if (option == "--depth") {
    options.form.depth = arguments.positive_integer(option);
  } else if (option == "--plan") {
    options.form.effort =
        one_of<Effort>({{"estimate", Effort::kEstimate}, {"measure", Effort::kMeasure}}, option, arguments);
  } else {
    return false;
  }
  return true;
}

void require_sense(const Options& options, const std::set<std::string_view>& given) {
  if (given.contains("--planes") && options.form.exchanges != Exchanges::kPlanes)
    throw BadInput("--planes is the size of the messages of --exchange planes: add that, or drop it");
  if (given.contains("--depth") && options.form.exchanges != Exchanges::kPipelined)
    throw BadInput("--depth is how many exchanges --exchange pipelined has under way: use that, or drop it");
  if (options.taylor_green.steps == 0) {
    for (const char* option : {"--viscosity", "--amplitude", "--time-step", "--slice"})
      if (given.contains(option))
        throw BadInput(std::string(option) + " belongs to --taylor-green STEPS: add that, or drop it");
    return;
  }
  for (const char* option : {"--kind", "--variables", "--test"})
    if (given.contains(option))
      throw BadInput(
          std::string(option) +
          " does not go with --taylor-green, which transforms three real velocities: drop one of them");
}

}  // namespace

Options parse_options(int argument_count, char** argument_values) {
  Options options;
  Arguments arguments(argument_count, argument_values);
  std::set<std::string_view> given;
  while (!arguments.empty()) {
    const std::string_view option = arguments.take();
    given.insert(option);
    if (parse_transform(option, arguments, options)) continue;
    if (parse_taylor_green(option, arguments, options.taylor_green)) continue;
    if (option == "--test") {
      const auto tests = one_of<Tests>(
          {{"sine", {true, false}}, {"random", {false, true}}, {"all", {true, true}}}, option, arguments);
      options.test_sine = tests.sine;
      options.test_random = tests.random;
    } else if (option == "--repeat") {
      options.repeat_count = arguments.positive_integer(option);
    } else if (option == "--json") {
      options.json_file = file_name(option, "a file name, or - for standard output", arguments);
    } else if (option == "--help" || option == "-h") {
      options.help = true;
    } else {
      throw BadInput("unknown option '" + std::string(option) + "': fft3d --help lists the options");
    }
  }
  if (!options.help) require_sense(options, given);
  options.form.depth = std::min(options.form.depth, options.variables);
  if (options.taylor_green.steps > 0) {
    options.grid.is_real = true;
    options.variables = 3;
    if (!given.contains("--repeat")) options.repeat_count = 1;
  }
  return options;
}

std::string help_text() {
  return R"(fft3d: parallel 3-D Fourier transforms, with exchanges that run under the computation.

usage: mpiexec -n RANKS fft3d [options]

transform
  -n NX NY NZ          grid points in all, along x, y and z (default 64 64 64)
  -P ROWS COLUMNS      process grid, consecutive ranks in a row (default: MPI_Dims_create)
  --kind NAME          complex (default), or real: real fields, half of the spectrum in x
  --precision NAME     double (default) or single
  --variables V        so many fields are transformed one after the other (default 3)
  --exchange NAME      blocking     MPI_Alltoallv in rows and columns
                       pipelined    in columns MPI_Ialltoallv, under the work of the next variable (default)
                       planes       in columns MPI_Ialltoallv, under the work of the next z planes
                       skipped      none: the answer is wrong, the time is that of the computation alone
                       fftw         FFTW's own MPI transform instead, to compare with
  --depth D            exchanges of pipelined under way while another variable is worked on (default 1)
  --planes N           z planes per message of planes (default: a quarter of a rank's)
  --plan NAME          FFTW plans by estimate or measure (default)

answers
  --test NAME          sine         a product of sines, whose spectrum is known
                       random       against serial FFTW; on large grids against single coefficients
                       all          both (default); Parseval and the round trip are checked with each
  --repeat K           time forward and backward K times, report the median (default 3; 1 of --taylor-green)

use
  --taylor-green STEPS so many time steps of the Taylor-Green vortex, instead of the tests
  --viscosity NU       (default 0.01; the cube has sides of 2 pi)
  --amplitude A        of the velocity (default 1)
  --time-step DT       (default: a quarter of the grid spacing / A, at most 0.1)
  --slice FILE.npy     at the end write the magnitude of the vorticity in z plane NZ / 8, as NPY

output
  --json FILE          write everything as one JSON object; - means standard output, instead of the tables
  --help               this text

exit code: 0 right, 1 wrong answer, 2 bad input
)";
}

}  // namespace fft3d
