// SPDX-License-Identifier: BSD-3-Clause
// Where processes are on machines that hwloc makes up, and the hierarchies that result.
#include <cstdlib>
#include <gtest/gtest.h>

#include "topology/hierarchy.hpp"
#include "topology/machine.hpp"

namespace weft::tests {
namespace {

std::vector<CpuSet> sets_of(const std::vector<std::vector<std::size_t>>& cpus) {
  std::vector<CpuSet> sets(cpus.size());
  for (std::size_t s = 0; s < cpus.size(); ++s)
    for (const std::size_t cpu : cpus[s]) sets[s].add(cpu);
  return sets;
}

// The places of ranks that may run on these processors of a machine, which is given in hwloc's words.
std::vector<MachinePlace> places_on(const char* machine, const std::vector<std::vector<std::size_t>>& cpus) {
  ::setenv("HWLOC_SYNTHETIC", machine, 1);
  auto places = places_of(sets_of(cpus));
  ::unsetenv("HWLOC_SYNTHETIC");
  if (!places) ADD_FAILURE() << places.error();
  return places ? *places : std::vector<MachinePlace>(cpus.size(), no_place());
}

std::string hierarchy_of(const std::vector<MachinePlace>& places, std::string_view depth) {
  const Seating seating = seating_of(places);
  const auto made = Hierarchy::make_from_what_is_there(seating.topology, depth, seating.leaves);
  return made ? made->text() : made.error();
}

const char* const kTwoSockets = "pack:2 numa:1 l3:2 core:2 pu:1";  // 8 processors

TEST(Places, are_what_holds_all_processors_of_a_process) {
  const auto places = places_on(kTwoSockets, {{0}, {2, 3}, {1, 2}, {4, 5, 6, 7}, {3, 4}, {}});
  const auto on = [&](std::size_t rank, Level level) { return at(places[rank], level); };
  EXPECT_EQ(on(0, Level::kSocket), 0);
  EXPECT_EQ(on(0, Level::kCore), 0);
  EXPECT_EQ(on(1, Level::kL3), 1);
  EXPECT_EQ(on(1, Level::kCore), kNowhere);
  EXPECT_EQ(on(2, Level::kSocket), 0);
  EXPECT_EQ(on(2, Level::kL3), kNowhere);
  EXPECT_EQ(on(3, Level::kSocket), 1);
  EXPECT_EQ(on(3, Level::kNuma), 1);
  EXPECT_EQ(on(4, Level::kSocket), kNowhere);
  EXPECT_EQ(places[5], no_place());
}

TEST(Places, make_hierarchies_of_every_depth) {
  const auto places = places_on(kTwoSockets, {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}});
  EXPECT_EQ(hierarchy_of(places, "l3+socket+node"),
            "node     memory    0───────4\n"
            "socket   memory    0───2   4───6\n"
            "l3       memory    0─1 2─3 4─5 6─7\n");
  EXPECT_EQ(hierarchy_of(places, "numa+socket+node"),  // one domain in each socket
            "node     memory    0───────4\n"
            "numa     memory    0─1─2─3 4─5─6─7\n");
  EXPECT_EQ(hierarchy_of(places, "flat"), "node     memory    0─1─2─3─4─5─6─7\n");
}

TEST(Places, need_not_follow_the_order_of_ranks) {
  const auto places = places_on(kTwoSockets, {{0}, {4}, {1}, {5}});
  EXPECT_EQ(hierarchy_of(places, "socket+node"),
            "node     memory    0───1\n"
            "socket   memory    0─2 1─3\n");
}

TEST(Places, several_processes_may_have_one) {
  const auto places = places_on(kTwoSockets, {{0}, {0}, {0}, {7}});
  EXPECT_EQ(hierarchy_of(places, "socket"),
            "node     memory    0─────3\n"
            "socket   memory    0─1─2 3\n");
}

TEST(Places, a_level_on_which_one_has_none_is_left_out) {
  const auto places = places_on(kTwoSockets, {{0}, {1}, {0, 1, 2, 3}, {4}});
  EXPECT_EQ(hierarchy_of(places, "l3+socket+node"),
            "node     memory    0─────3\n"
            "socket   memory    0─1─2 3\n");
  const auto unbound = places_on(kTwoSockets, {{0}, {1}, {0, 4}, {4}});
  EXPECT_EQ(hierarchy_of(unbound, "l3+socket+node"), "node     memory    0─1─2─3\n");
}

TEST(Places, of_several_nodes_count_within_each) {
  auto places = places_on("pack:2 core:2 pu:1", {{0}, {2}, {0}, {1}, {2}, {3}});
  for (std::size_t rank = 0; rank < places.size(); ++rank) at(places[rank], Level::kNode) = rank < 2 ? 0 : 2;
  EXPECT_EQ(hierarchy_of(places, "socket+node"),
            "network  messages  0───2\n"
            "node     memory    0─1 2───4\n"
            "socket   memory    0 1 2─3 4─5\n");
}

TEST(Places, of_memory_divided_below_a_shared_cache_the_finer_level_stays) {
  const auto places = places_on("pack:1 l3:1 numa:2 core:2 pu:1", {{0}, {1}, {2}, {3}});
  EXPECT_EQ(hierarchy_of(places, "l3+numa+node"),
            "node     memory    0───2\n"
            "numa     memory    0─1 2─3\n");
}

TEST(Places, a_shared_cache_below_the_last_is_a_level_too) {
  const auto places = places_on("pack:1 l2:2 core:2 pu:2", {{0, 1}, {2}, {4}, {6, 7}});
  EXPECT_EQ(hierarchy_of(places, "l2+node"),
            "node     memory    0───2\n"
            "l2       memory    0─1 2─3\n");
}

TEST(Places, this_process_has_processors) {
  const CpuSet set = cpus_of_this_process();
  EXPECT_NE(set.words, CpuSet().words);
  EXPECT_GE(set.count(), 1);
  EXPECT_EQ(sets_of({{0, 63, 64, 8191}}).front().count(), 4);
}

// Where threads beside such processes may run, of the first eight processors.
std::vector<std::vector<std::size_t>> beside(const std::vector<std::vector<std::size_t>>& cpus) {
  std::vector<std::vector<std::size_t>> found;
  for (const CpuSet& set : cpus_beside_others(sets_of(cpus))) {
    found.emplace_back();
    for (std::size_t cpu = 0; cpu < 8; ++cpu)
      if (set.has(cpu)) found.back().push_back(cpu);
  }
  return found;
}

TEST(CpusBesideOthers, are_those_that_nobody_has_and_the_own_ones) {
  using Sets = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(beside({{0}, {1}}), (Sets{{0, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 4, 5, 6, 7}}));
  EXPECT_EQ(beside({{0, 1, 2, 3}, {4, 5, 6, 7}}), (Sets{{0, 1, 2, 3}, {4, 5, 6, 7}}));
}

TEST(CpusBesideOthers, are_shared_out_where_several_processes_have_them) {
  using Sets = std::vector<std::vector<std::size_t>>;
  const std::vector<std::size_t> all{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(beside({all, all}), (Sets{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_EQ(beside({{0, 1, 2}, {3, 4, 5, 6, 7}, {0, 1, 2}}), (Sets{{0, 2}, {3, 4, 5, 6, 7}, {1}}));
}

TEST(CpusBesideOthers, are_all_where_processes_outnumber_them) {
  const std::vector<std::size_t> two{0, 1}, all{0, 1, 2, 3, 4, 5, 6, 7};
  for (const auto& cpus : beside({two, two, two})) EXPECT_EQ(cpus, all);
}

}  // namespace
}  // namespace weft::tests
