// SPDX-License-Identifier: BSD-3-Clause
// How long a message of the host's to another node and its answer take.
#pragma once

namespace weft::mpi {

// Collective over the world, once its nodes are known: unless the settings say how long, rank 0 measures it
// with the first ranks of up to three other nodes, and the longest goes into the settings of all. Nodes that
// are only pretended are near.
void learn_round_trip();

}  // namespace weft::mpi
