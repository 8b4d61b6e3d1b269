// SPDX-License-Identifier: BSD-3-Clause
#include "halo.hpp"

namespace poisson {

Halo::Halo(const std::vector<int>& face_points, Exchange exchange, MPI_Comm cartesian)
    : cartesian_(cartesian), exchange_(exchange) {
  int rank_count = 0;
  MPI_Comm_size(cartesian, &rank_count);
  counts_by_rank_.resize(rank_count);
  offsets_by_rank_.resize(rank_count);
  int offset = 0;
  for (int direction = 0; direction < static_cast<int>(face_points.size()); ++direction) {
    int lower = MPI_PROC_NULL;
    int upper = MPI_PROC_NULL;
    MPI_Cart_shift(cartesian, direction, 1, &lower, &upper);
    for (const int rank : {lower, upper}) {
      const int count = rank == MPI_PROC_NULL ? 0 : face_points[direction];
      ranks_.push_back(rank);
      counts_.push_back(count);
      offsets_.push_back(offset);
      if (rank != MPI_PROC_NULL) {
        counts_by_rank_[rank] = count;
        offsets_by_rank_[rank] = offset;
      }
      offset += count;
    }
  }
  // One more, unused: where nothing is sent the buffers still are two, as MPI wants them.
  out_.resize(offset + 1);
  in_.resize(offset + 1);
}

void Halo::start(Times& times) {
  const Timed timed(times[Part::kHaloStart]);
  start_exchange();
}

void Halo::start_exchange() {
  switch (exchange_) {
    case Exchange::kBlocking:
      MPI_Neighbor_alltoallv(out_.data(), counts_.data(), offsets_.data(), MPI_DOUBLE, in_.data(),
                             counts_.data(), offsets_.data(), MPI_DOUBLE, cartesian_);
      break;
    case Exchange::kNeighbour:
      MPI_Ineighbor_alltoallv(out_.data(), counts_.data(), offsets_.data(), MPI_DOUBLE, in_.data(),
                              counts_.data(), offsets_.data(), MPI_DOUBLE, cartesian_, &request_);
      break;
    case Exchange::kAlltoallv:
      MPI_Ialltoallv(out_.data(), counts_by_rank_.data(), offsets_by_rank_.data(), MPI_DOUBLE, in_.data(),
                     counts_by_rank_.data(), offsets_by_rank_.data(), MPI_DOUBLE, cartesian_, &request_);
      break;
    case Exchange::kSkipped: break;
  }
}

void Halo::finish(Times& times) {
  if (exchange_ != Exchange::kNeighbour && exchange_ != Exchange::kAlltoallv) return;
  const Timed timed(times[Part::kHaloWait]);
  MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

}  // namespace poisson
