// SPDX-License-Identifier: BSD-3-Clause
// The catalog's own schedules, damaged in every place where damage must show. A mutant that nobody notices
// would be a wrong answer in somebody's program.
#include <gtest/gtest.h>

#include "algorithm/build.hpp"
#include "algorithm/catalog.hpp"
#include "executor/verifier/verify.hpp"
#include "mutation/hand_built.hpp"

namespace weft::tests {
namespace {

constexpr int kRanks = 6;

Call call_of(const Algorithm& algorithm, bool commutative) {
  const bool reduces = is_reduction(algorithm.collective);
  return {.collective = algorithm.collective,
          .rank_count = kRanks,
          .root = Rank(is_rooted(algorithm.collective) ? 2 : 0),
          .bytes = Bytes(algorithm.collective == Collective::kBarrier ? 0 : 8 * (kRanks + 1)),
          .element_bytes = Bytes(reduces ? 8 : 1),
          .commutative = commutative || !reduces};
}

// The hierarchies to build for: of one node and of several, with two and three tiers. An algorithm that
// follows none is built once.
std::vector<Hierarchy> hierarchies(const Algorithm& algorithm) {
  std::vector<Hierarchy> all{Hierarchy::flat(kRanks)};
  if (!algorithm.follows_hierarchy) return all;
  for (const auto& [machine, depth] : {std::pair{"socket:2 core:2,4", "socket"},
                                       {"node:3 core:2,3,1", "node"},
                                       {"node:2 socket:2,1 core:2,1,3", "socket+node"},
                                       {"node:2 socket:2,1 core:2,1,3", "socket"},
                                       {"network:2 node:2 core:2,1,1,2", "node+network"}})
    all.push_back(*Hierarchy::make(*Topology::parse(machine), depth));
  return all;
}

// Calls `visit` with the schedules of everything in the catalog, and a name for failures.
template <class Visit>
void for_catalog(Visit visit) {
  for (const Algorithm& algorithm : catalog())
    for (const bool commutative : {true, false}) {
      const Call call = call_of(algorithm, commutative);
      if (!algorithm.eligible(call) || (!commutative && !is_reduction(algorithm.collective))) continue;
      for (const Hierarchy& hierarchy : hierarchies(algorithm)) {
        Schedules schedules;
        for (int rank = 0; rank < kRanks; ++rank)
          schedules.push_back(
              build_example(algorithm, call, {.radix = 3, .hierarchy = &hierarchy}, Rank(rank), false));
        visit(std::string(name_of(algorithm.collective)) + " " + schedules[0].algorithm, schedules);
      }
    }
}

template <class Damage>
void expect_objection(const Schedules& correct, std::size_t rank, const std::string& what, Damage damage) {
  Schedules mutant = correct;
  damage(mutant[rank]);
  EXPECT_FALSE(verify(mutant).proved()) << what;
}

bool leads(const Schedule& schedule, TaskId from, TaskId to) {
  for (const TaskId next : schedule.successors_of(from))
    if (next == to || (next < to && leads(schedule, next, to))) return true;
  return false;
}

// Long messages go through memory in pieces: a rank's piece has a hole where its own part would be, and every
// step covers all of the memory. So harmless mutants exist.
bool has_slack(const Schedules& schedules) {
  const std::string& algorithm = schedules[0].algorithm;
  return algorithm.starts_with("parts") || algorithm.starts_with("fragments") ||
         algorithm.starts_with("multi_leader");
}

// Steps that cover all that ranks expose to one another, touched or not: some of what they order needs none.
bool orders_more_than_needed(const Schedules& schedules) {
  return has_slack(schedules) || schedules[0].algorithm.starts_with("single_copy");
}

// What has been given away still lies beside what is combined last: to combine that as well does no harm.
// What one rank has for another need not fill its share of a line or room.
bool may_be_wider(const Schedules& schedules) {
  const Schedule& first = schedules[0];
  const bool has_shares = first.algorithm.starts_with("delivery") ||
                          (first.call.collective == Collective::kScatter && first.algorithm == "fan_out");
  return has_slack(schedules) || has_shares || first.algorithm == "recursive_halving";
}

// Whether the task leaves, for another rank, the block before the place of the rank's own block, which is
// empty: nobody reads what a longer block writes there.
bool is_beside_hole(const Schedules& schedules, std::size_t rank, const Task& task) {
  const Collective collective = schedules[rank].call.collective;
  const bool has_hole = collective == Collective::kAlltoall || collective == Collective::kReduceScatter ||
                        collective == Collective::kReduceScatterBlock;
  if (!has_hole || schedules[rank].algorithm != "exchange" || task.kind != TaskKind::kCopy) return false;
  const Schedule& schedule = schedules[rank];
  const Bytes own = has_parcels(collective) ? schedule.parcels.outgoing[rank].offset
                                            : schedule.call.bytes * static_cast<std::int64_t>(rank);
  return is_shared(schedule.buffers[task.target.value].role) && task.source_offset + task.size == own;
}

TEST(CatalogMutants, the_undamaged_are_proved) {
  for_catalog([](const std::string& name, const Schedules& schedules) {
    const Report report = verify(schedules);
    EXPECT_TRUE(report.proved()) << name << ": " << report.findings.front().message;
  });
}

TEST(CatalogMutants, no_task_can_be_left_out) {
  for_catalog([](const std::string& name, const Schedules& schedules) {
    for (std::size_t rank = 0; rank < schedules.size(); ++rank)
      for (std::uint32_t task = 0; task < schedules[rank].tasks.size(); ++task)
        if (schedules[rank].tasks[task].kind != TaskKind::kJoin)
          expect_objection(schedules, rank,
                           name + ": task " + std::to_string(task) + " of rank " + std::to_string(rank),
                           [&](Schedule& s) { drop_task(s, TaskId(task)); });
  });
}

// Edges that data demands: nothing else may order the two tasks.
TEST(CatalogMutants, no_edge_can_be_left_out_unless_a_path_replaces_it) {
  for_catalog([](const std::string& name, const Schedules& schedules) {
    if (schedules[0].call.collective == Collective::kBarrier) return;  // no data: the next test has it
    if (orders_more_than_needed(schedules)) return;
    for (std::size_t rank = 0; rank < schedules.size(); ++rank)
      for (const auto& [from, to] : edges_of(schedules[rank])) {
        Schedule without = schedules[rank];
        drop_edge(without, from, to);
        if (leads(without, from, to)) continue;
        expect_objection(schedules, rank,
                         name + ": edge " + std::to_string(from.value) + " -> " + std::to_string(to.value) +
                             " of rank " + std::to_string(rank),
                         [&](Schedule& s) { s = without; });
      }
  });
}

TEST(CatalogMutants, no_range_and_no_peer_can_be_changed) {
  for_catalog([](const std::string& name, const Schedules& schedules) {
    for (std::size_t rank = 0; rank < schedules.size(); ++rank)
      for (std::uint32_t task = 0; task < schedules[rank].tasks.size(); ++task) {
        const TaskKind kind = schedules[rank].tasks[task].kind;
        const std::string where =
            name + ": task " + std::to_string(task) + " of rank " + std::to_string(rank);
        if (is_message(kind))
          expect_objection(schedules, rank, where + ", peer",
                           [&](Schedule& s) { s.tasks[task].peer = (s.tasks[task].peer + 1) % kRanks; });
        if (kind == TaskKind::kJoin || schedules[rank].tasks[task].size == Bytes(0)) continue;
        if (!may_be_wider(schedules) && !is_beside_hole(schedules, rank, schedules[rank].tasks[task]))
          expect_objection(schedules, rank, where + ", wider",
                           [&](Schedule& s) { s.tasks[task].size += Bytes(8); });
        expect_objection(schedules, rank, where + ", narrower",
                         [&](Schedule& s) { s.tasks[task].size -= Bytes(8); });
        if (writes_target(kind))
          expect_objection(schedules, rank, where + ", target moved",
                           [&](Schedule& s) { s.tasks[task].target_offset += Bytes(8); });
        if (reads_source(kind))
          expect_objection(schedules, rank, where + ", source moved",
                           [&](Schedule& s) { s.tasks[task].source_offset += Bytes(8); });
      }
  });
}

// Operators that do not commute notice a swap; so does everybody else, because ranks then differ.
TEST(CatalogMutants, no_operands_can_be_swapped) {
  for_catalog([](const std::string& name, const Schedules& schedules) {
    if (schedules[0].call.commutative) return;
    for (std::size_t rank = 0; rank < schedules.size(); ++rank)
      for (std::uint32_t task = 0; task < schedules[rank].tasks.size(); ++task)
        if (schedules[rank].tasks[task].kind == TaskKind::kReduce)
          expect_objection(schedules, rank,
                           name + ": task " + std::to_string(task) + " of rank " + std::to_string(rank),
                           [&](Schedule& s) {
                             std::swap(s.tasks[task].source, s.tasks[task].target);
                             std::swap(s.tasks[task].source_offset, s.tasks[task].target_offset);
                           });
  });
}

}  // namespace
}  // namespace weft::tests
