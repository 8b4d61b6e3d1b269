// SPDX-License-Identifier: BSD-3-Clause
// Timed: adds the time from its making to its end, by MPI_Wtime, to a number of seconds.
#pragma once

#include <mpi.h>

namespace app {

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

}  // namespace app
