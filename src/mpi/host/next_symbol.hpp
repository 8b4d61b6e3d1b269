// SPDX-License-Identifier: BSD-3-Clause
// What lies behind a name that Weft exports as well.
#pragma once

namespace weft::mpi {

// The function of this name in the library behind Weft, or in any that is loaded. Never null: the job ends if
// there is none.
void* next_symbol(const char* name);

}  // namespace weft::mpi
