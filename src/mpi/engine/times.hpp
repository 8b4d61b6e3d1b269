// SPDX-License-Identifier: BSD-3-Clause
// Taking times: on behalf of the setting WEFT_TIMES, or of a program that calls weft_take_times.
#pragma once

namespace weft::mpi {

// `what`: a sum of weft.h's WEFT_TIMES_…; 0 ends it. Times taken before are forgotten.
void take_times(int what);

}  // namespace weft::mpi
