// SPDX-License-Identifier: BSD-3-Clause
#include "exchange.hpp"

#include <utility>

namespace fft3d {
namespace {

int rank_in(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

int size_of(MPI_Comm communicator) {
  int size = 0;
  MPI_Comm_size(communicator, &size);
  return size;
}

}  // namespace

Blocks::Blocks(std::vector<int> sizes, int me) : counts(std::move(sizes)), offsets(counts.size()) {
  for (std::size_t member = 0; member < counts.size(); ++member) {
    offsets[member] = static_cast<int>(size);
    size += counts[member];
  }
  counts[me] = 0;
}

template <typename Real>
Exchange<Real>::Exchange(MPI_Comm communicator, std::vector<int> near_sizes, std::vector<int> far_sizes)
    : communicator_(communicator),
      me_(rank_in(communicator)),
      members_(size_of(communicator)),
      near_blocks_(std::move(near_sizes), me_),
      far_blocks_(std::move(far_sizes), me_),
      near_(near_blocks_.size),
      far_(far_blocks_.size) {}

template <typename Real>
void Exchange<Real>::run(Direction direction) {
  if (members_ == 1) return;
  const MPI_Datatype type = Fftw<Real>::complex_type();
  const auto& near = near_blocks_;
  const auto& far = far_blocks_;
  if (direction == Direction::kForward)
    MPI_Alltoallv(near_.data(), near.counts.data(), near.offsets.data(), type, far_.data(), far.counts.data(),
                  far.offsets.data(), type, communicator_);
  else
    MPI_Alltoallv(far_.data(), far.counts.data(), far.offsets.data(), type, near_.data(), near.counts.data(),
                  near.offsets.data(), type, communicator_);
}

template <typename Real>
void Exchange<Real>::start(Direction direction) {
  if (members_ == 1) return;
  const MPI_Datatype type = Fftw<Real>::complex_type();
  const auto& near = near_blocks_;
  const auto& far = far_blocks_;
  if (direction == Direction::kForward)
    MPI_Ialltoallv(near_.data(), near.counts.data(), near.offsets.data(), type, far_.data(),
                   far.counts.data(), far.offsets.data(), type, communicator_, &request_);
  else
    MPI_Ialltoallv(far_.data(), far.counts.data(), far.offsets.data(), type, near_.data(), near.counts.data(),
                   near.offsets.data(), type, communicator_, &request_);
}

template <typename Real>
void Exchange<Real>::finish() {
  MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

template class Exchange<double>;
template class Exchange<float>;

}  // namespace fft3d
