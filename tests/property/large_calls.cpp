// SPDX-License-Identifier: BSD-3-Clause
// The schedule of one rank among very many is made without looking at all of them: what that takes of memory
// grows like the number of its tasks.
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <string>

#include "algorithm/build.hpp"
#include "algorithm/catalog.hpp"
#include "support/allocations.hpp"

namespace weft::tests {
namespace {

constexpr int kFewRanks = 1 << 10, kManyRanks = 1 << 18;
constexpr long kBuilderBlock = 16 << 10;  // what a builder may take at a time, where it has more to note
constexpr std::size_t kMostTasks = 256;   // more at kFewRanks: a task or so for each rank

struct MadeSchedule {
  std::size_t tasks;
  long bytes;  // allocated
};

MadeSchedule make_counted(const Algorithm& algorithm, const Call& call, const Hierarchy* hierarchy,
                          Rank rank) {
  const Counting counting;
  const Schedule schedule = build(algorithm, call, {.hierarchy = hierarchy}, rank, false);
  return {schedule.tasks.size(), counting.so_far().bytes};
}

Call call_among(Collective collective, int ranks, Bytes bytes) {
  return {.collective = collective,
          .rank_count = ranks,
          .root = Rank(is_rooted(collective) ? ranks / 3 : 0),
          .bytes = collective == Collective::kBarrier ? Bytes(0) : bytes,
          .element_bytes = Bytes(is_reduction(collective) ? 8 : 1)};
}

// Nodes of 16; dealt out: neighbours in rank are on different ones.
enum class Placed { kInOrder, kDealtOut };
Hierarchy placed_hierarchy(int ranks, const char* depth, Placed placed) {
  const int nodes = ranks / 16;
  std::vector<int> places(static_cast<std::size_t>(ranks));
  std::iota(places.begin(), places.end(), 0);
  if (placed == Placed::kDealtOut)
    for (int& place : places) place = place % nodes * 16 + place / nodes;
  const auto topology = Topology::parse("node:" + std::to_string(nodes) + " socket:2 core:8");
  return *Hierarchy::make(*topology, depth, places);
}

// Compares kFewRanks and kManyRanks ranks, and returns the algorithms with about a task for each rank.
std::set<std::string> expect_no_more_than_tasks(const Hierarchy* few, const Hierarchy* many) {
  std::set<std::string> with_all;
  for (const Algorithm& algorithm : catalog()) {
    const bool is_flat = !algorithm.follows_hierarchy;
    if (has_parcels(algorithm.collective) || (is_flat && (algorithm.within_node || few != nullptr))) continue;
    const std::string name = std::string(name_of(algorithm.collective)) + " " + std::string(algorithm.name);
    for (const Bytes bytes : {Bytes(8), Bytes(64 << 10)})
      for (const double place : {0.0, 0.34, 0.5, 1.0}) {
        const auto make_among = [&](int ranks, const Hierarchy* hierarchy) {
          const Rank rank(static_cast<int>(place * (ranks - 1)));
          return make_counted(algorithm, call_among(algorithm.collective, ranks, bytes), hierarchy, rank);
        };
        const MadeSchedule small = make_among(kFewRanks, few);
        if (small.tasks > kMostTasks) {
          with_all.insert(name);
          continue;
        }
        const MadeSchedule large = make_among(kManyRanks, many);
        EXPECT_GT(small.bytes, 0) << "nothing is counted";
        EXPECT_LE(large.tasks, kMostTasks) << name;
        EXPECT_LE(large.bytes, 2 * small.bytes + kBuilderBlock)
            << name << ", " << bytes.value << " bytes, " << place;
      }
  }
  return with_all;
}

TEST(LargeCalls, flat_algorithms_look_at_those_they_have_tasks_with) {
  EXPECT_EQ(expect_no_more_than_tasks(nullptr, nullptr),
            (std::set<std::string>{"allgather multi_leader", "allgather ring", "allreduce gathered",
                                   "allreduce ring", "alltoall bruck", "alltoall hierarchical",
                                   "alltoall pairwise", "alltoall scattered", "bcast scatter_allgather",
                                   "reduce_scatter_block pairwise", "reduce_scatter_block ring"}));
}

TEST(LargeCalls, hierarchies_are_not_copied) {
  for (const char* depth : {"node", "socket+node"}) {
    const Hierarchy few = placed_hierarchy(kFewRanks, depth, Placed::kInOrder);
    const Hierarchy many = placed_hierarchy(kManyRanks, depth, Placed::kInOrder);
    EXPECT_EQ(
        expect_no_more_than_tasks(&few, &many),
        (std::set<std::string>{"allgather multi_leader", "allreduce gathered", "alltoall hierarchical"}))
        << depth;
  }
}

TEST(LargeCalls, nor_are_those_whose_groups_are_not_neighbours) {
  const Hierarchy few = placed_hierarchy(kFewRanks, "socket+node", Placed::kDealtOut);
  const Hierarchy many = placed_hierarchy(kManyRanks, "socket+node", Placed::kDealtOut);
  EXPECT_EQ(expect_no_more_than_tasks(&few, &many),
            (std::set<std::string>{"allgather hierarchical", "allgather multi_leader", "allreduce gathered",
                                   "alltoall hierarchical"}));
}

}  // namespace
}  // namespace weft::tests
