// SPDX-License-Identifier: BSD-3-Clause
// The planner's rule: an eligible algorithm for every call, within the messages that a transport can number.
#include "planner/planner.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "algorithm/build.hpp"

namespace weft::tests {
namespace {

constexpr std::uint32_t kMessagesPerPair = 8191;  // thirteen bits of a tag

Call call_of(Collective collective, int ranks, std::int64_t bytes, bool commutative = true) {
  return {.collective = collective,
          .rank_count = ranks,
          .bytes = Bytes(bytes),
          .element_bytes = Bytes(is_reduction(collective) ? 8 : 1),
          .commutative = commutative};
}

Bytes shared_by(const Schedule& schedule) { return rooms_of(schedule).large(); }

constexpr Collective kWithinNode[] = {Collective::kBarrier,   Collective::kBcast,     Collective::kReduce,
                                      Collective::kAllreduce, Collective::kAllgather, Collective::kAlltoall};

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
    if (!knows_pairs(collective)) continue;
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
  EXPECT_EQ(choose(call, node).parameters.fragment, Bytes(29056));  // two of nine pieces in eight slots
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
  EXPECT_EQ(asked({"parts"}, call, node).parameters.fragment, Bytes(29056));
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
