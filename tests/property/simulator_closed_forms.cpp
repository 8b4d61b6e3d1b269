// SPDX-License-Identifier: BSD-3-Clause
// Algorithms end when the formulas of the literature say, to the picosecond, under the model of machine.hpp;
// all others when the plainest simulation of that model says.
#include "support/reference_simulator.hpp"

namespace weft::tests {
namespace {

Outcome simulated(const std::vector<Schedule>& schedules, const Machine& machine, Bytes signal_bytes = {}) {
  std::vector<Scripts> operations;
  operations.push_back(scripts_of(schedules, machine));
  const Setting setting{.machine = machine, .signal_bytes = signal_bytes};
  Outcome outcome = simulate(setting, one_operation(), operations);
  EXPECT_EQ(outcome.problem, "");
  return outcome;
}

// What a formula does not have, copies and calls, costs nothing.
Machine random_network(Random& random) {
  Machine machine = random_machine(random);
  for (auto& memory : machine.memory) memory = {};
  machine.start = Time(0);
  return machine;
}

Call call_of(Collective collective, int ranks, Bytes bytes, int root = 0) {
  return {.collective = collective,
          .rank_count = ranks,
          .root = Rank(root),
          .bytes = bytes,
          .element_bytes = is_reduction(collective) ? Bytes(8) : Bytes(1),
          .commutative = true};
}

int rounds_of(int ranks, int radix) {
  int rounds = 0;
  for (std::int64_t reach = 1; reach < ranks; reach *= radix) ++rounds;
  return rounds;
}

// Rounds of one message each, the same on all ranks: each begins when the one before is over, or, later, when
// the adapter is free.
Time equal_rounds(const Letters& x, int rounds, Time work = {}) {
  if (rounds == 0) return Time(0);
  return x.h + work + std::max(x.h + work, x.d) * (rounds - 1);
}

// And of several messages: the same on all ranks, who send and receive them in the same order.
Time equal_rounds(const Letters& x, const std::vector<int>& messages) {
  Time processor, sends, receives;
  for (const int count : messages) {
    std::vector<Time> leaves;
    for (int m = 0; m < count; ++m) {
      processor += x.o;
      leaves.push_back(std::max(processor, sends));
      sends = leaves.back() + x.d;
    }
    for (const Time left : leaves) {
      const Time begins = std::max(left + x.latency, receives);
      receives = begins + x.d;
      processor = std::max(processor, begins + x.bytes) + x.o;
    }
  }
  return processor;
}

const std::vector<int>& rank_counts() {
  static const std::vector<int> counts{1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64, 100, 257};
  return counts;
}

TEST(ClosedForms, the_example_of_the_specification_ends_at_55420_ns) {
  const Machine network = machine("loggops:L=2500,o=1500,g=1000,G=6,S=65535");
  const auto barrier =
      schedules_of(Collective::kBarrier, "dissemination", call_of(Collective::kBarrier, 1024, Bytes(0)), {});
  EXPECT_EQ(simulated(barrier, network, Bytes(8)).finish, simulator::from_ns(55420));
  const auto doubling = schedules_of(Collective::kAllreduce, "recursive_k_ing",
                                     call_of(Collective::kAllreduce, 1024, Bytes(8)), {});
  EXPECT_EQ(simulated(doubling, network).finish, simulator::from_ns(55420));
}

TEST(ClosedForms, dissemination_takes_its_rounds_one_after_the_other) {
  Random random(base_seed());
  for (const int ranks : rank_counts())
    for (const int radix : {2, 3, 4, 5, 8}) {
      const Machine network = random_network(random);
      const Bytes signal(static_cast<std::int64_t>(random.below(20)));
      const auto schedules = schedules_of(Collective::kBarrier, "dissemination",
                                          call_of(Collective::kBarrier, ranks, Bytes(0)), {.radix = radix});
      std::vector<int> messages;
      for (int reach = 1; reach < ranks; reach *= radix)
        messages.push_back(std::min(radix - 1, (ranks - 1) / reach));
      const Outcome outcome = simulated(schedules, network, signal);
      const Time wanted = equal_rounds(Letters(network, signal), messages);
      EXPECT_EQ(outcome.finish, wanted) << ranks << " ranks, radix " << radix;
      for (const Time finished : outcome.finished) EXPECT_EQ(finished, wanted);
      if (radix == 2) { EXPECT_EQ(wanted, equal_rounds(Letters(network, signal), rounds_of(ranks, 2))); }
    }
}

TEST(ClosedForms, recursive_doubling_takes_log_n_rounds_and_reductions) {
  Random random(base_seed());
  for (const int ranks : {1, 2, 4, 8, 32, 128})
    for (const std::int64_t bytes : {8, 24, 4096}) {
      Machine network = random_network(random);
      for (auto& memory : network.memory) memory.reduce_per_byte = Time(137);
      const auto schedules = schedules_of(Collective::kAllreduce, "recursive_k_ing",
                                          call_of(Collective::kAllreduce, ranks, Bytes(bytes)), {});
      EXPECT_EQ(simulated(schedules, network).finish,
                equal_rounds(Letters(network, Bytes(bytes)), rounds_of(ranks, 2), Time(137 * bytes)))
          << ranks << " ranks, " << bytes << " bytes";
    }
}

TEST(ClosedForms, recursive_k_ing_takes_log_k_n_rounds_of_k_less_one_messages) {
  Random random(base_seed());
  for (const int radix : {2, 3, 4, 5, 8})
    for (int ranks = 1, rounds = 0; ranks <= 256; ranks *= radix, ++rounds)
      for (const Collective collective : {Collective::kBarrier, Collective::kAllreduce}) {
        const Machine network = random_network(random);
        const Bytes signal(static_cast<std::int64_t>(random.below(20))), bytes(8 * (1 + random.below(200)));
        const bool is_barrier = collective == Collective::kBarrier;
        const auto schedules =
            schedules_of(collective, "recursive_k_ing",
                         call_of(collective, ranks, is_barrier ? Bytes(0) : bytes), {.radix = radix});
        const std::vector<int> messages(static_cast<std::size_t>(rounds), radix - 1);
        EXPECT_EQ(simulated(schedules, network, signal).finish,
                  equal_rounds(Letters(network, is_barrier ? signal : bytes), messages))
            << name_of(collective) << " of " << ranks << " ranks, radix " << radix;
      }
}

TEST(ClosedForms, a_ring_takes_a_round_less_than_there_are_ranks) {
  Random random(base_seed());
  for (const int ranks : rank_counts()) {
    const Machine network = random_network(random);
    const Bytes bytes(static_cast<std::int64_t>(1 + random.below(5000)));
    const auto schedules =
        schedules_of(Collective::kAllgather, "ring", call_of(Collective::kAllgather, ranks, bytes), {});
    EXPECT_EQ(simulated(schedules, network).finish, equal_rounds(Letters(network, bytes), ranks - 1));
  }
}

TEST(ClosedForms, a_pairwise_exchange_is_one_round_of_many_messages) {
  Random random(base_seed());
  for (const int ranks : rank_counts()) {
    const Machine network = random_network(random);
    const Bytes bytes(static_cast<std::int64_t>(1 + random.below(5000)));
    const auto schedules = schedules_of(Collective::kAlltoall, "pairwise",
                                        call_of(Collective::kAlltoall, ranks, bytes), {.window = 1000});
    EXPECT_EQ(simulated(schedules, network).finish,
              equal_rounds(Letters(network, bytes), std::vector<int>{ranks - 1}));
  }
}

// All that comes to the root arrives at once: its adapter, or its processor, takes one after the other.
TEST(ClosedForms, a_linear_gather_waits_for_the_roots_adapter_or_processor) {
  Random random(base_seed());
  for (const int ranks : rank_counts()) {
    if (ranks == 1) continue;
    const Machine network = random_network(random);
    const Bytes bytes(static_cast<std::int64_t>(1 + random.below(5000)));
    const Letters x(network, bytes);
    const auto schedules = schedules_of(
        Collective::kGather, "linear",
        call_of(Collective::kGather, ranks, bytes, static_cast<int>(random.below(3)) % ranks), {});
    EXPECT_EQ(simulated(schedules, network).finish, x.h + std::max(x.d, x.o) * (ranks - 2));
  }
}

TEST(ClosedForms, a_linear_scatter_leaves_the_root_as_fast_as_its_adapter_and_processor_can) {
  Random random(base_seed());
  for (const int ranks : rank_counts()) {
    if (ranks == 1) continue;
    const Machine network = random_network(random);
    const Bytes bytes(static_cast<std::int64_t>(1 + random.below(5000)));
    const Letters x(network, bytes);
    const auto schedules = schedules_of(
        Collective::kScatter, "linear",
        call_of(Collective::kScatter, ranks, bytes, static_cast<int>(random.below(3)) % ranks), {});
    EXPECT_EQ(simulated(schedules, network).finish, x.h + std::max(x.d, x.o) * (ranks - 2));
  }
}

// A rank that gets the message sends it on, child after child; each child has one parent, so that nothing
// waits for a receiver.
Time tree_end(const std::vector<std::vector<int>>& children, const Letters& x, int rank, Time has_it) {
  Time end = has_it, processor = has_it, sends;
  for (const int child : children[static_cast<std::size_t>(rank)]) {
    processor += x.o;
    const Time leaves = std::max(processor, sends);
    sends = leaves + x.d;
    end = std::max({end, processor, tree_end(children, x, child, leaves + x.latency + x.bytes + x.o)});
  }
  return end;
}

// The ranks whose number, seen from the root, has one more digit, of those in order; and has it in front.
std::vector<std::vector<int>> binomial_children(int ranks, int root) {
  std::vector<std::vector<int>> children(static_cast<std::size_t>(ranks));
  for (int from = 0; from < ranks; ++from)
    for (int bit = 1; bit < ranks; bit *= 2)
      if (from < bit && from + bit < ranks)
        children[static_cast<std::size_t>((from + root) % ranks)].push_back((from + bit + root) % ranks);
  return children;
}

TEST(ClosedForms, a_binomial_bcast_ends_when_its_tree_does) {
  Random random(base_seed());
  for (const int ranks : rank_counts()) {
    const Machine network = random_network(random);
    const Bytes bytes(static_cast<std::int64_t>(1 + random.below(5000)));
    const int root = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
    const auto schedules =
        schedules_of(Collective::kBcast, "k_nomial", call_of(Collective::kBcast, ranks, bytes, root), {});
    EXPECT_EQ(simulated(schedules, network).finish,
              tree_end(binomial_children(ranks, root), Letters(network, bytes), root, Time(0)))
        << ranks << " ranks";
  }
  // Where sending is all that costs: a round per bit.
  const auto tree =
      schedules_of(Collective::kBcast, "k_nomial", call_of(Collective::kBcast, 1024, Bytes(1)), {});
  EXPECT_EQ(simulated(tree, machine("loggops:L=10,o=5")).finish, simulator::from_ns(10 * 20));
}

TEST(ClosedForms, a_long_message_waits_for_its_request_and_the_answer) {
  Random random(base_seed());
  for (int i = 0; i < 50; ++i) {
    Machine network = random_network(random);
    network.links[0].eager = Bytes(99);
    const Time o = network.links[0].overhead, latency = network.links[0].latency;
    for (const std::int64_t bytes : {99, 100}) {
      const auto schedules =
          schedules_of(Collective::kBcast, "k_nomial", call_of(Collective::kBcast, 2, Bytes(bytes)), {});
      const Outcome outcome = simulated(schedules, network);
      const Letters x(network, Bytes(bytes));
      const Time trips = bytes > 99 ? 2 * (2 * o + latency) : Time(0);
      EXPECT_EQ(outcome.finish, trips + x.h);
      // The sender may use its buffer again when the bytes have left.
      EXPECT_EQ(outcome.finished[0], trips + x.o + (bytes > 99 ? x.bytes : Time(0)));
    }
  }
}

// Any radix, number of ranks, and pattern: whoever is early or late, waits for an adapter, or for an answer.
TEST(ClosedForms, all_algorithms_end_when_the_plainest_simulation_says) {
  std::uint64_t seed = base_seed();
  for (const Algorithm& algorithm : catalog()) {
    if (algorithm.within_node) continue;
    for (const int ranks : {2, 3, 4, 6, 9, 12, 16, 27, 31}) {
      Random random(++seed);
      const Bytes bytes(algorithm.collective == Collective::kBarrier ? 0 : 8 * (1 + random.below(200)));
      const Call call = call_of(algorithm.collective, ranks, bytes,
                                is_rooted(algorithm.collective) ? static_cast<int>(random.below(2)) : 0);
      if (!algorithm.eligible(call)) continue;
      Machine network = random_machine(random);
      network.start = Time(0);
      if (random.chance(40)) network.links[0].eager = Bytes(static_cast<std::int64_t>(random.below(2000)));
      const auto schedules =
          schedules_of(algorithm.collective, algorithm.name, call,
                       {.radix = 2 + static_cast<int>(random.below(4)), .window = 3, .fragment = Bytes(512)});
      const std::vector<Time> wanted = ReferenceSimulator(schedules, network, Bytes(5)).finish();
      for (auto& link : network.links) link = network.links[0];
      EXPECT_EQ(simulated(schedules, network, Bytes(5)).finished, wanted)
          << name_of(algorithm.collective) << " by " << algorithm.name << ", " << ranks << " ranks, seed "
          << seed;
    }
  }
}

}  // namespace
}  // namespace weft::tests
