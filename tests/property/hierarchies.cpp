// SPDX-License-Identifier: BSD-3-Clause
// Every depth of hierarchy, on machines of every shape, for every number of ranks, is proved and gives the
// plain result.
#include <gtest/gtest.h>
#include <set>

#include "algorithm/tiers.hpp"
#include "executor/verifier/verify.hpp"
#include "support/case.hpp"
#include "transform/in_order.hpp"

namespace weft::tests {
namespace {

struct Machine {
  const char* topology;
  std::vector<const char*> depths;
};

const std::vector<Machine>& machines() {
  static const std::vector<Machine> all = {
      {"node:2 core:4", {"flat", "node"}},
      {"node:2 core:5,3", {"node"}},
      {"node:5 core:1,3,2,4,1", {"node"}},
      {"node:2 socket:2 core:2", {"node", "socket", "socket+node"}},
      {"socket:2 core:4", {"flat", "socket", "socket+node"}},
      {"node:3 socket:2 numa:2 core:2", {"node", "numa", "numa+node", "socket+node", "numa+socket+node"}},
      {"node:3 socket:1,2,1 core:3,1,2,4", {"socket", "socket+node"}},
      {"network:2 node:2 core:4", {"network", "node+network", "node"}},
      {"node:1 socket:2 l3:2 l2:2 core:2", {"l2+l3+node", "l3+socket"}},
      // Hosts that have the device, and some that have none, each by itself.
      {"device:3 node:2,1,1 core:2", {"node", "node+device", "device"}},
      {"device:3 node:3,1,1 core:1", {"node+device", "node+device+network"}},
      {"device:2 node:3,1 socket:2 core:2,1,1,2,1,1,2,1", {"socket+node+device"}},
      {"device:1 node:3 core:2", {"node+device"}},
  };
  return all;
}

struct Climb {
  const Algorithm* algorithm;
  const Machine* machine;
};

void PrintTo(const Climb& subject, std::ostream* out) {
  *out << name_of(subject.algorithm->collective) << " by " << subject.algorithm->name << " on "
       << subject.machine->topology;
}

std::vector<Climb> climbs() {
  std::vector<Climb> climbs;
  for (const Algorithm& algorithm : catalog())
    if (algorithm.follows_hierarchy)
      for (const Machine& machine : machines()) climbs.push_back({&algorithm, &machine});
  return climbs;
}

std::string name_of_climb(const testing::TestParamInfo<Climb>& info) {
  const Algorithm& algorithm = *info.param.algorithm;
  std::string name = std::string(name_of(algorithm.collective)) + "_" + std::string(algorithm.name) + "_" +
                     info.param.machine->topology;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

std::vector<int> rank_counts(int places) {
  std::vector<int> counts;
  for (int ranks = 1; ranks <= std::min(17, places); ++ranks) counts.push_back(ranks);
  if (places > 17) counts.push_back(places);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::erase_if(counts, [&](int ranks) { return ranks % 3 != 2 && ranks != places; });
#endif
  return counts;
}

// Payloads that fit into a line, into all lines but not into one, and just not.
std::vector<Call> calls_to_climb(Collective collective, int ranks) {
  std::set<int> roots{0};
  if (is_rooted(collective)) roots = {0, 1 % ranks, ranks / 2, ranks - 1};
  std::vector<Call> calls;
  for (const int root : roots)
    for (const bool commutative : {true, false}) {
      if (!commutative && !is_reduction(collective)) continue;
      const Bytes element = is_reduction(collective) ? element_of(commutative) : Bytes(1);
      for (const int bytes : {0, 8, 48, 56, 57, 64, 200}) {
        if (collective == Collective::kBarrier && bytes > 0) continue;
        calls.push_back({.collective = collective,
                         .rank_count = ranks,
                         .root = Rank(root),
                         .bytes = element * (bytes / element.value),
                         .element_bytes = element,
                         .commutative = commutative});
      }
    }
  return calls;
}

InPlace placement(Collective collective, std::uint64_t seed) {
  if (collective == Collective::kBarrier || collective == Collective::kBcast) return InPlace::kNobody;
  return static_cast<InPlace>(seed % 3);
}

// Trees of several radices, and exchanges that save rounds, bytes or latency, mixed over the tiers; few
// leaders or all, and fragments of which long messages have several, that travel one by one or together.
Parameters parameters(const Hierarchy& hierarchy, std::uint64_t seed) {
  Parameters parameters{.radix = 2 + static_cast<int>(seed % 2),
                        .fragment = Bytes(16 << seed % 4),
                        .leaders = static_cast<int>(seed % 3),
                        .leader_fragment = Bytes(1 << seed % 7),
                        .leader_aim = seed / 2 % 2 == 0 ? Aim::kRounds : Aim::kBytes,
                        .hierarchy = &hierarchy,
                        .leader = seed % 5 < 3 ? Leader::kLast : Leader::kFixed};
  for (std::size_t tier = 0; tier < parameters.tiers.size(); ++tier) {
    parameters.tiers[tier].radix = (seed + tier) % 3 == 0 ? 4 : 0;
    parameters.tiers[tier].aim = std::array{Aim::kRounds, Aim::kBytes, Aim::kLatency}[(seed / 3 + tier) % 3];
  }
  return parameters;
}

void expect_right(const Algorithm& algorithm, const Call& call, const Hierarchy& hierarchy,
                  std::uint64_t seed) {
  Case c(algorithm, call, parameters(hierarchy, seed), placement(call.collective, seed), seed);
  const bool as_a_chain = stays_in_memory(algorithm, call, parameters(hierarchy, seed)) && seed % 2 == 0;
  for (Schedule& schedule : c.schedules)
    if (as_a_chain) schedule = in_order(std::move(schedule));
  const std::string name = hierarchy.depth() + ": " + c.name();
  ASSERT_EQ(findings_of(c), "") << name;
  const bool disturbed = seed % 4 != 0;
  Network network(
      call.rank_count,
      {.seed = seed, .rendezvous_percent = disturbed ? 50 : 0, .longest_delay = disturbed ? 3 : 0});
  ASSERT_EQ(Runner(network, c.jobs(1)).take_turns(seed), "") << name;
  ASSERT_EQ(c.check(), "") << name;
}

class EveryHierarchy : public testing::TestWithParam<Climb> {};

TEST_P(EveryHierarchy, is_proved_and_gives_the_plain_result) {
  const auto& [algorithm, machine] = GetParam();
  const Topology whole = *Topology::parse(machine->topology);
  std::uint64_t seed = base_seed();
  for (const char* depth : machine->depths)
    for (const int ranks : rank_counts(whole.leaf_count())) {
      const Hierarchy hierarchy = *Hierarchy::make(*whole.with_ranks(ranks), depth);
      for (const Call& call : calls_to_climb(algorithm->collective, ranks)) {
        expect_right(*algorithm, call, hierarchy, ++seed);
        ASSERT_FALSE(HasFailure());
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryHierarchy, testing::ValuesIn(climbs()), name_of_climb);

// Ranks that sit anywhere: groups are not runs of ranks, and operators that do not commute are taken flat.
TEST(Hierarchies, of_ranks_in_any_order_are_proved_and_give_the_plain_result) {
  const std::array wholes{*Topology::parse("node:3 socket:2 core:3"),
                          *Topology::parse("device:2 node:2,1 socket:2 core:3")};
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 40; ++seed) {
    Random random(seed);
    const int ranks = 2 + static_cast<int>(random.below(16));
    std::vector<int> places(18);
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(i);
    for (std::size_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[random.below(i)]);
    places.resize(static_cast<std::size_t>(ranks));
    const bool has_device = seed % 2 != 0;
    const std::string depth =
        std::string(std::array{"node", "socket", "socket+node"}[seed % 3]) + (has_device ? "+device" : "");
    const Hierarchy hierarchy =
        *Hierarchy::make(*wholes[has_device ? 1 : 0].with_ranks(ranks), depth, places);
    for (const Algorithm& algorithm : catalog()) {
      if (!algorithm.follows_hierarchy) continue;
      for (const Call& call : calls_to_climb(algorithm.collective, ranks)) {
        expect_right(algorithm, call, hierarchy, random.next());
        ASSERT_FALSE(HasFailure());
      }
    }
  }
}

}  // namespace
}  // namespace weft::tests
