// SPDX-License-Identifier: BSD-3-Clause
// The simulator's parts: its queue and its noise do what the plainest ones do, distances are those of the
// topology, and machines survive being written.
#include <algorithm>

#include "base/random.hpp"
#include "executor/simulator/distance.hpp"
#include "executor/simulator/event_queue.hpp"
#include "support/case.hpp"
#include "support/simulated.hpp"

namespace weft::tests {
namespace {

using simulator::Event;
using simulator::EventQueue;
using simulator::Interruption;
using simulator::Noise;

TEST(EventQueue, gives_events_by_time_and_of_one_time_in_the_order_in_which_they_came) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 200; ++seed) {
    Random random(seed);
    const std::uint64_t spread = std::uint64_t{1} << random.below(40);
    std::map<std::pair<Time, std::uint32_t>, bool> reference;
    EventQueue queue;
    Time now;
    std::uint32_t next = 0;
    for (int i = 0; i < 2000; ++i) {
      if (reference.empty() || random.chance(i < 1500 ? 55 : 20)) {
        const Time at = now + Time(static_cast<std::int64_t>(random.chance(30) ? 0 : random.below(spread)));
        queue.push({.at = at, .rank = next});
        reference[{at, next++}] = true;
      } else {
        const Event event = queue.pop();
        ASSERT_EQ(std::pair(event.at, event.rank), reference.begin()->first) << "seed " << seed;
        reference.erase(reference.begin());
        now = event.at;
      }
      ASSERT_EQ(queue.empty(), reference.empty());
    }
  }
}

// Step by step.
Time end_step_by_step(const std::vector<bool>& is_interrupted, std::int64_t phase, std::int64_t begin,
                      std::int64_t work) {
  const auto length = static_cast<std::int64_t>(is_interrupted.size());
  std::int64_t at = begin;
  for (; work > 0; ++at)
    if (!is_interrupted[static_cast<std::size_t>((at + phase) % length)]) --work;
  return Time(at);
}

// The phase is the noise's own affair; there is one that explains everything.
TEST(Noise, is_what_a_processor_loses_step_by_step) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 300; ++seed) {
    Random random(seed);
    const auto length = static_cast<std::int64_t>(2 + random.below(40));
    std::vector<bool> is_interrupted(static_cast<std::size_t>(length), false);
    std::vector<Interruption> trace;
    for (std::int64_t at = 0; at < length - 1;) {
      const std::int64_t duration =
          std::min<std::int64_t>(static_cast<std::int64_t>(1 + random.below(4)), length - 1 - at);
      if (random.chance(40)) {
        trace.push_back({Time(at), Time(duration)});
        std::fill_n(is_interrupted.begin() + at, duration, true);
      }
      at += duration;
    }
    if (trace.empty()) continue;
    const bool is_regular = random.chance(20);
    if (is_regular) {
      trace.resize(1);
      trace[0].begin = Time(0);
      std::fill(is_interrupted.begin(), is_interrupted.end(), false);
      std::fill_n(is_interrupted.begin(), trace[0].duration.value, true);
    }
    const Noise noise = is_regular ? Noise::regular(Time(length), trace[0].duration, seed)
                                   : Noise::traced(trace, Time(length), seed);
    for (const int rank : {0, 1, 77}) {
      const auto is_explained_by = [&](std::int64_t phase) {
        for (std::int64_t begin = 0; begin < 2 * length; ++begin)
          for (std::int64_t work = 0; work < 3 * length; work += work < 5 ? 1 : 7)
            if (noise.end_of(rank, Time(begin), Time(work)) !=
                end_step_by_step(is_interrupted, phase, begin, work))
              return false;
        return true;
      };
      std::int64_t phase = 0;
      while (phase < length && !is_explained_by(phase)) ++phase;
      ASSERT_LT(phase, length) << "seed " << seed;
    }
  }
}

TEST(Noise, comes_to_each_rank_at_times_of_its_own) {
  const Noise noise = Noise::regular(Time(1'000'000), Time(1000), 3);
  std::map<Time, int> ends;
  for (int rank = 0; rank < 100; ++rank) ++ends[noise.end_of(rank, Time(0), Time(300'000))];
  EXPECT_GT(ends[Time(301'000)], 10);
  EXPECT_GT(ends[Time(300'000)], 50);
}

TEST(Distances, are_those_of_the_topology) {
  for (const char* text : {"node:4 socket:2 core:2", "node:2 core:5,3", "network:2 node:2 core:4", "core:6",
                           "node:3 socket:1,2,1 core:3,1,2,4", "device:3 node:2,1,1 core:2"}) {
    const Topology topology = *Topology::parse(text);
    const simulator::Distance distance(&topology, true);
    for (int a = 0; a < topology.leaf_count(); ++a) {
      for (int b = 0; b < topology.leaf_count(); ++b)
        EXPECT_EQ(distance.nearest(a, b), topology.nearest(Rank(a), Rank(b))) << text;
      for (const auto& node : topology.groups(Level::kNode)) {
        const bool is_in = std::find(node.begin(), node.end(), Rank(a)) != node.end();
        const int first = topology.root() == Level::kNetwork ? node.front().value : a;
        if (is_in) {
          EXPECT_EQ(distance.adapter_of(static_cast<std::uint32_t>(a)), static_cast<std::uint32_t>(first));
        }
      }
    }
  }
}

TEST(Machines, are_the_same_once_they_are_written_and_read) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 300; ++seed) {
    Random random(seed);
    Machine one = random_machine(random);
    for (std::size_t level = 1; level < kLevels.size(); ++level)
      if (random.chance(60)) {
        one.links[level] = one.links[level - 1];
        one.memory[level] = one.memory[level - 1];
      }
    if (random.chance(50))
      one.links[random.below(8)].eager = Bytes(static_cast<std::int64_t>(random.below(1 << 20)));
    one.adapter_per_node = random.chance(50);
    one.start_per_rank = some_ns(random, 9);
    one.test_per_operation = some_ns(random, 9);
    one.spin = some_ns(random, 9);
    one.spin_per_rank = some_ns(random, 9);
    one.forward = some_ns(random, 9);
    one.forward_wake = some_ns(random, 9);
    one.forward_per_byte = some_ns(random, 9);
    if (random.chance(50)) {
      one.cores = static_cast<int>(1 + random.below(64));
      one.cores_of = kLevels[random.below(kLevels.size())];
    }
    const auto other = Machine::parse(one.text());
    ASSERT_TRUE(other) << other.error();
    EXPECT_EQ(*other, one) << one.text();
  }
  EXPECT_EQ(machine("loggops:L=2500,G=0.04,S=64K;node:L=300").text(),
            "loggops:L=2500,G=0.04,S=65536;node:L=300");
  EXPECT_EQ(machine("loggops:L=1,S=1M;node:S=4;socket:S=8").eager(), Bytes(4));
}

TEST(Machines, say_what_is_wrong_with_their_text) {
  const std::vector<std::pair<std::string, std::string>> all{
      {"logp:L=1", "use loggops:L=…,o=…,g=…,G=…, or the name of a machine file"},
      {"loggops:L", "use KEY=VALUE, as in L=2500"},
      {"loggops:L=1,", "use KEY=VALUE, as in L=2500"},
      {"loggops:L=x", "use a number of ns from 0 to 1e9, as in L=2500 or G=0.04"},
      {"loggops:L=-1", "use a number of ns from 0 to 1e9, as in L=2500 or G=0.04"},
      {"loggops:L=2e9", "use a number of ns from 0 to 1e9, as in L=2500 or G=0.04"},
      {"loggops:L=nan", "use a number of ns from 0 to 1e9, as in L=2500 or G=0.04"},
      {"loggops:S=1.5", "use a number of bytes up to 2^40, as in S=65535 or S=64K"},
      {"loggops:S=1G", "use a number of bytes up to 2^40, as in S=65535 or S=64K"},
      {"loggops:S=1048577M", "use a number of bytes up to 2^40, as in S=65535 or S=64K"},
      {"loggops:S=-1", "use a number of bytes up to 2^40, as in S=65535 or S=64K"},
      {"loggops:nic=board", "use nic=node or nic=rank"},
      {"loggops:cores=0", "use a number from 1 to 65536, or leave it out"},
      {"loggops:cores=2.5", "use a number from 1 to 65536, or leave it out"},
      {"loggops:cores=1;node:cores=2", "cores stand at one level: that whose parts share them"},
      {"loggops:L=1;node:switch=2", "this is of the whole machine: write it before the first level"},
      {"loggops:L=1;node:spin=2", "this is of the whole machine: write it before the first level"},
      {"loggops:L=1;node:forward=2", "this is of the whole machine: write it before the first level"},
      {"loggops:L=1,forward=-2", "use a number of ns from 0 to 1e9, as in L=2500 or G=0.04"},
      {"loggops:L=1;node:nic=node", "this is of the whole machine: write it before the first level"},
      {"loggops:L=1;node:wake=1", "this is of the whole machine: write it before the first level"},
      {"loggops:q=1",
       "there is no such parameter; there are S, nic, cores, L, o, g, G, O, l, c, gamma, wake"},
      {"loggops:L=1;board:o=1", "use a level and its parameters, as in node:L=300,o=100"},
      {"loggops:L=1;node", "use a level and its parameters, as in node:L=300,o=100"},
      {"loggops:L=1;network:o=1", "use a level and its parameters, as in node:L=300,o=100"},
      {"loggops:L=1;node:o=1;node:L=2", "this level is there twice: write its parameters into one part"},
      {"loggops:L=1,o=2,L=3", "this parameter is there twice: write it once"},
      {"loggops:L=1;node:o=1,o=1", "this parameter is there twice: write it once"},
      {"loggops:", "it does not say what anything costs: give L at least"},
      {"loggops:S=64K;node:cores=2", "it does not say what anything costs: give L at least"}};
  for (const auto& [text, why] : all) {
    const auto parsed = Machine::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().find(" in a machine: " + why), std::string::npos)
        << text << ": " << parsed.error();
  }
}

TEST(Machines, say_in_what_a_parameter_is_given) {
  EXPECT_EQ(*Machine::unit_of("L"), "ns");
  EXPECT_EQ(*Machine::unit_of("gamma"), "ns_per_byte");
  EXPECT_EQ(*Machine::unit_of("forward"), "ns");
  EXPECT_EQ(*Machine::unit_of("forward_byte"), "ns_per_byte");
  EXPECT_EQ(*Machine::unit_of("S"), "bytes");
  EXPECT_EQ(*Machine::unit_of("cores"), "is");
  EXPECT_FALSE(Machine::unit_of("Q"));
}

}  // namespace
}  // namespace weft::tests
