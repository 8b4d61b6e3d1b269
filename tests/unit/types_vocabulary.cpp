// SPDX-License-Identifier: BSD-3-Clause
// Amounts and names are distinct types: what may not be mixed does not compile.
#include <concepts>
#include <gtest/gtest.h>

#include "base/result.hpp"
#include "base/scanner.hpp"
#include "base/types.hpp"

namespace weft::tests {
namespace {

template <class A, class B>
concept CanAdd = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept CanCompare = requires(A a, B b) {
  a == b;
};

static_assert(CanAdd<Bytes, Bytes> && !CanAdd<Bytes, Nanoseconds> && !CanAdd<Bytes, int> &&
              !CanAdd<Rank, Rank>);
static_assert(CanCompare<Rank, Rank> && !CanCompare<Rank, TaskId> && !CanCompare<Rank, int>);
static_assert(!std::convertible_to<int, Rank> && !std::convertible_to<std::int64_t, Bytes>);

TEST(Types, amounts_scale_by_numbers_and_divide_to_numbers) {
  EXPECT_EQ(Bytes(3) * 4, Bytes(12));
  EXPECT_EQ(4 * Bytes(3), Bytes(12));
  EXPECT_EQ(Bytes(12) / 5, Bytes(2));
  EXPECT_EQ(Bytes(12) / Bytes(5), 2);
  Bytes sum(1);
  sum += Bytes(4);
  sum -= Bytes(2);
  EXPECT_EQ(sum, Bytes(3));
  EXPECT_LT(Bytes(2), Bytes(3));
}

TEST(Types, a_result_is_a_value_or_a_message) {
  Result<int> value = 4;
  EXPECT_TRUE(value.ok());
  EXPECT_EQ(*value, 4);
  Result<int> error = Error{"no"};
  EXPECT_FALSE(error.ok());
  EXPECT_EQ(error.error(), "no");
}

TEST(Scanner, the_first_failure_sticks_and_nothing_more_is_read) {
  Scanner in("one 2");
  in.expect_word("two");
  EXPECT_EQ(in.error(), "line 1, column 1: expected `two`, found `one`");
  EXPECT_EQ(in.number("a number", 0, 9), 0);
  EXPECT_EQ(in.word(), "");
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(in.error(), "line 1, column 1: expected `two`, found `one`");
}

TEST(Scanner, quoted_is_the_opposite_of_quote) {
  for (const std::string text : {"", "plain", "\"", "\\", "\\n", "\n", "a # b"}) {
    const std::string quoted = quote(text);
    Scanner in(quoted);
    EXPECT_EQ(in.quoted("a string"), text);
    EXPECT_TRUE(in.at_end());
  }
}

}  // namespace
}  // namespace weft::tests
