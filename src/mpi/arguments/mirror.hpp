// SPDX-License-Identifier: BSD-3-Clause
// Mirror: some elements of a datatype with gaps that lie in an accelerator, as they lie there, in memory of
// this process. Only their data go to and fro: what is between them may be anybody's, and need not even be
// memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <vector>

#include "mpi/arguments/accelerator.hpp"

namespace weft::mpi {

class Mirror {
 public:
  // `there`: the first element's address, which its type places its data from.
  Mirror(std::byte* there, MPI_Datatype type, int count, MPI_Count extent) : there_(there) {
    MPI_Count lower = 0, length = 0;
    PMPI_Type_get_true_extent_x(type, &lower, &length);
    const MPI_Count last = (count - 1) * extent;
    begin_ = lower + std::min<MPI_Count>(0, last);
    size_ = static_cast<std::size_t>(lower + length + std::max<MPI_Count>(0, last) - begin_);
  }

  // Where an element has to be said to be, so that its data are in the mirror.
  std::byte* address() { return address_in(image_); }

  // `unpack(address)` writes data to elements said to be at this address, here, where they stay: an MPI error
  // code. What it leaves alone are the gaps.
  template <class Unpack>
  int take(Unpack unpack) {
    std::vector<std::byte> other(size_, std::byte{0xff});
    image_.assign(size_, std::byte{0});
    int code = unpack(address());
    if (code == MPI_SUCCESS) code = unpack(address_in(other));
    if (code == MPI_SUCCESS) find_runs(other);
    return code;
  }
  // The data that take() has found, from the accelerator or to it: MPI error codes.
  int fetch() { return copy(true); }
  int store() { return copy(false); }

 private:
  struct Run {
    std::size_t at, size;
  };

  // A number rather than an address: with absolute datatypes it may lie outside of all memory.
  std::byte* address_in(std::vector<std::byte>& image) const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::intptr_t>(image.data()) - begin_);
  }
  void find_runs(const std::vector<std::byte>& other) {
    for (std::size_t at = 0; at < size_; ++at) {
      if (image_[at] != other[at]) continue;
      if (runs_.empty() || runs_.back().at + runs_.back().size != at) runs_.push_back({at, 0});
      ++runs_.back().size;
    }
  }
  int copy(bool from_accelerator) {
    std::vector<AcceleratorCopy> copies;
    for (const Run& run : runs_) {
      std::byte* const there = there_ + begin_ + run.at;
      std::byte* const here = image_.data() + run.at;
      const Bytes size(static_cast<std::int64_t>(run.size));
      copies.push_back(from_accelerator ? AcceleratorCopy{there, here, size}
                                        : AcceleratorCopy{here, there, size});
    }
    if (copies.empty()) return MPI_SUCCESS;
    return copy_by_driver(there_ + begin_ + runs_.front().at, copies);
  }

  std::byte* there_;
  MPI_Count begin_;
  std::size_t size_;
  std::vector<std::byte> image_;
  std::vector<Run> runs_;
};

}  // namespace weft::mpi
