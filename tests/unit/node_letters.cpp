// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

#include "node/letters.hpp"

namespace weft::node {
namespace {

using Sheet = Letters::Sheet;

struct TwoMembers {
  std::vector<Letters::Number> words =
      std::vector<Letters::Number>(static_cast<std::size_t>(Letters::size_for(2).value) / 8);
  Letters letters{reinterpret_cast<std::byte*>(words.data()), 2};
};

TEST(NodeLetters, come_in_two_sheets) {
  const TwoMembers two;
  EXPECT_FALSE(two.letters.has_come(1, 1, Sheet::kFirst));
  std::strcpy(reinterpret_cast<char*>(two.letters.text(1, 1)), "hello");
  two.letters.send(1, 1, Sheet::kFirst);
  EXPECT_TRUE(two.letters.has_come(1, 1, Sheet::kFirst));
  EXPECT_FALSE(two.letters.has_come(1, 1, Sheet::kSecond));
  EXPECT_FALSE(two.letters.has_come(0, 1, Sheet::kFirst));
  two.letters.send(1, 1, Sheet::kSecond);
  EXPECT_TRUE(two.letters.has_come(1, 1, Sheet::kSecond));
  EXPECT_STREQ(reinterpret_cast<const char*>(two.letters.text(1, 1)), "hello");
}

TEST(NodeLetters, stay_until_the_next_but_one) {
  const TwoMembers two;
  two.letters.send(0, 1, Sheet::kFirst);
  two.letters.send(0, 2, Sheet::kFirst);
  EXPECT_TRUE(two.letters.has_come(0, 1, Sheet::kFirst));
  EXPECT_TRUE(two.letters.has_come(0, 2, Sheet::kFirst));
  two.letters.send(0, 3, Sheet::kFirst);
  EXPECT_FALSE(two.letters.has_come(0, 1, Sheet::kFirst));
  EXPECT_NE(two.letters.text(0, 1), two.letters.text(0, 2));
  EXPECT_EQ(two.letters.text(0, 1), two.letters.text(0, 3));
}

// As those of the next parent do that has the same memory.
TEST(NodeLetters, of_later_numbers_are_no_earlier_ones) {
  for (const std::uint64_t behind : {2, 3}) {
    const TwoMembers two;
    for (std::uint64_t number = 1; number <= behind; ++number) two.letters.send(0, number, Sheet::kFirst);
    for (std::uint64_t number = behind + 1; number < behind + 4; ++number) {
      EXPECT_FALSE(two.letters.has_come(0, number, Sheet::kFirst));
      two.letters.send(0, number, Sheet::kFirst);
      EXPECT_TRUE(two.letters.has_come(0, number, Sheet::kFirst));
      EXPECT_FALSE(two.letters.has_come(0, number, Sheet::kSecond));
    }
  }
}

TEST(NodeLetters, texts_fill_the_memory_and_do_not_overlap) {
  const TwoMembers two;
  for (int member = 0; member < 2; ++member)
    for (const std::uint64_t number : {1, 2})
      std::memset(two.letters.text(member, number), 0xff, static_cast<std::size_t>(Letters::kText.value));
  for (int member = 0; member < 2; ++member)
    for (const std::uint64_t number : {1, 2})
      for (const Sheet sheet : {Sheet::kFirst, Sheet::kSecond})
        EXPECT_FALSE(two.letters.has_come(member, number, sheet));
}

TEST(NodeLetters, whoever_stops_takes_back_the_last_one_and_says_so) {
  for (const std::uint64_t number : {2, 3}) {
    const TwoMembers two;
    for (const std::uint64_t sent : {number - 1, number})
      for (const Sheet sheet : {Sheet::kFirst, Sheet::kSecond}) two.letters.send(0, sent, sheet);
    EXPECT_FALSE(two.letters.has_stopped(0));
    two.letters.stop(0, number);
    EXPECT_TRUE(two.letters.has_stopped(0));
    EXPECT_FALSE(two.letters.has_stopped(1));
    EXPECT_FALSE(two.letters.has_come(0, number, Sheet::kFirst));
    EXPECT_FALSE(two.letters.has_come(0, number, Sheet::kSecond));
    EXPECT_TRUE(two.letters.has_come(0, number - 1, Sheet::kSecond));
    two.letters.clear();
    EXPECT_FALSE(two.letters.has_stopped(0));
    EXPECT_FALSE(two.letters.has_come(0, number - 1, Sheet::kFirst));
  }
}

}  // namespace
}  // namespace weft::node
