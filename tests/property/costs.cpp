// SPDX-License-Identifier: BSD-3-Clause
// The cost cards say what the schedules do: for the busiest rank exactly, in rounds never less than the
// longest path of messages, and exactly that wherever the shape comes out even.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <tuple>

#include "algorithm/build.hpp"
#include "algorithm/catalog.hpp"
#include "executor/ready_set.hpp"

namespace weft::tests {
namespace {

// Messages one after another: a task is as deep as what it waits for; a recv one deeper than its send.
int longest_path(const std::vector<Schedule>& schedules) {
  std::map<std::tuple<int, int, std::uint32_t>, int> send_depth;  // from, to, ordinal
  std::vector<std::vector<int>> depth;
  std::vector<ReadySet> ready;
  std::vector<std::vector<TaskId>> receiving(schedules.size());
  for (const Schedule& schedule : schedules) {
    depth.emplace_back(schedule.tasks.size(), 0);
    ready.emplace_back(schedule).restart();
  }
  int longest = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < schedules.size(); ++r) {
      const auto complete = [&](TaskId id) {
        const int mine = depth[r][id.value];
        for (const TaskId later : schedules[r].successors_of(id))
          depth[r][later.value] = std::max(depth[r][later.value], mine);
        longest = std::max(longest, mine);
        ready[r].complete(id);
        moved = true;
      };
      while (ready[r].has_ready()) {
        const TaskId id = ready[r].take();
        const Task& task = schedules[r].tasks[id.value];
        if (task.kind == TaskKind::kSend)
          send_depth[{static_cast<int>(r), task.peer, task.ordinal}] = depth[r][id.value];
        task.kind == TaskKind::kRecv ? receiving[r].push_back(id) : complete(id);
      }
      std::erase_if(receiving[r], [&](TaskId id) {
        const Task& task = schedules[r].tasks[id.value];
        const auto send = send_depth.find({task.peer, static_cast<int>(r), task.ordinal});
        if (send == send_depth.end()) return false;
        depth[r][id.value] = std::max(depth[r][id.value], send->second + 1);
        complete(id);
        return true;
      });
    }
  }
  for (const ReadySet& rank : ready) EXPECT_TRUE(rank.finished());
  return longest;
}

Cost measured(const std::vector<Schedule>& schedules) {
  Cost cost;
  for (const Schedule& schedule : schedules) {
    Cost rank;
    for (const Task& task : schedule.tasks) {
      if (task.kind == TaskKind::kSend) rank.messages += 1, rank.sent += task.size;
      if (task.kind == TaskKind::kReduce) rank.reduced += task.size;
    }
    cost.messages = std::max(cost.messages, rank.messages);
    cost.sent = std::max(cost.sent, rank.sent);
    cost.reduced = std::max(cost.reduced, rank.reduced);
  }
  cost.rounds = longest_path(schedules);
  return cost;
}

bool is_power(int count, int radix) {
  while (count % radix == 0) count /= radix;
  return count == 1;
}

void expect_not_to_be_too_low(const Cost& says, const Cost& is, const std::string& where) {
  EXPECT_GE(says.rounds, is.rounds) << where;
  EXPECT_GE(says.messages, is.messages) << where;
  EXPECT_GE(says.sent.value, is.sent.value) << where;
  EXPECT_GE(says.reduced.value, is.reduced.value) << where;
}

void expect_card_to_hold(const Algorithm& algorithm, const Call& call, const Parameters& parameters) {
  std::vector<Schedule> schedules;
  for (int r = 0; r < call.rank_count; ++r)
    schedules.push_back(build_example(algorithm, call, parameters, Rank(r), false));
  const Cost says = cost_of(algorithm, call, parameters);
  const Cost is = measured(schedules);
  const std::string where =
      std::string(name_of(call.collective)) + " " + std::string(algorithm.name) +
      " radix=" + std::to_string(parameters.radix) + " ranks=" + std::to_string(call.rank_count) +
      " root=" + std::to_string(call.root.value) + " bytes=" + std::to_string(call.bytes.value);
  if (is_neighborly(call.collective)) {  // how many neighbours there are, no rank knows of another
    EXPECT_GE(says.rounds, is.rounds) << where;
    return;
  }
  if (has_parcels(call.collective)) return expect_not_to_be_too_low(says, is, where);
  EXPECT_EQ(says.messages, is.messages) << where;
  EXPECT_EQ(says.sent.value, is.sent.value) << where;
  EXPECT_EQ(says.reduced.value, is.reduced.value) << where;
  EXPECT_GE(says.rounds, is.rounds) << where;
  if (is_power(call.rank_count, parameters.radix)) { EXPECT_EQ(says.rounds, is.rounds) << where; }
}

TEST(CostCard, says_what_the_schedules_do) {
  for (const Algorithm& algorithm : catalog())
    for (const int radix : {2, 3, 4, 8})
      for (int ranks = 1; ranks <= (algorithm.has_radix || radix == 2 ? 33 : 0); ++ranks)
        for (const int root : std::set<int>{0, is_rooted(algorithm.collective) ? ranks - 1 : 0})
          for (const int elements : {0, 1, 5, 1000})
            for (const bool commutative : {true, false}) {
              if (!commutative && !is_reduction(algorithm.collective)) continue;
              const Call call{.collective = algorithm.collective,
                              .rank_count = ranks,
                              .root = Rank(root),
                              .bytes = Bytes(8 * elements),
                              .element_bytes = Bytes(is_reduction(algorithm.collective) ? 8 : 1),
                              .commutative = commutative};
              if (algorithm.eligible(call))
                expect_card_to_hold(algorithm, call, {.radix = radix, .window = 3, .fragment = Bytes(256)});
              ASSERT_FALSE(HasFailure());
            }
}

bool has_even_groups(const Hierarchy& hierarchy) {
  for (int tier = 0; tier < static_cast<int>(hierarchy.tiers().size()); ++tier)
    for (const auto& group : hierarchy.groups(tier))
      if (static_cast<int>(group.size()) != hierarchy.largest_group(tier)) return false;
  return true;
}

void expect_card_to_bound(const Algorithm& algorithm, const Call& call, const Parameters& parameters) {
  std::vector<Schedule> schedules;
  for (int r = 0; r < call.rank_count; ++r)
    schedules.push_back(build_example(algorithm, call, parameters, Rank(r), false));
  const Cost says = cost_of(algorithm, call, parameters);
  const Cost is = measured(schedules);
  const std::string where = std::string(name_of(call.collective)) + " " + schedules[0].algorithm +
                            " ranks=" + std::to_string(call.rank_count) +
                            " root=" + std::to_string(call.root.value) +
                            " bytes=" + std::to_string(call.bytes.value);
  expect_not_to_be_too_low(says, is, where);
  if (!has_even_groups(*parameters.hierarchy) || !call.commutative) return;
  EXPECT_EQ(says.messages, is.messages) << where;
  EXPECT_EQ(says.sent.value, is.sent.value) << where;
  EXPECT_EQ(says.reduced.value, is.reduced.value) << where;
}

TEST(CostCard, over_a_hierarchy_is_never_too_low_and_exact_where_groups_are_even) {
  const std::pair<const char*, const char*> machines[] = {
      {"node:4 core:4", "node"},          {"node:3 socket:2 core:3", "socket+node"},
      {"node:2 core:5,2", "node"},        {"network:3 node:3 core:2", "node+network"},
      {"socket:2 core:4", "socket+node"}, {"network:2 node:2,3 core:3", "network"},
  };
  for (const auto& [text, depth] : machines) {
    const Topology whole = *Topology::parse(text);
    for (const int ranks : std::set<int>{whole.leaf_count(), whole.leaf_count() - 3}) {
      const Hierarchy hierarchy = *Hierarchy::make(*whole.with_ranks(ranks), depth);
      for (const Algorithm& algorithm : catalog())
        for (const int root : std::set<int>{0, is_rooted(algorithm.collective) ? ranks - 1 : 0})
          for (const int elements : {0, 1, 100})
            for (const bool commutative : {true, false})
              for (const Aim aim : {Aim::kRounds, Aim::kBytes, Aim::kLatency}) {
                const Call call{.collective = algorithm.collective,
                                .rank_count = ranks,
                                .root = Rank(root),
                                .bytes = Bytes(8 * elements),
                                .element_bytes = Bytes(is_reduction(algorithm.collective) ? 8 : 1),
                                .commutative = commutative};
                if (!algorithm.follows_hierarchy || !algorithm.eligible(call)) continue;
                Parameters parameters{.radix = 3,
                                      .fragment = Bytes(256),
                                      .leader_fragment = Bytes(128),
                                      .leader_aim = aim,
                                      .hierarchy = &hierarchy};
                for (TierParameters& tier : parameters.tiers)
                  tier.aim = aim == Aim::kLatency ? Aim::kRounds : aim;
                parameters.tiers[hierarchy.tiers().size() - 1].aim = aim;
                expect_card_to_bound(algorithm, call, parameters);
                ASSERT_FALSE(HasFailure());
              }
    }
  }
}

TEST(CostCard, has_all_that_a_reader_wants) {
  for (const Algorithm& algorithm : catalog()) {
    EXPECT_FALSE(algorithm.summary.empty() || algorithm.formula.empty() || algorithm.source.empty())
        << algorithm.name;
    EXPECT_EQ(*find_algorithm(algorithm.collective, algorithm.name), &algorithm) << "two of one name";
  }
}

}  // namespace
}  // namespace weft::tests
