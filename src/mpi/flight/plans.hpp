// SPDX-License-Identifier: BSD-3-Clause
// Plans: those of one communicator, and how they are found again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "executor/processor/operation.hpp"
#include "mpi/arguments/arguments.hpp"
#include "mpi/arguments/overlap.hpp"

namespace weft {
struct Placement;
struct PlanKey;
struct SharedSettings;
}  // namespace weft

namespace weft::mpi {

struct Plan;

// The last call of a collective whose arguments alone say what it is: predefined datatypes that travel as
// they lie in memory, and a predefined operator. Its plan is found again by comparing them.
struct RecentCall {
  RecentCall() = default;
  RecentCall(const Arguments& arguments, Plan* made, Bytes size, const Combine& how, Distance not_this);

  bool matches(const Arguments& a) const {
    return plan != nullptr && a.sendcount == sendcount && a.sendtype == sendtype &&
           a.recvcount == recvcount && a.recvtype == recvtype && a.op == op && a.root == root &&
           buffers_of(a) == buffers && distance_of(a) != refused;
  }

  Plan* plan = nullptr;
  Bytes bytes;  // of the call
  Combine combine;

 private:
  // What matters of the two addresses: whether they are null, and whether one is MPI_IN_PLACE or both are
  // equal.
  static unsigned buffers_of(const Arguments& a) {
    return (a.sendbuf == nullptr ? 1u : 0u) | (a.recvbuf == nullptr ? 2u : 0u) |
           (a.sendbuf == MPI_IN_PLACE ? 4u : 0u) | (a.sendbuf == a.recvbuf ? 8u : 0u) |
           (a.recvbuf == MPI_IN_PLACE ? 16u : 0u);
  }

  MPI_Count sendcount = 0, recvcount = 0;
  MPI_Datatype sendtype = MPI_DATATYPE_NULL, recvtype = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  unsigned buffers = 0;
  Distance refused = kNoDistance;  // the distance of buffers at which the host refuses the call
};

// How much of the nodes' memory an operation may use: lines and pieces of long messages, lines alone, or
// none. Calls are planned for each of these apart.
enum class MemoryUse : std::uint8_t { kAll, kLines, kNone };
inline constexpr std::size_t kMemoryUses = 3;

class Plans {
 public:
  using Settings = std::shared_ptr<const SharedSettings>;

  explicit Plans(Rank self);
  ~Plans();

  // Calls are planned by these from now on; placements by MemoryUse. All members change them between the same
  // two operations.
  void plan_by(Settings settings, const std::array<Placement, kMemoryUses>& placements);
  // The plan for this shape, which is made if there is none. Its address is stable while one of its
  // operations is under way or has a request.
  Plan& find_or_make(const PlanKey& key, MemoryUse use);
  // The last call of this collective. Forgotten whenever a plan is made, since that may remove another plan.
  RecentCall& recent(Collective collective) { return recent_[static_cast<std::size_t>(collective)]; }

  const Placement& placement() const;  // with all the memory that there is
  bool all_idle() const;

 private:
  struct Kept;  // the plans themselves, by MemoryUse, and those made by former settings
  std::array<RecentCall, kCollectives.size()> recent_;
  Rank self_;
  std::unique_ptr<Kept> kept_;
};

}  // namespace weft::mpi
