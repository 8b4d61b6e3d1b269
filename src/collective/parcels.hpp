// SPDX-License-Identifier: BSD-3-Clause
// Parcels: what one rank of a v-, w- or neighbour form knows of the sizes: which block goes to whom, which
// comes from whom, and where each lies. A list of its own on every rank, no part of the Call.
//
//                     outgoing                             incoming
//   alltoallv, w      one for each rank                    one from each rank
//   allgatherv        for each rank the same block         one from each rank
//   gatherv           one for the root                     at the root: one from each rank
//   scatterv          at the root: one for each rank       one from the root
//   neighbor_…        one per destination, in the order    one per source, in the order of its list
//                     of the list of destinations
//   reduce_scatter    the parts of the vector, in the      one from itself: the own part's sum
//                     order of the ranks that get them
//
// So all v-, w- and neighbour forms but reduce_scatter are the same to whoever builds, proves and runs them:
//
//   THE RULE   The n-th parcel of rank a for rank b becomes b's n-th from a, of the same size.
//
// A rank may be somebody's neighbour several times, and its own. MPI_PROC_NULL has no parcels: nothing is
// sent there, and its block stays as it is. In a graph the order of the lists is MPI's. On a Cartesian
// communicator what is sent in one direction arrives as from the other (MPI-4.1, section 8.6, example 8.10),
// which matters where a periodic dimension has one or two ranks: then list, in each dimension, the
// destination below before the one above, but the source above before the one below (cartesian_neighbors()
// does).
//
// Offsets are not negative: whoever binds addresses moves them by the lowest displacement. With MPI_IN_PLACE
// outgoing blocks lie in the output (of a scatterv: the root lists none for itself).
//
// A schedule is built from a rank's parcels and holds for calls with the same ones: they are part of it
// (Schedule::parcels), so that a cache compares them. Only what both ends of a pair know may decide between
// them (drop_in rule 5): a block without bytes has no message, and all that one has for the other together
// may say by which way it goes. In allgatherv and reduce_scatter every rank has all sizes: Call::bytes is
// their sum.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "collective/call.hpp"

namespace weft {

struct Parcel {
  Rank peer;
  Bytes offset;  // in the input or the output
  Bytes size;

  bool operator==(const Parcel&) const = default;
};

struct Parcels {
  std::vector<Parcel> outgoing, incoming;

  bool empty() const { return outgoing.empty() && incoming.empty(); }
  bool operator==(const Parcels&) const = default;
};

// The blocks of all ranks, where every rank has them (see knows_all_blocks): their sum is Call::bytes.
inline const std::vector<Parcel>& all_blocks(Collective collective, const Parcels& parcels) {
  return collective == Collective::kReduceScatter ? parcels.outgoing : parcels.incoming;
}

// More than this does not go from one rank to another in turns, whatever a fragment is: both ends, and the
// steps of both, know it by that alone. Fragments are so long that this takes so many turns at most.
inline constexpr Bytes kMostInTurns{64 << 20};
inline constexpr int kMostTurns = 8192;

// More than any block has: stands for any length.
inline constexpr Bytes kAnyBytes{std::int64_t{1} << 40};

// By which way what one rank has for another goes, which both of them know: at once, through one of several
// places; in turns, fragment by fragment; or from buffer to buffer. What goes by none of these is a message.
struct Ways {
  std::array<Bytes, 4> at_once{};  // the most that goes through each place, growing
  Bytes fragment{0};               // of what goes in turns; 0: nothing does
  Bytes reached_from{0};  // what goes from buffer to buffer, where it goes by no way above; 0: nothing

  bool fits(Bytes size) const { return size <= at_once.back(); }
  // Into how many fragments; 0: it does not go in turns.
  int turns(Bytes size) const {
    if (fits(size) || fragment == Bytes(0) || size > kMostInTurns) return 0;
    return static_cast<int>((size + fragment - Bytes(1)) / fragment);
  }
  bool is_reached(Bytes size) const {
    return !fits(size) && turns(size) == 0 && reached_from > Bytes(0) && size >= reached_from;
  }
  // The most that goes at once, whichever the place, and also nothing; in as many turns; or from buffer to
  // buffer. Nothing where no other amount is to be taken for alike: for each number of turns there are plans
  // of their own, and there shall not be too many.
  std::optional<Bytes> largest_alike(Bytes size) const {
    constexpr int kFewTurns = 64;
    if (fits(size)) return at_once.back();
    if (is_reached(size)) return kAnyBytes;
    const int its_turns = turns(size);
    if (its_turns == 0 || its_turns > kFewTurns) return std::nullopt;
    return fragment * its_turns;
  }
  // The same for one of a rank's parcels: what it has for itself is copied, however long it is.
  std::optional<Bytes> largest_for(const Parcel& parcel, Rank self) const {
    if (parcel.peer == self) return kAnyBytes;
    return largest_alike(parcel.size);
  }
  // Whether largest_for(), which tests hold beside it, returns that: without an optional, which compilers put
  // together in memory, where a processor waits for it.
  bool are_alike(const Parcel& parcel, Rank self, Bytes largest) const {
    if (parcel.peer == self) return largest == kAnyBytes;
    if (fits(parcel.size)) return largest == at_once.back();
    const std::optional<Bytes> of_long = largest_alike(parcel.size);
    return of_long && *of_long == largest;
  }
};

// The size of a buffer that holds all of them.
Bytes extent_of(std::span<const Parcel> parcels);

// The neighbours of a rank, each list in the order of its parcels; -1 where there is none. `below` and
// `above` of a dimension are blocks 2 d and 2 d + 1 of the caller.
struct Neighbor {
  int rank;
  int block;
};
struct Neighbors {
  std::vector<Neighbor> destinations, sources;
};
struct Dimension {
  int size;
  bool periodic;
};
// Ranks in row-major order, as MPI_Cart_create numbers them.
Neighbors cartesian_neighbors(std::span<const Dimension> dimensions, int rank);

// Pairing: which of the sender's parcels each incoming one is, by THE RULE.
class Pairing {
 public:
  // `all` has the parcels of each rank. They must outlive the pairing; peers must be ranks.
  explicit Pairing(std::vector<const Parcels*> all);

  // Null if the sender lists fewer for this rank than this rank from it.
  const Parcel* origin(Rank rank, std::size_t incoming) const {
    return origins_[static_cast<std::size_t>(rank.value)][incoming];
  }
  // Parcels that nobody lists as incoming: sender and number.
  const std::vector<std::pair<Rank, std::size_t>>& untaken() const { return untaken_; }

 private:
  std::vector<std::vector<const Parcel*>> origins_;  // [rank][incoming]
  std::vector<std::pair<Rank, std::size_t>> untaken_;
};

// A rank's parcels in an example of such a call, for people and tests to look at: blocks of different sizes,
// some empty, with room between them where MPI allows it; neighbours on a periodic grid. All ranks' fit
// together. Nothing if the collective has no parcels.
Parcels example_parcels(const Call& call, Rank rank, bool in_place);

}  // namespace weft
