// SPDX-License-Identifier: BSD-3-Clause
// Exchange: every member of a communicator sends every other one a block, blocking or started and finished.
//
// It has two buffers: forward, blocks go from `near` to `far`; backward from `far` to `near`, with the same
// sizes. Whoever packs writes to outgoing(), whoever unpacks reads incoming(). A member's block for itself
// goes around MPI: its outgoing() is its incoming().
#pragma once

#include <complex>
#include <mpi.h>
#include <vector>

#include "lines.hpp"

namespace fft3d {

/// One buffer: a block per member, one after the other.
struct Blocks {
  explicit Blocks(std::vector<int> sizes, int me);

  std::vector<int> counts;   ///< for MPI: none for oneself
  std::vector<int> offsets;  ///< in elements
  std::size_t size = 0;      ///< with one's own
};

template <typename Real>
class Exchange {
 public:
  using Complex = std::complex<Real>;

  /// Sizes in elements, of the block for each member (near) and from each member (far) when going forward.
  Exchange(MPI_Comm communicator, std::vector<int> near_sizes, std::vector<int> far_sizes);
  Exchange(Exchange&&) = default;

  Complex* outgoing(Direction direction, int member) {
    return block((direction == Direction::kForward) != (member == me_), member);
  }
  const Complex* incoming(Direction direction, int member) {
    return block(direction == Direction::kBackward, member);
  }

  void run(Direction direction);
  void start(Direction direction);
  void finish();

 private:
  Complex* block(bool is_near, int member) {
    return is_near ? near_.data() + near_blocks_.offsets[member] : far_.data() + far_blocks_.offsets[member];
  }

  MPI_Comm communicator_;
  int me_, members_;
  Blocks near_blocks_, far_blocks_;
  Array<Complex> near_, far_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace fft3d
