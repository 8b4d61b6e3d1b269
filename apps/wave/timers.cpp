// SPDX-License-Identifier: BSD-3-Clause
#include "timers.hpp"

namespace wave {
namespace {

Times reduced(const Times& times, MPI_Op operation, MPI_Comm communicator) {
  Times result;
  MPI_Allreduce(times.parts.data(), result.parts.data(), kPartCount, MPI_DOUBLE, operation, communicator);
  return result;
}

}  // namespace

Times mean_of(const Times& times, MPI_Comm communicator) {
  int rank_count = 0;
  MPI_Comm_size(communicator, &rank_count);
  Times mean = reduced(times, MPI_SUM, communicator);
  for (double& seconds : mean.parts) seconds /= rank_count;
  return mean;
}

Times maximum_of(const Times& times, MPI_Comm communicator) { return reduced(times, MPI_MAX, communicator); }

}  // namespace wave
