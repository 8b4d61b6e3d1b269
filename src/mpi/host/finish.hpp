// SPDX-License-Identifier: BSD-3-Clause
// Waiting for requests of the host while moving Weft, where the host cannot do that itself.
#pragma once

#include <cstddef>
#include <mpi.h>
#include <vector>

namespace weft::mpi {

// Waits for a host request while moving Weft; the collective's or message's own error code.
int finish(MPI_Request* request, MPI_Status* status);
// MPI_Waitall, while moving Weft.
int finish_all(int count, MPI_Request* requests, MPI_Status* statuses);

// Memory for the outgoing half of MPI_Sendrecv_replace.
class PackedCopy {
 public:
  std::byte* of(MPI_Count bytes) {
    memory_.resize(static_cast<std::size_t>(bytes));
    return memory_.data();
  }
  const std::byte* data() const { return memory_.data(); }

 private:
  std::vector<std::byte> memory_;
};

}  // namespace weft::mpi
