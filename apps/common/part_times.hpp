// SPDX-License-Identifier: BSD-3-Clause
// PartTimes: where the time of a run went, in seconds, by its parts; and what that is over all ranks.
#pragma once

#include <array>
#include <cstddef>
#include <mpi.h>
#include <span>
#include <string>

#include "timed.hpp"

namespace app {

template <class Part, std::size_t kCount>
struct PartTimes {
  std::array<double, kCount> parts{};

  double& operator[](Part part) { return parts[static_cast<std::size_t>(part)]; }
  double operator[](Part part) const { return parts[static_cast<std::size_t>(part)]; }
};

/// Over all ranks, part by part; `Times` is made of PartTimes alone. Collective.
template <class Times>
Times reduced(const Times& times, MPI_Op operation, MPI_Comm communicator) {
  Times result;
  MPI_Allreduce(times.parts.data(), result.parts.data(), static_cast<int>(times.parts.size()), MPI_DOUBLE,
                operation, communicator);
  return result;
}
template <class Times>
Times mean_of(const Times& times, MPI_Comm communicator) {
  int rank_count = 0;
  MPI_Comm_size(communicator, &rank_count);
  Times mean = reduced(times, MPI_SUM, communicator);
  for (double& seconds : mean.parts) seconds /= rank_count;
  return mean;
}
template <class Times>
Times maximum_of(const Times& times, MPI_Comm communicator) {
  return reduced(times, MPI_MAX, communicator);
}

/// A table for people, a line for each part. The last part is the whole.
std::string times_text(std::span<const char* const> labels, std::span<const double> mean,
                       std::span<const double> maximum);

}  // namespace app
