// SPDX-License-Identifier: BSD-3-Clause
// An access epoch as a schedule: MPI_Win_post, start, MPI_Put, complete and wait, where the window is the
// output and each outgoing parcel is put where its receiver has the incoming one (THE RULE, parcels.hpp).
//
//   target                              origin
//     signal origin      "posted"  ──►    await target
//                                  ◄──    copy input -> window.target      the target takes no part in it
//     await origin       "closed"  ◄──    signal target
//
// Most ranks are both. Who puts to itself copies. So what must hold is what holds after an exchange of the
// same parcels by messages, and the verifier proves it.
//
// Cost: two messages without bytes per pair of origin and target.
// Source: the co-design paper on AWP-ODC and P3DFFT, section III.A.1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "schedule/schedule.hpp"

namespace weft {

// `parcels` are those of all ranks, which fit together. Fails where a rank puts to more ranks than a schedule
// has buffers for.
Result<Schedule> epoch_of(const Call& call, std::span<const Parcels> parcels, Rank self);

// Examples: every rank puts so many bytes to the next one, or to its neighbours on a periodic grid.
enum class PutsTo : std::uint8_t { kNext, kNeighbors };
struct ExamplePuts {
  Call call;
  std::vector<Parcels> parcels;  // of all ranks
};
ExamplePuts example_puts(PutsTo whom, int rank_count, Bytes bytes);
Result<std::vector<Schedule>> example_epoch(PutsTo whom, int rank_count, Bytes bytes);

}  // namespace weft
