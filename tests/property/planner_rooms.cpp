// SPDX-License-Identifier: BSD-3-Clause
// Which calls go through a node's memory, and that they take no more of it than there is.
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "algorithm/build.hpp"
#include "algorithm/catalog.hpp"
#include "planner/planner.hpp"
#include "support/planner_calls.hpp"

namespace weft::tests {
namespace {

TEST(Planner, goes_through_the_nodes_memory_only_where_all_ranks_share_it_and_a_slot_is_large_enough) {
  const Placement node{.one_node = true, .rank_bytes = Bytes(1 << 18)};
  const Placement lines_only{.one_node = true};
  for (const Collective collective : kWithinNode)
    for (const std::int64_t bytes : {0, 8, 1 << 12, 1 << 16, 1 << 20}) {
      if (collective == Collective::kBarrier && bytes > 0) continue;
      const Call call = call_of(collective, 8, bytes);
      EXPECT_FALSE(choose(call).algorithm->within_node);
      const Choice choice = choose(call, node);
      EXPECT_TRUE(choice.algorithm->within_node) << choice.algorithm->name << " of " << bytes;
      const Schedule schedule = build(*choice.algorithm, call, choice.parameters, Rank(3), false);
      EXPECT_LE(shared_by(schedule), node.rank_bytes * 8) << choice.algorithm->name << " of " << bytes;
      if (collective == Collective::kBarrier) continue;
      EXPECT_FALSE(choose(call_of(collective, 8, 64), lines_only).algorithm->within_node);
    }
}

TEST(Planner, takes_no_more_of_a_nodes_memory_than_there_is) {
  for (const auto& [text, depth] : {std::pair{"core:2", ""},
                                    {"core:5", ""},
                                    {"core:16", ""},
                                    {"socket:2 core:4", "socket"},
                                    {"node:2 core:4", "node"},
                                    {"node:2 socket:2 core:4", "socket+node"},
                                    {"node:3 core:1,3,2", "node"}}) {
    const Topology machine = *Topology::parse(text);
    const bool is_grouped = *depth != '\0';
    const Hierarchy groups = is_grouped ? *Hierarchy::make(machine, depth) : Hierarchy::flat(1);
    const auto& nodes = machine.groups(Level::kNode);
    for (const int room : {1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 64 << 10, 272 << 10}) {
      const Placement placement{.one_node = nodes.size() == 1,
                                .rank_bytes = Bytes(room),
                                .hierarchy = is_grouped ? &groups : nullptr};
      for (const Collective collective : kWithinNode)
        for (const int bytes : {64, 128, 256, 1000, 2 << 10, 3000, 5 << 10, 16 << 10, 64 << 10, 1 << 20}) {
          if (collective == Collective::kBarrier) continue;
          const Call call = call_of(collective, machine.rank_count(), bytes);
          const Choice choice = choose(call, placement);
          for (const auto& node : nodes) {
            const Schedule schedule =
                build_example(*choice.algorithm, call, choice.parameters, node.back(), false);
            EXPECT_LE(shared_by(schedule), Bytes(room) * static_cast<std::int64_t>(node.size()))
                << text << ", " << room << ": " << name_of(collective) << "=" << choice.algorithm->name
                << " of " << bytes;
          }
        }
    }
  }
}

TEST(Planner, has_long_fragments_in_the_rooms_that_later_communicators_get) {
  const Placement node{.one_node = true, .rank_bytes = cell_stride(Bytes(128 << 10)) * 2};
  for (const Collective collective : {Collective::kAlltoall, Collective::kReduceScatterBlock})
    for (const int ranks : {2, 8, 16})
      EXPECT_EQ(choose(call_of(collective, ranks, 64 << 10), node).algorithm->name, "fragments") << ranks;
}

TEST(Planner, goes_through_memory_with_the_others_where_few_ranks_share_it) {
  const Placement node{.one_node = true, .rank_bytes = Bytes(1 << 18)};
  for (const Collective collective :
       {Collective::kGather, Collective::kScatter, Collective::kReduceScatterBlock,
        Collective::kReduceScatter, Collective::kScan, Collective::kExscan}) {
    for (const int ranks : {8, 9, 32})
      EXPECT_TRUE(choose(call_of(collective, ranks, 8), node).algorithm->within_node);
    EXPECT_FALSE(choose(call_of(collective, 33, 8), node).algorithm->within_node);
    for (const int ranks : {2, 8, 12}) {  // longer ones in fragments
      const Call call = call_of(collective, ranks, 1 << 16);
      const Choice choice = choose(call, node);
      EXPECT_TRUE(choice.algorithm->within_node) << name_of(collective);
      const Schedule schedule = build_example(*choice.algorithm, call, choice.parameters, Rank(1), false);
      EXPECT_LE(shared_by(schedule), node.rank_bytes * ranks) << name_of(collective);
    }
    EXPECT_FALSE(choose(call_of(collective, 33, 1 << 20), node).algorithm->within_node);
    EXPECT_FALSE(choose(call_of(collective, 8, 8)).algorithm->within_node);
    for (const int bytes : {8, 1 << 16}) {
      const Choice reproducible = choose_reproducible(call_of(collective, 8, bytes), node);
      EXPECT_EQ(reproducible.algorithm->within_node, !is_reduction(collective));
    }
  }
}

TEST(Planner, copies_long_messages_once_where_the_kernel_is_faster_or_agents_copy_for_a_pair) {
  Placement node{.one_node = true,
                 .rank_bytes = Bytes(1 << 18),
                 .single_copy = true,
                 .single_copy_from = Bytes(1 << 14)};
  const auto copies_once = [&](Collective collective, int ranks, int bytes) {
    return choose(call_of(collective, ranks, bytes), node).algorithm->single_copy;
  };
  for (const Collective collective : kWithinNode) {
    if (collective == Collective::kBarrier) continue;
    node.kernel_is_faster = node.has_agents = false;
    for (const int ranks : {2, 8}) EXPECT_FALSE(copies_once(collective, ranks, 1 << 20));
    node.kernel_is_faster = true;
    EXPECT_TRUE(copies_once(collective, 2, 1 << 20));
    EXPECT_FALSE(copies_once(collective, 2, 1 << 13));
    const bool several = collective == Collective::kAlltoall || collective == Collective::kReduce;
    EXPECT_EQ(copies_once(collective, 8, 1 << 20), several);
    node.kernel_is_faster = false;
    node.has_agents = true;
    EXPECT_TRUE(copies_once(collective, 2, 1 << 20));
    EXPECT_FALSE(copies_once(collective, 8, 1 << 20));
  }
}

TEST(Planner, takes_what_somebody_names_only_where_there_is_room_for_it) {
  std::set<std::string> taken, refused;
  for (const Algorithm& algorithm : catalog())
    for (const int ranks : {2, 8})
      for (const Bytes room : {Bytes(0), Bytes(4 << 10), Bytes(256 << 10)})
        for (const int bytes : {64, 4 << 20}) {
          const Call call =
              call_of(algorithm.collective, ranks, algorithm.collective == Collective::kBarrier ? 0 : bytes);
          SharedSettings settings;
          const std::string name(name_of(algorithm.collective));
          settings.algorithms[name] = {std::string(algorithm.name), 0};
          const Choice choice =
              choose(call, {.one_node = true, .rank_bytes = room, .single_copy = true}, settings);
          const bool is_it = choice.algorithm == &algorithm;
          (is_it ? taken : refused).insert(name + "=" + std::string(algorithm.name));
          if (!algorithm.eligible(call)) continue;
          const Schedule schedule = build_example(*choice.algorithm, call, choice.parameters, Rank(1), false);
          EXPECT_LE(shared_by(schedule), room * ranks) << name << "=" << algorithm.name << " of " << bytes;
        }
  for (const char* const named :
       {"allgatherv=fragments", "reduce_scatter=fragments", "reduce_scatter=exchange"}) {
    EXPECT_TRUE(taken.contains(named)) << named;
    EXPECT_TRUE(refused.contains(named)) << named;
  }
}

TEST(Planner, copies_once_where_a_pair_has_hardly_any_room) {
  for (const auto& [room, once] : {std::pair(0, true), {4 << 10, true}, {64 << 10, false}}) {
    const Placement node{.one_node = true,
                         .rank_bytes = Bytes(room),
                         .single_copy = true,
                         .single_copy_from = Bytes(16 << 10)};
    EXPECT_EQ(choose(call_of(Collective::kAllreduce, 2, 1 << 20), node).algorithm->single_copy, once) << room;
  }
}

TEST(Planner, gives_each_pair_a_share_of_the_nodes_memory_where_few_ranks_share_it) {
  const Placement node{.one_node = true, .rank_bytes = Bytes(1 << 16)};
  for (const Collective collective : kCollectives) {
    if (!has_parcels(collective) || collective == Collective::kReduceScatter) continue;
    for (const int ranks : {2, 3, 8, 32}) {
      const Choice choice = choose(call_of(collective, ranks, 0), node);
      EXPECT_TRUE(choice.algorithm->within_node) << name_of(collective);
      const Schedule schedule =
          build_example(*choice.algorithm, call_of(collective, ranks, 64), choice.parameters, Rank(1), false);
      EXPECT_LE(shared_by(schedule), node.rank_bytes * ranks) << name_of(collective);
      EXPECT_TRUE(choose(call_of(collective, ranks, 0), {.one_node = true}).algorithm->within_node);
    }
    EXPECT_FALSE(choose(call_of(collective, 33, 0), node).algorithm->within_node);
    EXPECT_FALSE(choose(call_of(collective, 8, 0)).algorithm->within_node);
  }
  for (const int ranks : {8, 33}) {  // where all know that blocks are long, they go in fragments
    const Call long_blocks = call_of(Collective::kAllgatherv, ranks, 4 << 20);
    EXPECT_EQ(choose(long_blocks, node).algorithm->name == "fragments", ranks == 8);
  }
}

}  // namespace
}  // namespace weft::tests
