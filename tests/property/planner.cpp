// SPDX-License-Identifier: BSD-3-Clause
// The planner's rule: an eligible algorithm for every call, within the messages that a transport can number.
#include "planner/planner.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "algorithm/build.hpp"
#include "support/planner_calls.hpp"

namespace weft::tests {
namespace {

constexpr std::uint32_t kMessagesPerPair = 8191;  // thirteen bits of a tag

TEST(Planner, chooses_an_eligible_algorithm_and_says_why) {
  for (const Collective collective : kCollectives)
    for (int ranks = 1; ranks <= 100000; ranks = ranks * 3 + 1)
      for (std::int64_t bytes = 0; bytes < std::int64_t{1} << 36; bytes = bytes * 8 + 8)
        for (const bool commutative : {true, false}) {
          const Call call = call_of(collective, ranks, bytes, commutative);
          const Choice choice = choose(call);
          ASSERT_NE(choice.algorithm, nullptr);
          EXPECT_EQ(choice.algorithm->collective, collective);
          EXPECT_TRUE(choice.algorithm->eligible(call));
          EXPECT_GE(choice.parameters.radix, 2);
          EXPECT_FALSE(choice.why.empty());
        }
}

TEST(Planner, keeps_the_messages_of_a_pair_within_a_tag) {
  for (const Collective collective : {Collective::kAllreduce, Collective::kAllgather})
    for (const int ranks : {4096, 4097, 8192, 8193}) {
      const Call call = call_of(collective, ranks, std::int64_t{1} << 30);
      const Choice choice = choose(call);
      EXPECT_LE(messages_per_pair(build(*choice.algorithm, call, choice.parameters, Rank(1), false)),
                kMessagesPerPair)
          << choice.algorithm->name << " on " << ranks << " ranks";
    }
  EXPECT_EQ(choose(call_of(Collective::kAllreduce, 4096, std::int64_t{1} << 30)).algorithm->name, "ring");
  EXPECT_EQ(choose(call_of(Collective::kAllreduce, 4097, std::int64_t{1} << 30)).algorithm->name,
            "reduce_scatter_allgather");
}

TEST(Planner, lets_leaders_of_parts_speak_for_their_nodes_as_long_as_memory_and_tags_last) {
  for (const auto& [text, ranks] : {std::pair{"node:2 core:4", 8},
                                    {"node:3 core:1,3,2", 6},
                                    {"node:129 core:2", 258},
                                    {"node:4097 core:2", 8194},
                                    {"node:2049 core:2", 4098}}) {
    const Hierarchy nodes = *Hierarchy::make(*Topology::parse(text), "node");
    const Placement placement{.rank_bytes = Bytes(192 << 10), .hierarchy = &nodes};
    for (const Collective collective :
         {Collective::kBcast, Collective::kReduce, Collective::kAllreduce, Collective::kAllgather}) {
      EXPECT_EQ(choose(call_of(collective, ranks, 8), placement).algorithm->name, "hierarchical");
      if (collective == Collective::kAllgather && ranks > 8) continue;  // terabytes
      const Call call = call_of(collective, ranks, std::int64_t{1} << 26);
      const Choice choice = choose(call, placement);
      ASSERT_EQ(choice.algorithm->name, "multi_leader") << text;
      for (const int rank : {0, ranks / 2}) {
        const Schedule schedule = build(*choice.algorithm, call, choice.parameters, Rank(rank), true);
        EXPECT_LE(messages_per_pair(schedule), kMessagesPerPair) << text;
        const auto here = static_cast<std::int64_t>(nodes.node_of(Rank(rank)).size());
        EXPECT_LE(shared_by(schedule), placement.rank_bytes * here) << text << " " << choice.algorithm->name;
      }
    }
  }
}

// A user's operator may take elements as large as it likes.
TEST(Planner, leaves_room_for_elements_of_any_size) {
  for (const auto& [text, depth] : {std::pair{"core:2", ""},
                                    {"core:4", ""},
                                    {"core:16", ""},
                                    {"core:64", ""},
                                    {"socket:2 core:3", "socket"},
                                    {"node:2 core:4", "node"},
                                    {"node:3 core:1,3,2", "node"}}) {
    const Topology machine = *Topology::parse(text);
    const bool is_grouped = *depth != '\0';
    const Hierarchy groups = is_grouped ? *Hierarchy::make(machine, depth) : Hierarchy::flat(1);
    const bool is_one_node = machine.groups(Level::kNode).size() == 1;
    const auto here = static_cast<std::int64_t>(machine.groups(Level::kNode).front().size());
    for (const Bytes slot : {Bytes(1 << 10), Bytes(64 << 10), Bytes(192 << 10)})
      for (const Bytes element : {Bytes(8), Bytes(100), Bytes(2 << 10), Bytes(32 << 10), Bytes(128 << 10)})
        for (const std::int64_t count : {1, 2, 9, 64})
          for (const Collective collective : {Collective::kReduce, Collective::kAllreduce, Collective::kScan,
                                              Collective::kExscan, Collective::kReduceScatterBlock}) {
            const Placement placement{
                .one_node = is_one_node, .rank_bytes = slot, .hierarchy = is_grouped ? &groups : nullptr};
            const Call call{.collective = collective,
                            .rank_count = machine.rank_count(),
                            .bytes = element * count,
                            .element_bytes = element,
                            .user_defined = true};
            for (const Choice& choice : {choose(call, placement), choose_reproducible(call, placement)}) {
              const Schedule schedule = build(*choice.algorithm, call, choice.parameters, Rank(0), false);
              ASSERT_LE(shared_by(schedule), slot * here)
                  << text << ", " << choice.algorithm->name << ", " << count << " of " << element.value;
            }
          }
  }
}

TEST(Planner, sends_long_parts_around_many_nodes_with_few_bytes) {
  for (const int nodes : {8, 32, 33, 64}) {
    const std::string text = fmt::format("node:{} core:8", nodes);
    const Hierarchy hierarchy = *Hierarchy::make(*Topology::parse(text), "node");
    const Placement placement{.rank_bytes = Bytes(192 << 10), .hierarchy = &hierarchy};
    for (const Collective collective : {Collective::kAllreduce, Collective::kReduce, Collective::kBcast}) {
      const Choice choice = choose(call_of(collective, nodes * 8, 1 << 30), placement);
      ASSERT_EQ(choice.algorithm->name, "multi_leader");
      EXPECT_EQ(choice.parameters.leader_aim, Aim::kBytes) << name_of(collective) << " on " << text;
      const Choice shorter = choose(call_of(collective, nodes * 8, 32 << 10), placement);
      EXPECT_EQ(shorter.parameters.leader_aim, Aim::kRounds) << name_of(collective) << " on " << text;
    }
  }
}

int rounds_of(const Call& call, const Placement& placement) {
  const Choice choice = choose(call, placement);
  return cost_of(*choice.algorithm, call, choice.parameters).rounds;
}

TEST(Planner, sends_short_messages_in_few_rounds_where_nodes_are_far) {
  for (const Collective collective :
       {Collective::kBarrier, Collective::kBcast, Collective::kAllreduce, Collective::kAllgather,
        Collective::kGather, Collective::kScatter, Collective::kAlltoall}) {
    for (const auto& [ranks, rounds] : {std::pair{2, 1}, {3, 1}, {4, 1}, {5, 2}, {16, 2}, {64, 3}}) {
      const Call call = call_of(collective, ranks, collective == Collective::kBarrier ? 0 : 8);
      EXPECT_LE(rounds_of(call, {.is_far = true}), rounds) << name_of(collective) << " of " << ranks;
    }
    const Hierarchy hierarchy = *Hierarchy::make(*Topology::parse("node:4 core:4"), "node");
    const Placement nodes{.rank_bytes = Bytes(192 << 10), .hierarchy = &hierarchy, .is_far = true};
    const Call on_nodes = call_of(collective, 16, collective == Collective::kBarrier ? 0 : 8);
    if (!choose(on_nodes, nodes).algorithm->follows_hierarchy) continue;
    EXPECT_EQ(rounds_of(on_nodes, nodes), 1) << name_of(collective);
  }
}

TEST(Planner, cuts_messages_into_fragments_that_do_not_follow_those_of_a_nodes_memory) {
  Placement placement;
  placement.thresholds.node_fragment = Bytes(1 << 20);
  const Choice chain = choose(call_of(Collective::kScan, 8, 1 << 20), placement);
  ASSERT_EQ(chain.algorithm->name, "chain");
  EXPECT_EQ(chain.parameters.fragment, Parameters{}.fragment);
}

TEST(Planner, sends_few_messages_where_few_nodes_share_cores) {
  const auto name = [](Collective collective, int ranks, const Placement& placement) {
    const std::int64_t bytes = collective == Collective::kBarrier ? 0 : 8;
    return choose(call_of(collective, ranks, bytes), placement).algorithm->name;
  };
  const Placement shared{.shares_cores = true}, far{.is_far = true, .shares_cores = true};
  for (const int ranks : {2, 3, 4, 5}) {
    const bool are_few = ranks == 3 || ranks == 4;
    EXPECT_EQ(name(Collective::kBarrier, ranks, shared), are_few ? "k_nomial" : "dissemination");
    EXPECT_EQ(name(Collective::kBarrier, ranks, far), "dissemination");
    EXPECT_EQ(name(Collective::kBarrier, ranks, {}), "dissemination");
    for (const Collective collective : {Collective::kScan, Collective::kExscan}) {
      EXPECT_EQ(name(collective, ranks, shared), are_few ? "chain" : "recursive_doubling");
      EXPECT_EQ(name(collective, ranks, far), name(collective, ranks, shared)) << "the same order";
      EXPECT_EQ(name(collective, ranks, {}), "recursive_doubling");
      EXPECT_EQ(choose_reproducible(call_of(collective, ranks, 8), shared).algorithm,
                choose_reproducible(call_of(collective, ranks, 8), {}).algorithm);
    }
  }
  for (const int ranks : {2, 4, 5})
    EXPECT_EQ(name(Collective::kGather, ranks, {}), ranks <= 4 ? "linear" : "k_nomial");
  const Call barrier = call_of(Collective::kBarrier, 4, 0);
  EXPECT_EQ(rounds_of(barrier, shared), rounds_of(barrier, {}));
}

// Where each rank that somebody waits for costs a turn on a core, it is the root alone that waits.
TEST(Planner, reduces_in_groups_where_each_rank_has_a_core) {
  const Topology machine = *Topology::parse("core:16");
  const Hierarchy groups = Hierarchy::make(machine, "node")->in_narrow_groups();
  for (const bool crowded : {false, true}) {
    const SharedMemory memory{.exists = true, .rank_bytes = Bytes(1 << 19), .crowded = crowded};
    const Placement placement = placement_of(memory, true, &groups, {});
    for (const std::int64_t bytes : {8, 4096}) {
      const auto name = [&](Collective collective) {
        return choose(call_of(collective, 16, bytes), placement).algorithm->name;
      };
      EXPECT_EQ(name(Collective::kReduce), crowded ? "fan_in" : "hierarchical");
      EXPECT_EQ(name(Collective::kAllreduce), "hierarchical");
    }
  }
}

// Rules that were found on machines hold for up to eight ranks, and on one node.
TEST(Planner, has_rules_of_its_own_for_many_ranks) {
  const auto name = [](Collective collective, int ranks, std::int64_t bytes,
                       const Placement& placement = {}) {
    return choose(call_of(collective, ranks, bytes), placement).algorithm->name;
  };
  EXPECT_EQ(name(Collective::kAlltoall, 16, 8), "bruck");
  EXPECT_EQ(name(Collective::kAlltoall, 16, 256), "pairwise");
  EXPECT_EQ(name(Collective::kAlltoall, 64, 256), "bruck");
  EXPECT_EQ(name(Collective::kAllgather, 64, 8), "bruck");
  EXPECT_EQ(name(Collective::kAllreduce, 64, 4 << 10), "recursive_k_ing");
  EXPECT_EQ(name(Collective::kAllreduce, 64, 8 << 10), "reduce_scatter_allgather");
  EXPECT_EQ(name(Collective::kAllreduce, 64, 64 << 20), "ring");
  EXPECT_EQ(name(Collective::kReduce, 64, 8), "k_nomial");
  EXPECT_EQ(name(Collective::kReduce, 64, 8 << 10), "reduce_scatter_gather");
  EXPECT_EQ(name(Collective::kReduceScatterBlock, 64, 64 << 10), "pairwise");
  EXPECT_EQ(choose(call_of(Collective::kBcast, 64, 8)).parameters.radix, 4);
  EXPECT_EQ(choose(call_of(Collective::kBcast, 64, 16 << 10)).parameters.radix, 2);
  EXPECT_EQ(choose(call_of(Collective::kReduce, 64, 8, false)).algorithm->name, "n_ary_tree");
  for (const Collective collective : {Collective::kAlltoall, Collective::kAllgather, Collective::kAllreduce,
                                      Collective::kReduce, Collective::kReduceScatterBlock}) {
    EXPECT_EQ(name(collective, 8, 64 << 10), name(collective, 8, 64 << 10, {.one_node = true}));
    EXPECT_NE(choose(call_of(collective, 8, 8)).algorithm->name, "bruck");
  }

  const Hierarchy nodes = *Hierarchy::make(*Topology::parse("node:4 core:16"), "node");
  const Placement shared{.rank_bytes = Bytes(64 << 10), .hierarchy = &nodes};
  EXPECT_EQ(name(Collective::kAllreduce, 64, 4 << 10, shared), "hierarchical");
  EXPECT_EQ(name(Collective::kReduceScatterBlock, 64, 4 << 10, shared), "ring");
  EXPECT_EQ(name(Collective::kAllgather, 64, 256, shared), "hierarchical");
  EXPECT_EQ(name(Collective::kAllgather, 64, 512, shared), "multi_leader");
  for (const std::int64_t bytes : {8 << 10, 16 << 10, 64 << 10}) {
    const Choice choice = choose(call_of(Collective::kAllreduce, 64, bytes), shared);
    EXPECT_EQ(choice.algorithm->name, "multi_leader");
    EXPECT_EQ(choice.parameters.leaders, bytes >> 11) << "each for 2 KiB";
  }
}

TEST(Planner, combines_among_many_ranks_in_the_same_order_however_far_nodes_are) {
  const Hierarchy nodes = *Hierarchy::make(*Topology::parse("node:4 core:4"), "node");
  Placement near{.rank_bytes = Bytes(192 << 10), .hierarchy = &nodes}, alone;
  for (Placement* const placement : {&near, &alone})
    for (const Collective collective :
         {Collective::kReduce, Collective::kAllreduce, Collective::kReduceScatterBlock, Collective::kScan})
      for (std::int64_t bytes = 8; bytes <= 1 << 22; bytes *= 2) {
        const Choice here = choose(call_of(collective, 16, bytes), *placement);
        Placement far = *placement;
        far.is_far = true;
        const Choice there = choose(call_of(collective, 16, bytes), far);
        EXPECT_EQ(there.parameters.radix, here.parameters.radix);
        EXPECT_EQ(there.parameters.leaders, here.parameters.leaders);
        if (there.algorithm->name == "gathered") EXPECT_EQ(here.algorithm->name, "recursive_k_ing");
        else EXPECT_EQ(there.algorithm->name, here.algorithm->name) << name_of(collective) << bytes;
      }
}

TEST(Planner, gives_reduce_over_nodes_the_radix_that_somebody_asks_for) {
  const Hierarchy nodes = *Hierarchy::make(*Topology::parse("node:16 core:2"), "node");
  const Placement placement{.rank_bytes = Bytes(192 << 10), .hierarchy = &nodes};
  const Call call = call_of(Collective::kReduce, 32, 8);
  const auto rounds = [&](const Choice& choice) {
    return cost_of(*choice.algorithm, call, choice.parameters).rounds;
  };
  const auto asked = [&](int radix) {
    return choose(call, placement, SharedSettings{.algorithms = {{"reduce", {"hierarchical", radix}}}});
  };
  EXPECT_EQ(choose(call, placement).parameters.radix, placement.thresholds.shallow_radix);
  EXPECT_LT(rounds(choose(call, placement)), rounds(asked(2)));
  EXPECT_LT(rounds(asked(16)), rounds(choose(call, placement)));
}

TEST(Planner, keeps_rank_order_for_operators_that_do_not_commute) {
  EXPECT_EQ(choose(call_of(Collective::kAllreduce, 8, 1 << 30, true)).algorithm->name, "ring");
  EXPECT_EQ(choose(call_of(Collective::kAllreduce, 8, 1 << 30, false)).algorithm->name,
            "reduce_scatter_allgather");
  EXPECT_EQ(choose(call_of(Collective::kAllreduce, 8, 8, false)).algorithm->name, "recursive_k_ing");
  EXPECT_EQ(choose(call_of(Collective::kAllreduce, 8, 8, true)).algorithm->name, "recursive_k_ing");
}

TEST(Planner, follows_the_thresholds) {
  Placement placement{.one_node = false};
  const Call call = call_of(Collective::kAllreduce, 8, 1 << 20);
  placement.thresholds.ring_block = Bytes(128 << 10);
  EXPECT_EQ(choose(call, placement).algorithm->name, "ring");
  placement.thresholds.ring_block = Bytes((128 << 10) + 1);
  EXPECT_EQ(choose(call, placement).algorithm->name, "reduce_scatter_allgather");
  placement.thresholds.long_part = Bytes(1 << 20);
  EXPECT_EQ(choose(call, placement).algorithm->name, "recursive_k_ing");
  EXPECT_NE(choose(call, placement).why.find("below 1024 KiB per rank"), std::string::npos);
  placement.thresholds.radix = 4;
  EXPECT_EQ(choose(call, placement).parameters.radix, 4);
  const Call reduce = call_of(Collective::kReduce, 8, 1 << 12);
  EXPECT_EQ(choose(reduce, placement).parameters.radix, placement.thresholds.shallow_radix);
  Placement node{.one_node = true, .rank_bytes = Bytes(1 << 16)};
  EXPECT_EQ(choose(call, node).parameters.fragment,
            Bytes(24 << 10));  // two cells in its room, and what lies between
  node.thresholds.node_fragment = Bytes(4096);
  EXPECT_EQ(choose(call, node).parameters.fragment, Bytes(4096));
  EXPECT_EQ(choose(reduce, node).algorithm->name, "fan_in");
  node.thresholds.node_whole = Bytes(1024);
  EXPECT_EQ(choose(reduce, node).algorithm->name, "parts");
}

TEST(Planner, groups_ranks_within_a_node_only_where_a_hierarchy_asks_for_it) {
  const Hierarchy sockets = *Hierarchy::make(*Topology::parse("socket:2 core:4"), "socket");
  const Placement placement{.one_node = true, .rank_bytes = Bytes(1 << 16), .hierarchy = &sockets};
  for (const Collective collective : kWithinNode)
    EXPECT_EQ(
        choose(call_of(collective, 8, collective == Collective::kBarrier ? 0 : 8), placement).algorithm->name,
        "hierarchical");
  EXPECT_EQ(choose(call_of(Collective::kAllreduce, 8, 1 << 20), placement).algorithm->name, "parts");
}

TEST(Planner, takes_the_algorithm_that_is_asked_for_where_it_can_do_the_call) {
  const Call call = call_of(Collective::kAllreduce, 8, 8);
  const Placement node{.one_node = true, .rank_bytes = Bytes(1 << 16)};
  const auto asked = [&](NamedAlgorithm named, const Call& which, const Placement& placement) {
    return choose(which, placement, SharedSettings{.algorithms = {{"allreduce", std::move(named)}}});
  };
  EXPECT_EQ(asked({"ring"}, call, node).algorithm->name, "ring");
  EXPECT_EQ(asked({"recursive_k_ing", 5}, call, {}).parameters.radix, 5);
  EXPECT_EQ(asked({"exchange"}, call, {}).algorithm->name, "recursive_k_ing") << "no memory is shared";
  EXPECT_EQ(asked({"ring"}, call_of(Collective::kAllreduce, 8, 8, false), {}).algorithm->name,
            "recursive_k_ing");
  EXPECT_EQ(asked({"parts"}, call, node).parameters.fragment, Bytes(24 << 10));
  const Hierarchy sockets = *Hierarchy::make(*Topology::parse("socket:2 core:4"), "socket");
  const Placement grouped{.one_node = true, .rank_bytes = Bytes(1 << 16), .hierarchy = &sockets};
  EXPECT_EQ(asked({"exchange"}, call, grouped).algorithm->name, "exchange");
}

TEST(Catalog, names_the_choices_when_asked_for_another) {
  const auto found = find_algorithm(Collective::kAllreduce, "butterfly");
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().find("butterfly"), std::string::npos);
  EXPECT_NE(found.error().find("recursive_k_ing, ring"), std::string::npos);
}

}  // namespace
}  // namespace weft::tests
