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

const Oracle& of(Collective collective) { return oracle_of(collective); }

TEST(Oracle, ContributionsLieInTheInputUnlessInPlace) {
  const Call allreduce = call_of(Collective::kAllreduce);
  EXPECT_EQ(of(allreduce.collective).contribution(allreduce, Rank(2), false),
            (Place{false, Bytes(0), Bytes(8)}));
  EXPECT_EQ(of(allreduce.collective).contribution(allreduce, Rank(2), true),
            (Place{true, Bytes(0), Bytes(8)}));
  const Call allgather = call_of(Collective::kAllgather);
  EXPECT_EQ(of(allgather.collective).contribution(allgather, Rank(2), true),
            (Place{true, Bytes(16), Bytes(8)}));
  const Call alltoall = call_of(Collective::kAlltoall);
  EXPECT_EQ(of(alltoall.collective).contribution(alltoall, Rank(2), false),
            (Place{false, Bytes(0), Bytes(24)}));
  EXPECT_EQ(of(alltoall.collective).contribution(alltoall, Rank(2), true),
            (Place{true, Bytes(0), Bytes(24)}));
}

TEST(Oracle, BcastsRootHasItsBytesInTheOutput) {
  const Call call = call_of(Collective::kBcast);
  EXPECT_EQ(of(call.collective).contribution(call, Rank(1), false), (Place{true, Bytes(0), Bytes(8)}));
  EXPECT_EQ(of(call.collective).contribution(call, Rank(0), false).size, Bytes(0));
  for (int rank = 0; rank < 3; ++rank)
    EXPECT_EQ(of(call.collective).result(call, Rank(rank)),
              (std::vector<Piece>{{Bytes(0), Bytes(8), Rank(1), Rank(1), Bytes(0)}}));
}

TEST(Oracle, OnlyTheRootOfAReduceGetsAnythingAndMayBeInPlace) {
  const Call call = call_of(Collective::kReduce);
  EXPECT_EQ(of(call.collective).result(call, Rank(1)),
            (std::vector<Piece>{{Bytes(0), Bytes(8), Rank(0), Rank(2), Bytes(0)}}));
  EXPECT_TRUE(of(call.collective).result(call, Rank(0)).empty());
  EXPECT_TRUE(of(call.collective).may_be_in_place(call, Rank(1)));
  EXPECT_FALSE(of(call.collective).may_be_in_place(call, Rank(0)));
}

TEST(Oracle, AlltoallTransposesBlocks) {
  const Call call = call_of(Collective::kAlltoall);
  EXPECT_EQ(of(call.collective).result(call, Rank(2)),
            (std::vector<Piece>{{Bytes(0), Bytes(8), Rank(0), Rank(0), Bytes(16)},
                                {Bytes(8), Bytes(8), Rank(1), Rank(1), Bytes(16)},
                                {Bytes(16), Bytes(8), Rank(2), Rank(2), Bytes(16)}}));
}

// Every output is covered without gaps, and every piece lies inside the contributions it names.
TEST(Oracle, ResultsCoverTheOutputsAndComeFromContributions) {
  for (const Collective collective : kCollectives)
    for (const Bytes bytes : {Bytes(0), Bytes(8)}) {
      const Call call = call_of(collective, collective == Collective::kBarrier ? Bytes(0) : bytes);
      const Oracle& oracle = oracle_of(collective);
      for (int r = 0; r < call.rank_count; ++r) {
        Bytes at(0);
        for (const Piece& piece : oracle.result(call, Rank(r))) {
          EXPECT_EQ(piece.offset, at);
          EXPECT_GT(piece.size, Bytes(0));
          at += piece.size;
          for (Rank from = piece.first; from <= piece.last; ++from.value)
            EXPECT_LE(piece.from + piece.size, oracle.contribution(call, from, false).size)
                << name_of(collective);
        }
        EXPECT_EQ(at, output_bytes(call, Rank(r))) << name_of(collective) << " rank " << r;
        const Place place = oracle.contribution(call, Rank(r), false);
        EXPECT_LE(place.offset + place.size,
                  place.in_output ? output_bytes(call, Rank(r)) : input_bytes(call, Rank(r)));
      }
    }
}

}  // namespace
}  // namespace weft::tests
