// SPDX-License-Identifier: BSD-3-Clause
// How the operations of the front door move their bytes: within a node through its memory, else by messages
// of the host's.
#pragma once

#include "node/over_node.hpp"
#include "transport/mpi_point_to_point.hpp"

namespace weft::mpi {

using HostTransport = node::OverNode<MpiPointToPoint>;

}  // namespace weft::mpi
