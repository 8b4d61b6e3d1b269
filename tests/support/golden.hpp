// SPDX-License-Identifier: BSD-3-Clause
// Golden files: what is printed today is what was printed when somebody looked at it and found it right.
// UPDATE_GOLDEN=1 rewrites them; the difference then shows in version control.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace weft::tests {

inline void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path file =
      std::filesystem::path(WEFT_TESTS_DIRECTORY) / "golden" / "expected" / (name + ".txt");
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream out(file);
    out << text;
    ASSERT_TRUE(out.good()) << file << " cannot be written";
    return;
  }
  std::ifstream in(file);
  ASSERT_TRUE(in.good()) << file << " cannot be read: run the test once with UPDATE_GOLDEN=1";
  std::stringstream expected;
  expected << in.rdbuf();
  EXPECT_EQ(text, expected.str()) << "if the new text is right, run the test once with UPDATE_GOLDEN=1";
}

}  // namespace weft::tests
