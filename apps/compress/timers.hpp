// SPDX-License-Identifier: BSD-3-Clause
// Where the time of one run went, on one rank, in seconds.
#pragma once

#include <mpi.h>

namespace compress {

struct Times {
  double reading = 0;
  double compressing = 0;
  double waiting = 0;  ///< in the MPI calls of the exchange
  double writing = 0;  ///< rank 0: putting together and writing
};
inline constexpr int kTimeCount = 4;
static_assert(sizeof(Times) == kTimeCount * sizeof(double));

/// Adds the time from its making to its end to `seconds`.
class Timed {
 public:
  explicit Timed(double& seconds) : seconds_(seconds), start_(MPI_Wtime()) {}
  ~Timed() { seconds_ += MPI_Wtime() - start_; }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  double& seconds_;
  double start_;
};

}  // namespace compress
