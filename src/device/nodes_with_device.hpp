// SPDX-License-Identifier: BSD-3-Clause
// Nodes with the device: those whose processes all reach one another. A node that lacks it, since one of its
// processes has no wire, or does not reach somebody, takes it from nobody else.
//
// All processes know the same, and so find the same. Out of nodes that do not reach one another it is not
// said which is to blame: the one that lacks most of the others goes first, and of two alike the higher one.
#pragma once

#include <span>
#include <vector>

namespace weft::device {

// Two processes that do not reach one another.
struct Parted {
  int one, other;
};

// By process, whether its node has the device. `node_of`: numbers of nodes, by process. `has_wire`: by
// process. One node alone has it only if it is all there is: else nobody, since there is nobody to reach.
std::vector<char> processes_with_device(std::span<const int> node_of, std::span<const char> has_wire,
                                        std::span<const Parted> parted);

}  // namespace weft::device
