// SPDX-License-Identifier: BSD-3-Clause
// Form: how the exchanges of a transform are made.
#pragma once

#include <array>

#include "lines.hpp"

namespace fft3d {

enum class Exchanges {
  kBlocking,   ///< MPI_Alltoallv
  kPipelined,  ///< y and z of one variable by MPI_Ialltoallv, under the work of the next variable
  kPlanes,     ///< y and z of some z planes by MPI_Ialltoallv, under the work of the next planes
  kSkipped,    ///< none: the answer is wrong, and what is left of the time is computation
  kFftw,       ///< FFTW's own MPI transform, to compare with; not a form of Plan
};
inline constexpr std::array kExchangeNames{"blocking", "pipelined", "planes", "skipped", "fftw"};

inline const char* name_of(Exchanges exchanges) { return kExchangeNames[static_cast<int>(exchanges)]; }

struct Form {
  Exchanges exchanges = Exchanges::kPipelined;
  int planes = 0;  ///< per message of kPlanes; 0: so many that there are four messages
  int depth = 1;   ///< of kPipelined: so many variables' exchanges go on under the work of the next
  Effort effort = Effort::kMeasure;
};

}  // namespace fft3d
