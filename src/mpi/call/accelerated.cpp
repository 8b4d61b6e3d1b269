// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/accelerated.hpp"

#include "mpi/arguments/accelerator.hpp"

namespace weft::mpi {

InAccelerator sides_in_accelerator(const Arguments& a, const Communicator& communicator) {
  if (communicator.accelerators != AcceleratorUse::kCopied || a.lists != nullptr) return {};
  const bool has_both = !is_rooted(a.collective) || communicator.rank == a.root;
  const bool receives = has_both || scatters(a.collective) || a.collective == Collective::kBcast;
  const bool sends = (has_both || !scatters(a.collective)) && a.collective != Collective::kBcast;
  const MPI_Datatype received = is_reduction(a.collective) ? a.sendtype : a.recvtype;
  return {sends && is_in_accelerator(a.sendbuf, a.sendtype),
          receives && is_in_accelerator(a.recvbuf, received)};
}

std::optional<Reason> why_for_accelerators(const Communicator& communicator, Bytes bytes, bool has_lists) {
  if (communicator.accelerators == AcceleratorUse::kNone) return std::nullopt;
  const bool is_left =
      communicator.accelerators == AcceleratorUse::kLeftToHost || has_lists || bytes > kMostInAccelerator;
  return is_left ? std::optional(Reason::kAccelerators) : std::nullopt;
}

}  // namespace weft::mpi
