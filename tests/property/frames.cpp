// SPDX-License-Identifier: BSD-3-Clause
// Flat builders inside frames: what they write there is what they would have written for a call of the
// members, on the ranges that the frame names.
#include <array>
#include <gtest/gtest.h>

#include "algorithm/build.hpp"
#include "algorithm/catalog.hpp"
#include "executor/verifier/verify.hpp"
#include "support/same_schedule.hpp"
#include "support/whole_call.hpp"

namespace weft::tests {
namespace {

Call call_of(Collective collective, int ranks, Bytes bytes) {
  return {.collective = collective,
          .rank_count = ranks,
          .root = Rank(is_rooted(collective) ? ranks / 2 : 0),
          .bytes = collective == Collective::kBarrier ? Bytes(0) : bytes,
          .element_bytes = Bytes(is_reduction(collective) ? 8 : 1)};
}

bool may_be_in_place(Collective collective) {
  return collective != Collective::kBarrier && !is_rooted(collective);
}

TEST(Frames, of_everybody_change_nothing) {
  for (const Algorithm& algorithm : catalog())
    for (const int ranks : {2, 5, 8})
      for (const bool in_place : {false, may_be_in_place(algorithm.collective)})
        for (const int bytes : {16, 80}) {
          if (algorithm.follows_hierarchy || has_parcels(algorithm.collective)) continue;
          const Call call = call_of(algorithm.collective, ranks, Bytes(bytes));
          for (int rank = 0; rank < ranks; ++rank) {
            SCOPED_TRACE(std::string(algorithm.name));
            Builder b(call, Rank(rank), in_place);
            {
              const Builder::Frame frame(b, {.members = b.members(),
                                             .call = call,
                                             .contribution = b.contribution(),
                                             .output = b.output()});
              algorithm.build(b, {.radix = 3});
            }
            Schedule without = build(algorithm, call, {.radix = 3}, Rank(rank), in_place);
            without.algorithm = "";
            expect_same(std::move(b).finish(""), without);
            ASSERT_FALSE(HasFailure());
          }
        }
}

// The first elements by one algorithm, the others by another.
std::vector<Schedule> cut_in_two(const Algorithm& first, const Algorithm& second, const Call& call,
                                 bool in_place) {
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < call.rank_count; ++rank) {
    Builder b(call, Rank(rank), in_place);
    const auto write = [&](const Algorithm& algorithm, Bytes begin, Bytes size) {
      Subgroup all{.members = b.members(),
                   .call = call,
                   .contribution = b.contribution().part(begin, size),
                   .output = b.output().part(begin, size)};
      all.call.bytes = size;
      const Builder::Frame frame(b, std::move(all));
      algorithm.build(b, {.radix = 3});
    };
    write(first, Bytes(0), Bytes(24));
    write(second, Bytes(24), call.bytes - Bytes(24));
    schedules.push_back(std::move(b).finish("cut in two"));
  }
  return schedules;
}

TEST(Frames, can_cut_a_message) {
  for (const Collective collective : {Collective::kAllreduce, Collective::kBcast})
    for (const Algorithm& first : catalog())
      for (const Algorithm& second : catalog()) {
        if (first.collective != collective || second.collective != collective) continue;
        if (first.follows_hierarchy || second.follows_hierarchy) continue;
        for (const int ranks : {2, 5, 9})
          for (const bool in_place : {false, may_be_in_place(collective)}) {
            const Report report =
                verify(cut_in_two(first, second, call_of(collective, ranks, Bytes(128)), in_place));
            ASSERT_TRUE(report.proved()) << first.name << " and " << second.name << " on " << ranks
                                         << " ranks: " << report.findings.front().message;
          }
      }
}

TEST(Frames, answer_with_places_and_nest) {
  Builder b(call_of(Collective::kAllgather, 8, Bytes(8)), Rank(5), false);
  EXPECT_EQ(b.member(5), Rank(5));
  {
    const std::vector<Rank> odd{Rank(7), Rank(5), Rank(1)};
    const std::array begins{Bytes(0), Bytes(16), Bytes(24), Bytes(32)};
    const Builder::Frame frame(
        b, {.members = odd,
            .call = {.collective = Collective::kAllgather, .rank_count = 3, .bytes = Bytes(8)},
            .contribution = b.output().part(Bytes(8), Bytes(16)),
            .output = b.output().part(Bytes(8), Bytes(32)),
            .block_begin = [&](int block) { return begins[static_cast<std::size_t>(block)]; }});
    EXPECT_EQ(b.self(), 1);
    EXPECT_EQ(b.rank_count(), 3);
    EXPECT_EQ(b.members(), odd);
    EXPECT_TRUE(b.in_place());
    EXPECT_EQ(b.blocks(b.output(), 1, 3), (Range{kOutput, Bytes(24), Bytes(16)}));
    {
      const Builder::Frame inner(b, {.members = {Rank(2), Rank(5)},
                                     .call = {.rank_count = 2},
                                     .contribution = b.input(),
                                     .output = b.output()});
      EXPECT_EQ(b.member(0), Rank(2));
      EXPECT_FALSE(b.in_place());
      b.send(0, b.contribution());
    }
    EXPECT_EQ(b.member(0), Rank(7));
    b.recv(2, b.output());
  }
  EXPECT_EQ(b.self(), 5);
  const Schedule schedule = std::move(b).finish("by hand");
  EXPECT_EQ(schedule.tasks[0].peer, 2);
  EXPECT_EQ(schedule.tasks[1].peer, 1);
}

}  // namespace
}  // namespace weft::tests
