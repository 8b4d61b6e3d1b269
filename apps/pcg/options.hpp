// SPDX-License-Identifier: BSD-3-Clause
// What the command line asks for.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace pcg {

enum class Algorithm { kHypre, kAlgorithm1, kAlgorithm2, kOverlap, kGropp, kPipelined, kSstep };

const char* name_of(Algorithm algorithm);

/// What C is (preconditioner.hpp).
enum class PreconditionerKind { kDiagonal, kBoomerAmg, kNone };

const char* name_of(PreconditionerKind kind);

/// What becomes of the reductions that overlap, gropp, pipelined and sstep start early.
enum class Exchange {
  kOverlapped,  ///< MPI_Iallreduce, and MPI_Wait where its result is needed
  kBlocking,    ///< MPI_Allreduce in the place of MPI_Iallreduce
  kSkipped,     ///< none, to see what they cost: the sums are those of a solve made before
};

const char* name_of(Exchange exchange);

/// Which residual has to be small enough for a solve to be over.
enum class Stop {
  kRecurrence,  ///< the one that the iterations carry along
  kTrue,        ///< b - A x, computed where the other is; if it is not, the solve goes on from that x
};

const char* name_of(Stop stop);

struct Options {
  std::array<int, 3> local_grid{30, 30, 30};  ///< -n: grid points per process
  std::array<int, 3> process_grid{0, 0, 0};   ///< -P; 0 0 0 leaves the choice to MPI_Dims_create
  std::string matrix_file;                    ///< --matrix; empty: the Laplacian
  std::vector<Algorithm> algorithms{Algorithm::kHypre,   Algorithm::kAlgorithm1, Algorithm::kAlgorithm2,
                                    Algorithm::kOverlap, Algorithm::kGropp,      Algorithm::kPipelined,
                                    Algorithm::kSstep};
  PreconditionerKind preconditioner = PreconditionerKind::kDiagonal;
  int steps = 4;           ///< --steps: iterations per reduction of sstep
  int replace_every = 50;  ///< --replace-every: iterations between residual replacements; 0: none
  Exchange exchange = Exchange::kOverlapped;
  Stop stop = Stop::kRecurrence;
  double tolerance = 1e-8;
  int max_iterations = 10000;
  int repeat_count = 1;
  int history_stride = 0;  ///< 0: no residual history printed; k: every k-th iteration
  std::string json_file;   ///< empty: none; "-": standard output, instead of the tables
  bool bandwidth = false;  ///< measure a stream triad beside the solves
  bool help = false;
};

/// Reads the command line; throws BadInput. Deterministic, so every rank may do it by itself.
Options parse_options(int argument_count, char** arguments);

std::string help_text();

}  // namespace pcg
