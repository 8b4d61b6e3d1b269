// SPDX-License-Identifier: BSD-3-Clause
// The verifier's vocabulary: sets of ranks, expressions, and buffers of symbolic values.
#include <algorithm>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "executor/verifier/expression.hpp"
#include "executor/verifier/memory.hpp"
#include "executor/verifier/rank_set.hpp"

namespace weft::tests {
namespace {

using verifier::Expressions;
using verifier::Memory;
using verifier::RankSet;
using verifier::Value;

RankSet set_of(std::initializer_list<int> ranks) {
  RankSet set;
  for (const int rank : ranks) set.insert(Rank(rank));
  return set;
}

TEST(RankSets, join_neighbours) {
  EXPECT_EQ(set_of({}).text(), "-");
  EXPECT_EQ(set_of({3}).text(), "3");
  EXPECT_EQ(set_of({2, 0, 1}).text(), "0-2");
  EXPECT_EQ(set_of({4, 1}).text(), "{1,4}");
  EXPECT_EQ(set_of({0, 1, 2, 3, 8}).text(), "{0-3,8}");
  EXPECT_EQ(set_of({0, 1, 1}).size(), 2);
  EXPECT_EQ(set_of({0, 1, 3}).first_missing(5), 2);
  EXPECT_EQ(set_of({1}).first_missing(5), 0);
  EXPECT_EQ(set_of({0, 1, 2}).first_missing(3), 3);
  EXPECT_TRUE(set_of({1, 4}).contains(Rank(4)));
  EXPECT_FALSE(set_of({1, 4}).contains(Rank(2)));
}

TEST(ExpressionsOfRanks, equal_ones_have_one_number) {
  Expressions e;
  const auto zero_one = e.combine(e.leaf(Rank(0)), e.leaf(Rank(1)));
  EXPECT_EQ(zero_one, e.combine(e.leaf(Rank(0)), e.leaf(Rank(1))));
  EXPECT_NE(zero_one, e.combine(e.leaf(Rank(1)), e.leaf(Rank(0))));
  EXPECT_EQ(e.text(e.combine(zero_one, e.leaf(Rank(2)))), "((0+1)+2)");
  EXPECT_EQ(e.combine(zero_one, Expressions::kUndefined), Expressions::kSpoiled);
}

TEST(ExpressionsOfRanks, know_their_order) {
  Expressions e;
  const auto a = e.combine(e.leaf(Rank(0)), e.leaf(Rank(1)));
  const auto b = e.combine(e.leaf(Rank(2)), e.leaf(Rank(3)));
  EXPECT_TRUE(e.in_rank_order(e.combine(a, b)));
  EXPECT_FALSE(e.in_rank_order(e.combine(b, a)));
  EXPECT_FALSE(e.in_rank_order(e.combine(a, a)));
  EXPECT_EQ(e.ranks(e.combine(b, a)).text(), "0-3");
  EXPECT_EQ(e.occurrences(e.combine(a, e.combine(a, b)), 4, 100), (std::vector<int>{2, 2, 1, 1}));
}

TEST(ExpressionsOfRanks, long_ones_are_shortened) {
  Expressions e;
  auto chain = e.leaf(Rank(0));
  for (int rank = 1; rank < 1000; ++rank) chain = e.combine(chain, e.leaf(Rank(rank)));
  EXPECT_EQ(e.leaf_count(chain), 1000);
  EXPECT_TRUE(e.in_rank_order(chain));
  const std::string text = e.text(chain);
  EXPECT_LT(text.size(), 200u);
  EXPECT_NE(text.find("(0..984)+985"), std::string::npos) << text;
  auto doubled = e.leaf(Rank(0));
  for (int i = 0; i < 100; ++i) doubled = e.combine(doubled, doubled);  // 2^100 contributions
  EXPECT_GT(e.leaf_count(doubled), 1000);
  EXPECT_EQ(e.ranks(doubled).text(), "0");
}

// Against the plainest memory there is: one value per byte.
TEST(SymbolicMemory, equals_an_array_of_bytes) {
  Random random(7);
  for (int trial = 0; trial < 50; ++trial) {
    constexpr int kSize = 40;
    Memory memory{Bytes(kSize)};
    std::vector<Value> bytes(kSize);
    for (int write = 0; write < 60; ++write) {
      const auto begin = static_cast<std::int64_t>(random.below(kSize + 1));
      const auto end =
          begin + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(kSize - begin + 1)));
      const Value value{2 + static_cast<Expressions::Id>(random.below(3)),
                        Bytes(static_cast<std::int64_t>(random.below(2)))};
      memory.assign(Bytes(begin), Bytes(end), value);
      std::fill(bytes.begin() + begin, bytes.begin() + end, value);
      const std::vector<verifier::Run> runs = memory.runs();
      Bytes at(0);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        ASSERT_EQ(runs[i].begin, at);
        ASSERT_LT(runs[i].begin, runs[i].end);
        ASSERT_TRUE(i == 0 || runs[i].value != runs[i - 1].value) << "neighbours must differ";
        for (; at < runs[i].end; at += Bytes(1))
          ASSERT_EQ(bytes[static_cast<std::size_t>(at.value)], runs[i].value);
      }
      ASSERT_EQ(at, Bytes(kSize));
    }
  }
}

TEST(SymbolicMemory, reads_are_cut) {
  Memory memory{Bytes(16)};
  memory.assign(Bytes(4), Bytes(12), {5, Bytes(-4)});
  std::vector<verifier::Run> runs;
  memory.read(Bytes(6), Bytes(14), runs);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].begin, Bytes(6));
  EXPECT_EQ(runs[0].end, Bytes(12));
  EXPECT_EQ(runs[0].value.shift, Bytes(-4));
  EXPECT_EQ(runs[1].value.what, Expressions::kUndefined);
}

}  // namespace
}  // namespace weft::tests
