// SPDX-License-Identifier: BSD-3-Clause
// Who moves a call: ranks or agents, as it depends on device, placement, size and settings.
#include "explain/movers.hpp"

#include "planner/decision.hpp"
#include "support/whole_call.hpp"

namespace weft::tests {
namespace {

Settings with_agents() {
  Settings settings;
  settings.shared.device = "agent";
  return settings;
}

// Of an allreduce as the library plans it on such a machine.
Movers movers_on(const char* machine, Bytes bytes, const Settings& settings) {
  const Topology topology = *Topology::parse(machine);
  const Site site = *site_on(topology, settings.shared);
  Call call = allreduce_of(topology.rank_count());
  call.bytes = bytes;
  call.element_bytes = Bytes(8);
  const Decision decision = decide(call, site.placement(settings.shared), settings.shared);
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < call.rank_count; ++rank)
    schedules.push_back(example_schedule_of(decision, Rank(rank), false));
  return movers_of(schedules, site, settings);
}

TEST(Movers, are_the_ranks_without_a_device) {
  const Movers movers = movers_on("node:4", Bytes(8), Settings());
  EXPECT_FALSE(movers.has_agents || movers.takes_wire);
  EXPECT_EQ(movers.senders, 4);
  EXPECT_EQ(movers.by_list, 0);
}

TEST(Movers, are_agents_with_task_lists_where_each_rank_has_a_node) {
  const Movers movers = movers_on("node:4", Bytes(8), with_agents());
  EXPECT_TRUE(movers.takes_wire);
  EXPECT_EQ(movers.senders, 4);
  EXPECT_EQ(movers.by_list, 4);
  EXPECT_GT(movers.longest_list, 0u);
  EXPECT_EQ(movers.longest_message, Bytes(8));
  EXPECT_EQ(movers.in_memory, 0);
}

TEST(Movers, on_nodes_are_the_agents_of_those_who_send) {
  const Movers movers = movers_on("node:2 core:4", Bytes(8), with_agents());
  EXPECT_EQ(movers.senders, 2);
  EXPECT_EQ(movers.by_list, 0);
  EXPECT_EQ(movers.why_no_list, "");
  EXPECT_EQ(movers.in_memory, 6);
  EXPECT_EQ(movers.copied_by_agents, 0);
}

// Three hosts that have the device, and one that has none: whoever speaks with that one does so by itself.
TEST(Movers, of_what_goes_to_hosts_without_the_device_are_the_ranks) {
  const Movers alone = movers_on("device:2 node:3,1", Bytes(8), with_agents());
  EXPECT_EQ(alone.senders, 4);
  EXPECT_EQ(alone.by_ranks, 2);
  EXPECT_EQ(alone.by_list, 2);
  const Movers shared = movers_on("device:2 node:3,1 core:2", Bytes(8), with_agents());
  EXPECT_EQ(shared.senders, 4);
  EXPECT_EQ(shared.by_ranks, 2);
  EXPECT_EQ(shared.in_memory, 4);
  Settings flat = with_agents();
  flat.shared.hierarchy = "flat";
  EXPECT_EQ(movers_on("device:1 node:4", Bytes(8), with_agents()).by_ranks, 0);
  EXPECT_GT(movers_on("device:2 node:3,1", Bytes(8), flat).by_ranks, 2);
}

TEST(Movers, within_a_node_are_agents_for_what_copies_much) {
  Settings settings = with_agents();
  const Movers small = movers_on("core:4", Bytes(8), settings);
  EXPECT_TRUE(small.is_short);
  EXPECT_EQ(small.copied_by_agents, 0);
  EXPECT_EQ(small.longest_short, settings.shared.thresholds.node_whole);
  const Movers large = movers_on("core:4", Bytes(4 << 20), settings);
  EXPECT_FALSE(large.is_short);
  EXPECT_EQ(large.copied_by_agents, 4);
  EXPECT_GE(large.most_copied, large.copies_from);
  settings.local.agent_bytes = large.most_copied + Bytes(1);
  EXPECT_EQ(movers_on("core:4", Bytes(4 << 20), settings).copied_by_agents, 0);
}

TEST(Movers, in_a_crowd_are_agents_only_where_somebody_asks) {
  Settings settings = with_agents();
  EXPECT_FALSE(movers_on("core:4", Bytes(8), settings).copies_in_a_crowd);
  settings.given["WEFT_AGENT_BYTES"] = "environment";
  EXPECT_TRUE(movers_on("core:4", Bytes(8), settings).copies_in_a_crowd);
}

TEST(Movers, without_a_nodes_memory_each_rank_is_a_node_of_its_own) {
  Settings settings = with_agents();
  settings.shared.node.enabled = false;
  const Movers movers = movers_on("core:4", Bytes(8), settings);
  EXPECT_FALSE(movers.shares_memory);
  EXPECT_TRUE(movers.takes_wire);
  EXPECT_EQ(movers.by_list, 4);
}

TEST(Movers, are_the_ranks_where_times_are_taken) {
  Settings settings = with_agents();
  settings.local.take_times = true;
  EXPECT_TRUE(movers_on("node:4", Bytes(8), settings).takes_times);
  EXPECT_EQ(movers_on("core:4", Bytes(4 << 20), settings).copied_by_agents, 0);
}

}  // namespace
}  // namespace weft::tests
