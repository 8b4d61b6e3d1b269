// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <fmt/format.h>
#include <initializer_list>
#include <string_view>

#include "arguments.hpp"
#include "verdict.hpp"

namespace pcg {
namespace {

using app::Arguments;
using app::BadInput;

constexpr int kMostSteps = 16;  // of sstep; what its basis bears is less

std::vector<Algorithm> parse_algorithm(std::string_view text) {
  const std::vector<Algorithm> all = Options{}.algorithms;
  if (text == "all") return all;
  for (const Algorithm algorithm : all)
    if (text == name_of(algorithm)) return {algorithm};
  throw BadInput("--algorithm '" + std::string(text) +
                 "' is unknown: use hypre, algorithm1, algorithm2, overlap, gropp, pipelined, sstep or all");
}

Exchange parse_exchange(std::string_view text) {
  for (const Exchange exchange : {Exchange::kOverlapped, Exchange::kBlocking, Exchange::kSkipped})
    if (text == name_of(exchange)) return exchange;
  throw BadInput("--exchange '" + std::string(text) + "' is unknown: use overlapped, blocking or skipped");
}

int integer_between(int low, int high, std::string_view option, Arguments& arguments) {
  const std::string meaning = fmt::format("an integer from {} to {}", low, high);
  const std::string_view text = arguments.value_of(option, meaning.c_str());
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high)
    throw BadInput(fmt::format("{} needs {}, not '{}'", option, meaning, text));
  return value;
}

Stop parse_stop(std::string_view text) {
  for (const Stop stop : {Stop::kRecurrence, Stop::kTrue})
    if (text == name_of(stop)) return stop;
  throw BadInput("--stop '" + std::string(text) + "' is unknown: use recurrence or true");
}

PreconditionerKind parse_preconditioner(std::string_view text) {
  using enum PreconditionerKind;
  for (const PreconditionerKind kind : {kDiagonal, kBoomerAmg, kNone})
    if (text == name_of(kind)) return kind;
  throw BadInput("--preconditioner '" + std::string(text) + "' is unknown: use diagonal, boomeramg or none");
}

bool needs_root(Algorithm algorithm) {
  return algorithm == Algorithm::kAlgorithm2 || algorithm == Algorithm::kOverlap;
}

/// Multigrid has no L with C = L L: of all algorithms those remain that need none.
void leave_what_multigrid_can(Options& options) {
  if (options.preconditioner != PreconditionerKind::kBoomerAmg) return;
  const Algorithm first = options.algorithms.front();
  if (options.algorithms.size() == 1 && needs_root(first))
    throw BadInput(std::string("--preconditioner boomeramg does not go with ") + name_of(first) +
                   ", which needs C = L L^T: use it with --algorithm hypre, algorithm1, gropp, pipelined, "
                   "sstep or all, which then means these");
  std::erase_if(options.algorithms, needs_root);
}

/// Without its reductions only what starts them early can be run.
void require_algorithms_that_start_early(const Options& options) {
  if (options.exchange == Exchange::kOverlapped) return;
  for (const Algorithm algorithm : options.algorithms)
    if (algorithm != Algorithm::kOverlap && algorithm != Algorithm::kGropp &&
        algorithm != Algorithm::kPipelined && algorithm != Algorithm::kSstep)
      throw BadInput(std::string("--exchange ") + name_of(options.exchange) + " has no meaning for " +
                     name_of(algorithm) + ": use it with --algorithm overlap, gropp, pipelined or sstep");
}

void require_one_of(std::initializer_list<Algorithm> wanted, const std::string& option, const char* names,
                    const Options& options) {
  for (const Algorithm algorithm : options.algorithms)
    if (std::find(wanted.begin(), wanted.end(), algorithm) != wanted.end()) return;
  throw BadInput(option + " has no meaning for " + name_of(options.algorithms.front()) +
                 ": use it with --algorithm " + names);
}

}  // namespace

const char* name_of(PreconditionerKind kind) {
  switch (kind) {
    case PreconditionerKind::kDiagonal: return "diagonal";
    case PreconditionerKind::kBoomerAmg: return "boomeramg";
    case PreconditionerKind::kNone: return "none";
  }
  return "?";
}

const char* name_of(Stop stop) { return stop == Stop::kTrue ? "true" : "recurrence"; }

const char* name_of(Exchange exchange) {
  switch (exchange) {
    case Exchange::kOverlapped: return "overlapped";
    case Exchange::kBlocking: return "blocking";
    case Exchange::kSkipped: return "skipped";
  }
  return "?";
}

const char* name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kHypre: return "hypre";
    case Algorithm::kAlgorithm1: return "algorithm1";
    case Algorithm::kAlgorithm2: return "algorithm2";
    case Algorithm::kOverlap: return "overlap";
    case Algorithm::kGropp: return "gropp";
    case Algorithm::kPipelined: return "pipelined";
    case Algorithm::kSstep: return "sstep";
  }
  return "?";
}

Options parse_options(int argument_count, char** argument_values) {
  Options options;
  Arguments arguments(argument_count, argument_values);
  bool grid_given = false;
  bool process_grid_given = false;
  bool steps_given = false;
  bool replacement_given = false;
  while (!arguments.empty()) {
    const std::string_view option = arguments.take();
    if (option == "-n") {
      options.local_grid = arguments.positive_integers<3>(option);
      grid_given = true;
    } else if (option == "-P") {
      options.process_grid = arguments.positive_integers<3>(option);
      process_grid_given = true;
    } else if (option == "--matrix") {
      options.matrix_file = arguments.value_of(option, "the name of a Matrix Market file");
      if (options.matrix_file.empty())
        throw BadInput("--matrix needs the name of a Matrix Market file, not ''");
    } else if (option == "--algorithm") {
      options.algorithms = parse_algorithm(arguments.value_of(option, "the name of an algorithm"));
    } else if (option == "--exchange") {
      options.exchange = parse_exchange(arguments.value_of(option, "overlapped, blocking or skipped"));
    } else if (option == "--preconditioner") {
      options.preconditioner =
          parse_preconditioner(arguments.value_of(option, "diagonal, boomeramg or none"));
    } else if (option == "--steps") {
      options.steps = integer_between(1, kMostSteps, option, arguments);
      steps_given = true;
    } else if (option == "--replace-every") {
      options.replace_every = integer_between(0, INT_MAX, option, arguments);
      replacement_given = true;
    } else if (option == "--stop") {
      options.stop = parse_stop(arguments.value_of(option, "recurrence or true"));
    } else if (option == "--tolerance") {
      options.tolerance = arguments.number_between(0, 1, option);
    } else if (option == "--max-iterations") {
      options.max_iterations = arguments.positive_integer(option, "a positive integer");
    } else if (option == "--repeat") {
      options.repeat_count = arguments.positive_integer(option, "a positive integer");
    } else if (option == "--history") {
      options.history_stride = arguments.positive_integer_or(1, option, "a positive integer or nothing");
    } else if (option == "--bandwidth") {
      options.bandwidth = true;
    } else if (option == "--json") {
      options.json_file = arguments.value_of(option, "a file name, or - for standard output");
    } else if (option == "--help" || option == "-h") {
      options.help = true;
    } else {
      throw BadInput("unknown option '" + std::string(option) + "': pcg --help lists the options");
    }
  }
  leave_what_multigrid_can(options);
  require_algorithms_that_start_early(options);
  if (steps_given) require_one_of({Algorithm::kSstep}, "--steps", "sstep", options);
  if (replacement_given)
    require_one_of({Algorithm::kPipelined, Algorithm::kSstep}, "--replace-every", "pipelined or sstep",
                   options);
  if (!options.matrix_file.empty() && (grid_given || process_grid_given))
    throw BadInput("--matrix brings its own size: it goes with neither -n nor -P; drop one of them");
  return options;
}

std::string help_text() {
  return R"(pcg: preconditioned conjugate gradients, six ways to wait for an inner product.

usage: mpiexec -n RANKS pcg [options]

problem, with the right-hand side b = 1 and the start x = 0
  -n NX NY NZ          27-point Laplacian with so many grid points per process (default 30 30 30)
  -P PX PY PZ          process grid of the Laplacian (default: MPI_Dims_create)
  --matrix FILE.mtx    symmetric positive definite matrix in Matrix Market coordinate form instead

solver
  --algorithm NAME     hypre        hypre's own PCG, as the reference
                       algorithm1   the basic algorithm, three blocking inner products
                       algorithm2   the variant that applies L^-1 twice, three blocking inner products
                       overlap      algorithm2 with MPI_Iallreduce started early and finished late
                       gropp        two MPI_Iallreduce, behind the preconditioner and the matrix product
                       pipelined    one MPI_Iallreduce, behind both
                       sstep        one MPI_Iallreduce per S iterations, behind hardly anything
                       all          one after the other (default)
  --exchange NAME      what becomes of the reductions that overlap, gropp, pipelined and sstep start
                       overlapped   MPI_Iallreduce ... work ... MPI_Wait (default)
                       blocking     MPI_Allreduce in the place of MPI_Iallreduce
                       skipped      none of all reductions, to see what they cost: the sums are those that
                                    a solve made before, untimed, has recorded; so the answer is the same
  --preconditioner C   diagonal     the diagonal of the matrix (default)
                       boomeramg    one V-cycle of hypre's algebraic multigrid per iteration; not for
                                    algorithm2 and overlap, which need an L with C = L L
                       none
  --steps S            iterations per reduction of sstep, 1 to 16 (default 4)
  --replace-every K    pipelined and sstep make what drifts by rounding afresh every K iterations, by
                       multiplications with the matrix; 0 means never (default 50)
  --stop RESIDUAL      recurrence   stop by the residual that the iterations carry along (default)
                       true         compute b - A x where that one is small enough; if this one is not, go
                                    on with it, as long as that halves it
  --tolerance T        stop when ||r|| <= T ||b||, two-norm (default 1e-8)
  --max-iterations N   give up after N iterations (default 10000)
  --repeat K           solve K times and report the run of median solver time (default 1)

output
  --history [K]        print the residual history, every K-th iteration (default every one)
  --bandwidth          measure a stream triad on all ranks too, and compare with it
  --json FILE          write everything as one JSON object; - means standard output, instead of the tables
  --help               this text

exit code: 0 solved, 1 not converged or true residual too large, 2 bad input
)";
}

}  // namespace pcg
