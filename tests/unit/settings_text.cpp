// SPDX-License-Identifier: BSD-3-Clause
// The settings that all ranks share arrive from rank 0 as they were sent.
#include <cstdlib>
#include <gtest/gtest.h>

#include "base/config.hpp"

namespace weft::tests {
namespace {

TEST(SharedSettings, survive_as_text) {
  for (const bool enabled : {true, false})
    for (const bool rounds : {true, false})
      for (const auto& algorithms : {NamedAlgorithms{},
                                     {{"allreduce", {"ring"}}},
                                     {{"allreduce", {"ring"}}, {"bcast", {"k_nomial", 4}}}})
        for (const NodeSettings& node :
             {NodeSettings{}, NodeSettings{false, 1, Bytes(0), Bytes(12345), 3, "kernel", Bytes(1)}}) {
          const SharedSettings settings{.enabled = enabled,
                                        .reproducible = !enabled,
                                        .rounds = rounds,
                                        .algorithms = algorithms,
                                        .topology = "node:2 core:4,2",
                                        .hierarchy = "socket+node",
                                        .thresholds = {.ring_block = Bytes(99), .radix = 7},
                                        .node = node};
          const auto arrived = shared_settings_from_text(to_text(settings));
          ASSERT_TRUE(arrived.ok()) << to_text(settings);
          EXPECT_EQ(*arrived, settings) << to_text(settings);
        }
}

TEST(SharedSettings, are_refused_in_another_form) {
  const std::string good = to_text({});
  EXPECT_TRUE(shared_settings_from_text(good).ok());
  for (const std::string& text : {std::string(), std::string("WEFT_ENABLE=1"), good + "WEFT_NEW=1;",
                                  good.substr(good.find(';') + 1), "WEFT_ENABLE=2" + good.substr(13)})
    EXPECT_FALSE(shared_settings_from_text(text).ok()) << text;
}

const Setting& named(std::string_view name) { return *setting_named(name); }

TEST(Settings, sizes_are_bytes_or_have_a_unit) {
  const Setting& room = named("WEFT_NODE_RANK_BYTES");
  EXPECT_EQ(with_value({}, room, "64K")->shared.node.rank_bytes, Bytes(65536));
  EXPECT_EQ(with_value({}, room, "256")->shared.node.rank_bytes, Bytes(256));
  EXPECT_EQ(value_text(room, *with_value({}, room, "2097152")), "2M");
}

TEST(Settings, former_names_are_refused_with_the_new_one) {
  ::setenv("WEFT_NODE_SLOT_BYTES", "64K", 1);
  const auto settings = settings_from_environment();
  ::unsetenv("WEFT_NODE_SLOT_BYTES");
  ASSERT_FALSE(settings.ok());
  EXPECT_EQ(settings.error(), "WEFT_NODE_SLOT_BYTES is now called WEFT_NODE_RANK_BYTES: use that name");
}

TEST(Settings, algorithms_have_one_form_and_may_be_written_with_other_signs) {
  const Setting& algorithm = named("WEFT_ALGORITHM");
  for (const char* text : {"bcast=k_nomial:4,allreduce=ring", "bcast:k_nomial/4,allreduce:ring"})
    EXPECT_EQ(value_text(algorithm, *with_value({}, algorithm, text)), "allreduce=ring,bcast=k_nomial:4");
}

TEST(Settings, only_those_of_communicators_have_a_key_in_MPI_Info) {
  EXPECT_EQ(named("WEFT_ALGORITHM").info_key(), "weft_algorithm");
  EXPECT_EQ(named("WEFT_NODE_SLOTS").info_key(), "");
  EXPECT_EQ(named("WEFT_LOG").info_key(), "");
}

TEST(Settings, wrong_values_are_named_with_what_is_allowed) {
  const auto refused = [](std::string_view name, std::string_view value, std::string_view why) {
    const auto result = with_value({}, named(name), value);
    ASSERT_FALSE(result.ok()) << name << "=" << value;
    EXPECT_NE(result.error().find(name), std::string::npos) << result.error();
    EXPECT_NE(result.error().find(value), std::string::npos) << result.error();
    EXPECT_NE(result.error().find(why), std::string::npos) << result.error();
  };
  refused("WEFT_NODE", "yes", "use 0 or 1");
  refused("WEFT_NODE_SLOTS", "3", "power of two from 1 to 64");
  refused("WEFT_NODE_SLOTS", "128", "power of two from 1 to 64");
  refused("WEFT_NODE_RANK_BYTES", "100", "a multiple of 128");
  refused("WEFT_NODE_RANK_BYTES", "-128", "from 0");
  refused("WEFT_NODE_MEMORY", "9999999999999G", "from 0 to 1024G");
  refused("WEFT_ALGORITHM", "ring", "COLLECTIVE=ALGORITHM");
  refused("WEFT_ALGORITHM", "reduce=n_ary_tree:1", "at least 2");
  refused("WEFT_RADIX", "1", "a whole number from 2 to");
  refused("WEFT_DEVICE", "nic", "use one of none, agent");
  refused("WEFT_TOPOLOGY", "node:2;core:2", "a machine with a place for every rank");
  refused("WEFT_HANDSHAKE_SECONDS", "0", "seconds");
}

}  // namespace
}  // namespace weft::tests
