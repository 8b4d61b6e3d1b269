// SPDX-License-Identifier: BSD-3-Clause
#include "bandwidth.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "verdict.hpp"

namespace app {
namespace {

using Vector = std::vector<double>;

constexpr std::size_t kElementsPerNode = std::size_t{1} << 24;
constexpr std::size_t kElementsPerRank = std::size_t{1} << 21;  // at least
constexpr int kTrials = 7;
constexpr double kBytesPerElement = 24;

int ranks_on_node(MPI_Comm communicator) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int count = 0;
  MPI_Comm_size(node, &count);
  MPI_Comm_free(&node);
  return count;
}

void triad(Vector& a, const Vector& b, const Vector& c, double scalar) {
  double* __restrict__ as = a.data();
  const double* __restrict__ bs = b.data();
  const double* __restrict__ cs = c.data();
  const std::size_t count = a.size();
  for (std::size_t i = 0; i < count; ++i) as[i] = bs[i] + scalar * cs[i];
}

}  // namespace

double measure_triad(MPI_Comm communicator) {
  const std::size_t elements =
      std::max(kElementsPerRank, kElementsPerNode / static_cast<std::size_t>(ranks_on_node(communicator)));
  Vector a, b, c;
  together(communicator, [&] {
    a.assign(elements, 0);
    b.assign(elements, 1);
    c.assign(elements, 2);
  });
  double all_elements = static_cast<double>(elements);
  MPI_Allreduce(MPI_IN_PLACE, &all_elements, 1, MPI_DOUBLE, MPI_SUM, communicator);
  double best = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    MPI_Barrier(communicator);
    const double start = MPI_Wtime();
    triad(a, b, c, trial);
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, communicator);
    best = std::max(best, all_elements * kBytesPerElement / seconds);
    c[trial] = a[trial];  // so that no trial can be left out
  }
  return best;
}

}  // namespace app
