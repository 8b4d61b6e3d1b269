// SPDX-License-Identifier: BSD-3-Clause
// Inner products summed over the ranks, up to two at a time; blocking, or in two halves with work between.
#pragma once

#include <array>
#include <mpi.h>

#include "timers.hpp"

namespace poisson {

class Reduction {
 public:
  Reduction(MPI_Comm communicator, Times& times) : communicator_(communicator), times_(times) {}

  double sum(double part) {
    const Timed timed(times_[Part::kReductionStart]);
    parts_[0] = part;
    MPI_Allreduce(parts_.data(), sums_.data(), 1, MPI_DOUBLE, MPI_SUM, communicator_);
    return sums_[0];
  }

  void start(double first) { start_all({first, 0}, 1); }
  void start(double first, double second) { start_all({first, second}, 2); }

  std::array<double, 2> wait() {
    const Timed timed(times_[Part::kReductionWait]);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    return sums_;
  }

 private:
  void start_all(std::array<double, 2> parts, int count) {
    const Timed timed(times_[Part::kReductionStart]);
    parts_ = parts;
    MPI_Iallreduce(parts_.data(), sums_.data(), count, MPI_DOUBLE, MPI_SUM, communicator_, &request_);
  }

  MPI_Comm communicator_;
  Times& times_;
  std::array<double, 2> parts_{}, sums_{};  // stay where they are while a reduction is under way
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace poisson
