// SPDX-License-Identifier: BSD-3-Clause
// Oracle: what must hold before and after a collective, whatever algorithm runs it. The verifier believes
// nothing else.
//
// Each rank contributes some bytes, found at one place before the call. What it must find in its output
// afterwards is a list of pieces; one form serves data movement and reductions:
//
//   allgather, 3 ranks of 8 bytes    output[0+8] = 0..0   output[8+8] = 1..1   output[16+8] = 2..2
//   allreduce, 3 ranks of 8 bytes    output[0+8] = 0..2
//
// Pieces and places of no bytes are left out (no piece) or empty (size 0).
#pragma once

#include <vector>

#include "collective/participant.hpp"

namespace weft {

// Where a rank's contribution lies before the call.
struct Place {
  bool in_output = false;  // false: in the input
  Bytes offset;
  Bytes size;

  bool operator==(const Place&) const = default;
};

// Bytes [offset, offset + size) of an output: byte i is byte from + i of the contributions of the ranks first
// to last, combined element by element in this order. first == last: data.
struct Piece {
  Bytes offset;
  Bytes size;
  Rank first;
  Rank last;
  Bytes from;

  bool operator==(const Piece&) const = default;
};

struct Oracle {
  Place (*contribution)(const Participant& self);
  std::vector<Piece> (*result)(const Participant& self, const Pairing& pairing);
  bool (*may_be_in_place)(const Call& call, Rank rank);  // is MPI_IN_PLACE legal on this rank?
  bool waits_for_all;  // no rank may leave before every rank has entered, although no data says so
};

// kParcelsOracle is that of all collectives with parcels, except reduce_scatter.
extern const Oracle kBarrierOracle, kBcastOracle, kReduceOracle, kAllreduceOracle, kAllgatherOracle,
    kAlltoallOracle, kGatherOracle, kScatterOracle, kReduceScatterOracle, kScanOracle, kExscanOracle,
    kParcelsOracle;

const Oracle& oracle_of(Collective collective);

// The helpers that the collectives share.
Place whole_input_or_output(const Participant& self);
std::vector<Piece> one_piece(Bytes size, Rank first, Rank last);
bool on_any_rank(const Call& call, Rank rank);
bool on_the_root(const Call& call, Rank rank);

}  // namespace weft
