// SPDX-License-Identifier: BSD-3-Clause
// The exchange of faces with up to six neighbours, group by group, while others are computed.
//
//   out(group, side) is filled -> start(group) ... hand_off(group) ... finish(group) -> in(group, side) is
//   read -> consumed(group)
//
//   blocking     MPI_Sendrecv for each face; all of it happens in start()
//   nonblocking  MPI_Irecv and MPI_Isend in start(), MPI_Waitall in finish()
//   neighbour    MPI_Ineighbor_alltoallw in start(), MPI_Wait in finish()
//   one-sided    MPI_Put into the neighbours' windows. Each group has a window, so that its epochs are its
//   own:
//                MPI_Win_post as soon as the receive buffer has been read, in consumed(); MPI_Win_start and
//                the puts in start(); MPI_Win_complete in hand_off(), so that the neighbours, who hear of it
//                a latency later, have computation to spend that on; MPI_Win_wait in finish(). Only
//                neighbours wait for one another.
//   nocheck      the same; post and start say MPI_MODE_NOCHECK, so that no MPI has to ask whether the
//                neighbour has posted
//   fence        the same puts between two MPI_Win_fence, which all ranks take part in
//   lock         for each neighbour MPI_Win_lock, put, MPI_Win_unlock in start(), after which it is sent a
//   message of
//                no bytes, which finish() waits for: the target of a lock is not told anything
//   skipped      nothing; what others have counts as zero, so the answer is wrong
//
// Why nobody overwrites a buffer that is still being read, where no call says so (nocheck, fence, lock): a
// group goes over a side only if there is another one, of the other kind (stresses for velocities), that is
// computed from it, goes over the same side, and is waited for before the group is computed again.
//
// Source: "Co-design" of AWP-ODC with one-sided communication; Potluri et al., "Quantifying performance
// benefits of overlap using MPI-2 in a seismic modeling application" (ICS 2010).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "faces.hpp"

namespace wave {

enum class ExchangeKind { kBlocking, kNonblocking, kOneSided, kNoCheck, kNeighbour, kFence, kLock, kSkipped };
inline constexpr std::array kExchangeKinds{
    ExchangeKind::kBlocking,  ExchangeKind::kNonblocking, ExchangeKind::kOneSided, ExchangeKind::kNoCheck,
    ExchangeKind::kNeighbour, ExchangeKind::kFence,       ExchangeKind::kLock,     ExchangeKind::kSkipped};
const char* name_of(ExchangeKind kind);

class Exchange {
 public:
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  bool sends(int group, int side) const { return plan_.bytes[group][side] > 0; }
  std::byte* out(int group, int side) { return out_[group].data() + plan_.offset[group][side]; }
  const std::byte* in(int group, int side) const { return in_[group] + plan_.offset[group][side]; }

  virtual void start(int group) = 0;
  /// Half of the inner points later, when what was started has most likely left.
  virtual void hand_off(int) {}
  virtual void finish(int group) = 0;
  virtual void consumed(int) {}
  /// By all ranks, where a group may be sent once more with nothing computed from it in between.
  virtual void all_consumed() {}
  /// Whether anything is gained by computing between start() and finish().
  virtual bool overlaps() const { return true; }

 protected:
  Exchange(const FacePlan& plan, MPI_Comm cartesian);
  /// Receive buffers in memory of its own, for those that have no windows.
  void allocate_in();

  FacePlan plan_;
  MPI_Comm cartesian_;
  std::array<std::vector<std::byte>, kGroupCount> out_, in_memory_;
  std::array<std::byte*, kGroupCount> in_{};
};

std::unique_ptr<Exchange> make_exchange(ExchangeKind kind, const FacePlan& plan, MPI_Comm cartesian);

// In two_sided.cpp and one_sided.cpp; null for other kinds.
std::unique_ptr<Exchange> make_two_sided(ExchangeKind kind, const FacePlan& plan, MPI_Comm cartesian);
std::unique_ptr<Exchange> make_one_sided(ExchangeKind kind, const FacePlan& plan, MPI_Comm cartesian);

}  // namespace wave
