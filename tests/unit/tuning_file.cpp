// SPDX-License-Identifier: BSD-3-Clause
// The tuning file: what it says holds where nobody says otherwise, and what is wrong with it is named by
// line.
#include <cstdlib>
#include <gtest/gtest.h>

#include "base/config.hpp"

namespace weft::tests {
namespace {

TEST(TuningFile, gives_values_and_remembers_where) {
  const auto settings = with_tuning_text({},
                                         "# this machine\n"
                                         "\n"
                                         "  WEFT_NODE_SLOTS=32   # more of them\r\n"
                                         "WEFT_ALGORITHM = allreduce=ring,bcast=k_nomial:4\n"
                                         "WEFT_TOPOLOGY = node:2 core:2",
                                         "tuning.txt");
  ASSERT_TRUE(settings.ok()) << settings.error();
  EXPECT_EQ(settings->shared.node.slots, 32);
  EXPECT_EQ(settings->shared.algorithms.at("bcast").radix, 4);
  EXPECT_EQ(settings->shared.topology, "node:2 core:2");
  EXPECT_EQ(settings->given.at("WEFT_NODE_SLOTS"), "tuning.txt:3");
  EXPECT_EQ(settings->given.at("WEFT_TOPOLOGY"), "tuning.txt:5");
  EXPECT_EQ(settings->given.size(), 3u);
}

TEST(TuningFile, the_environment_wins) {
  ::setenv("WEFT_NODE_SLOTS", "8", 1);
  const auto environment = settings_from_environment();
  ::unsetenv("WEFT_NODE_SLOTS");
  ASSERT_TRUE(environment.ok());
  const auto settings = with_tuning_text(*environment, "WEFT_NODE_SLOTS = 32\nWEFT_RADIX = 3\n", "t");
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->shared.node.slots, 8);
  EXPECT_EQ(settings->given.at("WEFT_NODE_SLOTS"), "environment");
  EXPECT_EQ(settings->shared.thresholds.radix, 3);
}

TEST(TuningFile, errors_name_file_line_setting_and_what_is_allowed) {
  const auto refused = [](std::string_view text, std::string_view said) {
    const auto settings = with_tuning_text({}, text, "t.txt");
    ASSERT_FALSE(settings.ok()) << text;
    EXPECT_NE(settings.error().find(said), std::string::npos) << settings.error();
  };
  refused("\nWEFT_NODE_SLOTS = 3", "t.txt:2: WEFT_NODE_SLOTS=3 is not understood: use a power of two from 1");
  refused("WEFT_SLOTS = 4", "t.txt:1: there is no setting WEFT_SLOTS: these are WEFT_ENABLE, ");
  refused("WEFT_NODE_SLOT_BYTES = 4K", "t.txt:1: WEFT_NODE_SLOT_BYTES is now called WEFT_NODE_RANK_BYTES");
  refused("WEFT_LOG = x", "t.txt:1: WEFT_LOG concerns one process alone");
  refused("WEFT_RADIX 4", "t.txt:1: expected NAME = value, found `WEFT_RADIX 4`");
  refused("WEFT_RADIX = # none", "t.txt:1: expected NAME = value");
  refused("WEFT_RADIX = 2\n#\nWEFT_RADIX = 2", "t.txt:3: WEFT_RADIX is set twice, first at t.txt:1");
}

TEST(TuningFile, that_cannot_be_read_is_named) {
  for (const char* file : {"/nowhere/tuning.txt", "/"}) {
    ::setenv("WEFT_TUNING_FILE", file, 1);
    const auto settings = settings_of_rank_0();
    ::unsetenv("WEFT_TUNING_FILE");
    ASSERT_FALSE(settings.ok()) << file;
    EXPECT_NE(settings.error().find(std::string("WEFT_TUNING_FILE=") + file + " cannot be read"),
              std::string::npos)
        << settings.error();
  }
}

}  // namespace
}  // namespace weft::tests
