// SPDX-License-Identifier: BSD-3-Clause
// Partners: with whom a rank exchanges which blocks of its two buffers, in a collective that moves blocks.
#pragma once

#include <vector>

#include "mpi/arguments/arguments.hpp"
#include "mpi/communicator/communicator.hpp"

namespace weft::mpi {

struct Partners {
  std::vector<Neighbor> to, from;
  bool one_block_for_all = false;  // the first
};

// With whom this rank exchanges blocks in the call. Valid until the next call. The caller holds the engine's
// lock.
const Partners& partners_of(const Arguments& arguments, Communicator& communicator, bool in_place);

// How many entries of the caller's lists describe the first so many of these.
std::size_t entries_of(const std::vector<Neighbor>& partners, std::size_t many);

// Every rank has a block for every other.
constexpr bool moves_to_all(Collective collective) {
  return collective == Collective::kAlltoall || collective == Collective::kAlltoallv ||
         collective == Collective::kAlltoallw;
}

}  // namespace weft::mpi
