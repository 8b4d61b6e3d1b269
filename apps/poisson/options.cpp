// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <string_view>

#include "arguments.hpp"
#include "verdict.hpp"

namespace poisson {
namespace {

using app::Arguments;
using app::BadInput;

Exchange parse_exchange(std::string_view text) {
  for (const Exchange exchange :
       {Exchange::kBlocking, Exchange::kNeighbour, Exchange::kAlltoallv, Exchange::kSkipped})
    if (text == name_of(exchange)) return exchange;
  throw BadInput("--exchange '" + std::string(text) +
                 "' is unknown: use blocking, neighbour, alltoallv or skipped");
}

}  // namespace

const char* name_of(Exchange exchange) {
  switch (exchange) {
    case Exchange::kBlocking: return "blocking";
    case Exchange::kNeighbour: return "neighbour";
    case Exchange::kAlltoallv: return "alltoallv";
    case Exchange::kSkipped: return "skipped";
  }
  return "?";
}

Options parse_options(int argument_count, char** argument_values) {
  Options options;
  Arguments arguments(argument_count, argument_values);
  while (!arguments.empty()) {
    const std::string_view option = arguments.take();
    if (option == "-n") {
      options.grid = arguments.positive_integers<3>(option);
    } else if (option == "-P") {
      options.process_grid = arguments.positive_integers<3>(option);
    } else if (option == "--exchange") {
      options.exchange = parse_exchange(arguments.value_of(option, "the name of an exchange"));
    } else if (option == "--tolerance") {
      options.tolerance = arguments.number_between(0, 1, option);
    } else if (option == "--max-iterations") {
      options.max_iterations = arguments.positive_integer(option);
    } else if (option == "--iterations") {
      options.fixed_iterations = arguments.positive_integer(option);
    } else if (option == "--repeat") {
      options.repeat_count = arguments.positive_integer(option);
    } else if (option == "--json") {
      options.json_file = arguments.value_of(option, "a file name, or - for standard output");
    } else if (option == "--help" || option == "-h") {
      options.help = true;
    } else {
      throw BadInput("unknown option '" + std::string(option) + "': poisson --help lists the options");
    }
  }
  return options;
}

std::string help_text() {
  return R"(poisson: conjugate gradients for the 3-D Poisson equation, halos exchanged behind the inner points.

usage: mpiexec -n RANKS poisson [options]

problem, with a right-hand side whose exact discrete solution is known, and the start x = 0
  -n NX NY NZ          points of the whole grid (default 64 64 64), 7-point Laplacian, zero boundaries
  -P PX PY PZ          process grid (default: MPI_Dims_create, most processes along z)

solver
  --exchange NAME      how neighbours get the values at each other's faces:
                       blocking     MPI_Neighbor_alltoallv, then the whole product
                       neighbour    MPI_Ineighbor_alltoallv, inner points, wait, boundary points (default)
                       alltoallv    the same with MPI_Ialltoallv on the whole communicator
                       skipped      no exchange: a wrong answer, to measure what the others cost
  --tolerance T        stop when ||r|| <= T ||b||, two-norm (default 1e-8)
  --max-iterations N   give up after N iterations (default 100000)
  --iterations N       exactly N iterations, whatever the residual, so that times compare
  --repeat K           solve K times and report the run of median time (default 1)

output
  --json FILE          write everything as one JSON object; - means standard output, instead of the tables
  --help               this text

exit code: 0 right (or skipped), 1 not converged or a wrong answer, 2 bad input
)";
}

}  // namespace poisson
