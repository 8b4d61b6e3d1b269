// SPDX-License-Identifier: BSD-3-Clause
// Handshake: before anything collective happens, rank 0 hears from every rank that Weft is there. A job in
// which some ranks lack it gets a message that names them, instead of a hang (drop_in rule 10).
#pragma once

namespace weft::mpi {

// Ends the job with that message if a rank is still missing after `patience_seconds`.
bool everybody_has_weft(int patience_seconds);

}  // namespace weft::mpi
