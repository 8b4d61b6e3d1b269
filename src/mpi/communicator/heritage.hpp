// SPDX-License-Identifier: BSD-3-Clause
// Heritage: what a freed communicator leaves to the next one like it: its plans, and the hierarchy that they
// were made for. Programs that make and free communicators in a loop build each plan once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "planner/placement.hpp"
#include "topology/hierarchy.hpp"

namespace weft::mpi {

enum class AcceleratorUse : std::uint64_t;
class Plans;

struct Heritage {
  // All that plans depend on.
  struct Origin {
    int rank = 0;
    std::vector<int> world_rank;  // by member
    SharedMemory memory;
    AcceleratorUse accelerators{};  // on which depends whether a recent call tells the next one
    std::shared_ptr<const SharedSettings> settings;

    bool operator==(const Origin&) const = default;
  };
  Origin origin;
  std::unique_ptr<Hierarchy> hierarchy;
  std::unique_ptr<Plans> plans;  // all idle; null: none were made
};

// Some are kept, each for one heir. The caller holds the engine's lock.
void bequeath(Heritage heritage);
Heritage inherit(const Heritage::Origin& origin);
void forget_heritage();

}  // namespace weft::mpi
