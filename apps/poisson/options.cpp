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

Products parse_products(std::string_view text) {
  for (const Products products : {Products::kBlocking, Products::kOverlapped, Products::kCombined})
    if (text == name_of(products)) return products;
  throw BadInput("--products '" + std::string(text) + "' is unknown: use blocking, overlapped or combined");
}

bool parse_problem(std::string_view text) {
  if (text == "cheetah") return true;
  if (text == "poisson") return false;
  throw BadInput("--problem '" + std::string(text) + "' is unknown: use poisson or cheetah");
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

const char* name_of(Products products) {
  switch (products) {
    case Products::kBlocking: return "blocking";
    case Products::kOverlapped: return "overlapped";
    case Products::kCombined: return "combined";
  }
  return "?";
}

Options parse_options(int argument_count, char** argument_values) {
  Options options;
  Arguments arguments(argument_count, argument_values);
  std::string_view of_three_dimensions;  // the last option that goes only with the one, or the other problem
  std::string_view of_one_dimension;
  while (!arguments.empty()) {
    const std::string_view option = arguments.take();
    if (option == "-n") {
      options.grid = arguments.positive_integers<3>(option);
      of_three_dimensions = option;
    } else if (option == "-P") {
      options.process_grid = arguments.positive_integers<3>(option);
      of_three_dimensions = option;
    } else if (option == "--one-dimensional") {
      options.one_dimensional = true;
    } else if (option == "--problem") {
      options.one_dimensional = parse_problem(arguments.value_of(option, "the name of a problem"));
    } else if (option == "--points") {
      options.points_per_rank = arguments.positive_integer(option);
      of_one_dimension = option;
    } else if (option == "--exchange") {
      options.exchange = parse_exchange(arguments.value_of(option, "the name of an exchange"));
    } else if (option == "--products") {
      options.products = parse_products(arguments.value_of(option, "the name of a form"));
    } else if (option == "--bandwidth") {
      options.bandwidth = true;
    } else if (option == "--tolerance") {
      options.tolerance = arguments.number_between(0, 1, option);
    } else if (option == "--max-iterations") {
      options.max_iterations = arguments.positive_integer(option);
    } else if (option == "--iterations") {
      options.fixed_iterations = arguments.positive_integer(option);
    } else if (option == "--repeat") {
      options.repeat_count = arguments.positive_integer(option);
    } else if (option == "--checkpoint") {
      options.checkpoint_file = arguments.value_of(option, "a file name");
    } else if (option == "--restart") {
      options.restart_file = arguments.value_of(option, "the name of a checkpoint");
    } else if (option == "--json") {
      options.json_file = arguments.value_of(option, "a file name, or - for standard output");
    } else if (option == "--help" || option == "-h") {
      options.help = true;
    } else {
      throw BadInput("unknown option '" + std::string(option) + "': poisson --help lists the options");
    }
  }
  const std::string_view stray = options.one_dimensional ? of_three_dimensions : of_one_dimension;
  if (!stray.empty())
    throw BadInput(std::string(stray) +
                   (options.one_dimensional ? " goes with the 3-D problem only: drop it, or --one-dimensional"
                                            : " goes with the 1-D problem only: add --one-dimensional"));
  if (!options.checkpoint_file.empty() && options.exchange == Exchange::kSkipped)
    throw BadInput("--checkpoint would keep a wrong answer: drop it, or --exchange skipped");
  return options;
}

std::string help_text() {
  return R"(poisson: conjugate gradients for the 3-D Poisson equation, halos exchanged behind the inner points.

usage: mpiexec -n RANKS poisson [options]

problem, with a right-hand side whose exact discrete solution is known, and the start x = 0
  -n NX NY NZ          points of the whole grid (default 64 64 64), 7-point Laplacian, zero boundaries
  -P PX PY PZ          process grid (default: MPI_Dims_create, most processes along z)
  --one-dimensional    the 1-D problem instead, whose reductions dominate: -u'' = 1
  --problem NAME       cheetah: the same as --one-dimensional; poisson: the 3-D one
  --points N           points of the 1-D problem per process (default 1000)

solver
  --exchange NAME      how neighbours get the values at each other's faces:
                       blocking     MPI_Neighbor_alltoallv, then the whole product
                       neighbour    MPI_Ineighbor_alltoallv, inner points, wait, boundary points (default)
                       alltoallv    the same with MPI_Ialltoallv on the whole communicator
                       skipped      no exchange: a wrong answer, to measure what the others cost
  --products NAME      how inner products are summed over the ranks:
                       blocking     two MPI_Allreduce per iteration (default)
                       overlapped   r . r by MPI_Iallreduce behind the update of x, the same bits
                       combined     one MPI_Iallreduce per iteration (Chronopoulos and Gear), other rounding
  --tolerance T        stop when ||r|| <= T ||b||, two-norm (default 1e-8)
  --max-iterations N   give up after N iterations (default 100000)
  --iterations N       exactly N iterations, whatever the residual, so that times compare
  --checkpoint FILE    write x to FILE at the end, as an array of NumPy's format
  --restart FILE       start from the x of a checkpoint of the same grid, on any number of ranks
  --repeat K           solve K times and report the run of median time (default 1)

output
  --bandwidth          measure a stream triad on all ranks too, and compare with it
  --json FILE          write everything as one JSON object; - means standard output, instead of the tables
  --help               this text

exit code: 0 right (or skipped), 1 not converged or a wrong answer, 2 bad input
)";
}

}  // namespace poisson
