// SPDX-License-Identifier: BSD-3-Clause
// expect_located: an error of a parser says where it is.
#pragma once

#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace weft::tests {

inline void expect_located(std::string error) {
  constexpr std::string_view kPrefix = "topology: ";
  if (error.starts_with(kPrefix)) error.erase(0, kPrefix.size());
  int line = 0;
  int column = 0;
  int length = 0;
  EXPECT_EQ(std::sscanf(error.c_str(), "line %d, column %d: %n", &line, &column, &length), 2) << error;
  EXPECT_GE(line, 1) << error;
  EXPECT_GE(column, 1) << error;
  EXPECT_GT(error.size(), static_cast<std::size_t>(length)) << error;
}

}  // namespace weft::tests
