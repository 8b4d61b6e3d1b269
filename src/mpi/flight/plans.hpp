// SPDX-License-Identifier: BSD-3-Clause
// Plans: those of one communicator, and how they are found again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/flight/recent_call.hpp"

namespace weft {
struct Placement;
struct PlanKey;
struct SharedSettings;
}  // namespace weft

namespace weft::mpi {

struct Plan;

// How much of the nodes' memory an operation may use: all that the communicator has, what a modest berth
// (node/pool.hpp) has, lines alone, or none. Calls are planned for each of these apart.
enum class MemoryUse : std::uint8_t { kAll, kModest, kLines, kNone };
inline constexpr std::size_t kMemoryUses = 4;

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
  // The recent calls of this collective. Forgotten before plans are removed.
  RecentCalls& recent(Collective collective) {
    std::unique_ptr<RecentCalls>& one = recent_[static_cast<std::size_t>(collective)];
    if (one == nullptr) [[unlikely]]
      one = std::make_unique<RecentCalls>();
    return *one;
  }
  // They are another communicator's from now on, which has other neighbours: its first call in a neighbour
  // form may have the last one's arguments and mean other ranks.
  void change_hands();

  const Placement& placement() const;  // with all the memory that there is
  bool all_idle() const;

 private:
  struct Kept;  // the plans themselves, by MemoryUse, and those made by former settings
  void forget_recent();

  std::array<std::unique_ptr<RecentCalls>, kCollectives.size()>
      recent_;  // of the collectives that were called
  Rank self_;
  std::unique_ptr<Kept> kept_;
};

}  // namespace weft::mpi
