// SPDX-License-Identifier: BSD-3-Clause
// Call: what all ranks of one collective call have in common, and therefore all that may decide how it runs.
//
// Local circumstances (MPI_IN_PLACE, datatypes, addresses) are not here: they may differ between ranks and
// must never change which messages travel (drop_in rule 5).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/types.hpp"

namespace weft {

enum class Collective : std::uint8_t { kBarrier, kBcast, kReduce, kAllreduce, kAllgather, kAlltoall };

inline constexpr std::array kCollectives = {Collective::kBarrier,   Collective::kBcast,
                                            Collective::kReduce,    Collective::kAllreduce,
                                            Collective::kAllgather, Collective::kAlltoall};

struct Call {
  Collective collective = Collective::kBarrier;
  int rank_count = 1;
  Rank root{0};    // bcast, reduce; else 0
  Bytes bytes{0};  // packed size of one rank's block: the whole message of bcast, reduce and allreduce;
                   // what one rank contributes (allgather) or sends to one other (alltoall)
  Bytes element_bytes{1};     // reductions: the smallest piece the operator takes; else 1
  bool commutative = true;    // reductions: the operator may be applied in any order
  bool user_defined = false;  // reductions: the operator is the program's, and nobody knows how long it takes

  auto operator<=>(const Call&) const = default;
};

constexpr bool is_rooted(Collective c) { return c == Collective::kBcast || c == Collective::kReduce; }
constexpr bool is_reduction(Collective c) { return c == Collective::kReduce || c == Collective::kAllreduce; }

// "barrier", "bcast", … as in MPI's function names, lower case.
std::string_view name_of(Collective collective);
std::optional<Collective> collective_named(std::string_view name);

// Sizes of the two buffers that the caller owns on `rank`.
Bytes input_bytes(const Call& call, Rank rank);
Bytes output_bytes(const Call& call, Rank rank);

}  // namespace weft
