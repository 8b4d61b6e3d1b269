// SPDX-License-Identifier: BSD-3-Clause
// The settings that all ranks share arrive from rank 0 as they were sent.
#include <gtest/gtest.h>

#include "base/config.hpp"

namespace weft::tests {
namespace {

TEST(SharedSettings, survive_as_text) {
  for (const bool enabled : {true, false})
    for (const bool reproducible : {true, false})
      for (const bool rounds : {true, false})
        for (const auto& algorithms : {std::map<std::string, std::string>{},
                                       {{"allreduce", "ring"}},
                                       {{"allreduce", "ring"}, {"bcast", "k_nomial/4"}}}) {
          const SharedSettings settings{enabled, reproducible, rounds, algorithms};
          const auto arrived = shared_settings_from_text(to_text(settings));
          ASSERT_TRUE(arrived.ok()) << to_text(settings);
          EXPECT_EQ(*arrived, settings) << to_text(settings);
        }
}

TEST(SharedSettings, are_refused_in_another_form) {
  for (const char* text : {"", "1", "10;", "100", "100;allreduce", "1001;"})
    EXPECT_FALSE(shared_settings_from_text(text).ok()) << text;
}

}  // namespace
}  // namespace weft::tests
