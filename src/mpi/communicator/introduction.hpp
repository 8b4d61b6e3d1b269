// SPDX-License-Identifier: BSD-3-Clause
// Introduction: what a member of a new communicator tells the others (introductions.hpp).
#pragma once

#include <cstdint>

#include "node/pool.hpp"
#include "topology/places.hpp"

namespace weft::mpi {

enum class AcceleratorUse : std::uint64_t;

// The memory that the communicator is to have on this node (node_memory.hpp).
struct MemoryOffer {
  bool exists = false;
  node::Grant grant;
};

struct Introduction {
  std::uint64_t serves = 0;  // Weft can, here
  std::int64_t id = -1;      // this process's number for the communicator
  std::uint64_t birth = 0;   // how many this process has taken part in making
  std::uint64_t hints = 0;   // equal for equal hints
  AcceleratorUse accelerators{};
  MachinePlace place = no_place();  // where hints ask for it
  MemoryOffer memory;
};

}  // namespace weft::mpi
