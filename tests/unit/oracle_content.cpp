// SPDX-License-Identifier: BSD-3-Clause
// What each collective must leave behind, stated once more by example.
#include <gtest/gtest.h>

#include "collective/oracle.hpp"

namespace weft::tests {
namespace {

Call call_of(Collective collective, Bytes bytes = Bytes(8)) {
  return {
      .collective = collective, .rank_count = 3, .root = Rank(is_rooted(collective) ? 1 : 0), .bytes = bytes};
}

Place place_of(const Call& call, int rank, bool in_place) {
  return oracle_of(call.collective).contribution({call, Rank(rank), in_place});
}
std::vector<Piece> result_of(const Call& call, int rank, bool in_place = false) {
  return oracle_of(call.collective).result({call, Rank(rank), in_place}, Pairing({}));
}

TEST(Oracle, contributions_lie_in_the_input_unless_in_place) {
  const Call allreduce = call_of(Collective::kAllreduce);
  EXPECT_EQ(place_of(allreduce, 2, false), (Place{false, Bytes(0), Bytes(8)}));
  EXPECT_EQ(place_of(allreduce, 2, true), (Place{true, Bytes(0), Bytes(8)}));
  const Call allgather = call_of(Collective::kAllgather);
  EXPECT_EQ(place_of(allgather, 2, true), (Place{true, Bytes(16), Bytes(8)}));
  const Call alltoall = call_of(Collective::kAlltoall);
  EXPECT_EQ(place_of(alltoall, 2, false), (Place{false, Bytes(0), Bytes(24)}));
  EXPECT_EQ(place_of(alltoall, 2, true), (Place{true, Bytes(0), Bytes(24)}));
}

TEST(Oracle, bcasts_root_has_its_bytes_in_the_output) {
  const Call call = call_of(Collective::kBcast);
  EXPECT_EQ(place_of(call, 1, false), (Place{true, Bytes(0), Bytes(8)}));
  EXPECT_EQ(place_of(call, 0, false).size, Bytes(0));
  for (int rank = 0; rank < 3; ++rank)
    EXPECT_EQ(result_of(call, rank), (std::vector<Piece>{{Bytes(0), Bytes(8), Rank(1), Rank(1), Bytes(0)}}));
}

TEST(Oracle, only_the_root_of_a_reduce_gets_anything_and_may_be_in_place) {
  const Call call = call_of(Collective::kReduce);
  EXPECT_EQ(result_of(call, 1), (std::vector<Piece>{{Bytes(0), Bytes(8), Rank(0), Rank(2), Bytes(0)}}));
  EXPECT_TRUE(result_of(call, 0).empty());
  EXPECT_TRUE(oracle_of(call.collective).may_be_in_place(call, Rank(1)));
  EXPECT_FALSE(oracle_of(call.collective).may_be_in_place(call, Rank(0)));
}

TEST(Oracle, alltoall_transposes_blocks) {
  const Call call = call_of(Collective::kAlltoall);
  EXPECT_EQ(result_of(call, 2), (std::vector<Piece>{{Bytes(0), Bytes(8), Rank(0), Rank(0), Bytes(16)},
                                                    {Bytes(8), Bytes(8), Rank(1), Rank(1), Bytes(16)},
                                                    {Bytes(16), Bytes(8), Rank(2), Rank(2), Bytes(16)}}));
}

TEST(Oracle, only_the_root_gathers_and_scatters) {
  const Call gather = call_of(Collective::kGather);
  EXPECT_EQ(result_of(gather, 1).size(), 3u);
  EXPECT_TRUE(result_of(gather, 0).empty());
  EXPECT_EQ(place_of(gather, 1, true), (Place{true, Bytes(8), Bytes(8)}));
  const Call scatter = call_of(Collective::kScatter);
  EXPECT_EQ(result_of(scatter, 2), (std::vector<Piece>{{Bytes(0), Bytes(8), Rank(1), Rank(1), Bytes(16)}}));
  EXPECT_TRUE(result_of(scatter, 1, true).empty()) << "in place the root keeps its block where it is";
  EXPECT_EQ(place_of(scatter, 1, true), (Place{false, Bytes(0), Bytes(24)}));
  EXPECT_EQ(place_of(scatter, 0, false).size, Bytes(0));
}

TEST(Oracle, reduce_scatter_leaves_each_rank_its_part) {
  const Call block = call_of(Collective::kReduceScatterBlock);
  EXPECT_EQ(result_of(block, 2), (std::vector<Piece>{{Bytes(0), Bytes(8), Rank(0), Rank(2), Bytes(16)}}));
  EXPECT_EQ(output_bytes({block, Rank(2)}), Bytes(8));
  EXPECT_EQ(output_bytes({block, Rank(2), true}), Bytes(24)) << "in place it holds the vector before";
  const Parcels parts{
      {{Rank(0), Bytes(0), Bytes(0)}, {Rank(1), Bytes(0), Bytes(16)}, {Rank(2), Bytes(16), Bytes(8)}},
      {{Rank(2), Bytes(0), Bytes(8)}}};
  const Call uneven = call_of(Collective::kReduceScatter, Bytes(24));
  EXPECT_EQ(oracle_of(uneven.collective).result({uneven, Rank(2), false, parts}, Pairing({})),
            (std::vector<Piece>{{Bytes(0), Bytes(8), Rank(0), Rank(2), Bytes(16)}}));
}

TEST(Oracle, scans_combine_the_ranks_before) {
  EXPECT_EQ(result_of(call_of(Collective::kScan), 1),
            (std::vector<Piece>{{Bytes(0), Bytes(8), Rank(0), Rank(1), Bytes(0)}}));
  EXPECT_EQ(result_of(call_of(Collective::kExscan), 1),
            (std::vector<Piece>{{Bytes(0), Bytes(8), Rank(0), Rank(0), Bytes(0)}}));
  EXPECT_TRUE(result_of(call_of(Collective::kExscan), 0).empty());
}

// Rank 0 sends rank 1 two blocks, the second before the first in memory; and itself one.
TEST(Oracle, parcels_are_paired_in_the_order_of_the_lists) {
  const Call call{.collective = Collective::kNeighborAlltoallv, .rank_count = 2};
  const Parcels first{
      {{Rank(1), Bytes(8), Bytes(4)}, {Rank(0), Bytes(0), Bytes(2)}, {Rank(1), Bytes(2), Bytes(6)}},
      {{Rank(0), Bytes(1), Bytes(2)}}};
  const Parcels second{{}, {{Rank(0), Bytes(0), Bytes(4)}, {Rank(0), Bytes(10), Bytes(6)}}};
  const Pairing pairing({&first, &second});
  EXPECT_EQ(kParcelsOracle.result({call, Rank(0), false, first}, pairing),
            (std::vector<Piece>{{Bytes(1), Bytes(2), Rank(0), Rank(0), Bytes(0)}}));
  EXPECT_EQ(kParcelsOracle.result({call, Rank(1), false, second}, pairing),
            (std::vector<Piece>{{Bytes(0), Bytes(4), Rank(0), Rank(0), Bytes(8)},
                                {Bytes(10), Bytes(6), Rank(0), Rank(0), Bytes(2)}}));
  EXPECT_FALSE(kParcelsOracle.may_be_in_place(call, Rank(0)));
}

// Every output is covered without gaps, and every piece lies inside the contributions it names.
TEST(Oracle, results_cover_the_outputs_and_come_from_contributions) {
  for (const Collective collective : kCollectives) {
    if (has_parcels(collective)) continue;  // their outputs may have room between blocks
    for (const Bytes bytes : {Bytes(0), Bytes(8)}) {
      const Call call = call_of(collective, collective == Collective::kBarrier ? Bytes(0) : bytes);
      for (int r = 0; r < call.rank_count; ++r) {
        Bytes at(0);
        for (const Piece& piece : result_of(call, r)) {
          EXPECT_EQ(piece.offset, at);
          EXPECT_GT(piece.size, Bytes(0));
          at += piece.size;
          for (Rank from = piece.first; from <= piece.last; ++from.value)
            EXPECT_LE(piece.from + piece.size, place_of(call, from.value, false).size) << name_of(collective);
        }
        EXPECT_EQ(at, output_bytes({call, Rank(r)})) << name_of(collective) << " rank " << r;
        const Place place = place_of(call, r, false);
        EXPECT_LE(place.offset + place.size,
                  place.in_output ? output_bytes({call, Rank(r)}) : input_bytes({call, Rank(r)}));
      }
    }
  }
}

}  // namespace
}  // namespace weft::tests
