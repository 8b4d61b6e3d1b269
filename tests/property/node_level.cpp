// SPDX-License-Identifier: BSD-3-Clause
// Node-level tasks: ranks that share memory combine without messages; leaders join nodes with messages.
// The schedules are written by hand, as the node engine's builders will write them.
#include <functional>
#include <gtest/gtest.h>

#include "executor/verifier/verify.hpp"
#include "support/case.hpp"

namespace weft::tests {
namespace {

// Everybody puts its value into its slot, and after the exchange folds all slots in rank order.
//
//   slot 0 | slot 1 | slot 2 | slot 3        v0 (+) (v1 (+) (v2 (+) v3)) on each
void exchange_allreduce(Builder& b) {
  std::vector<Rank> everybody;
  for (int rank = 0; rank < b.rank_count(); ++rank) everybody.emplace_back(rank);
  const GroupId group = b.group(everybody);
  const Range lines = b.lines(group);
  const auto slot = [&](int rank) { return lines.part(kLineStride * rank, b.bytes()); };
  b.copy(b.contribution(), slot(b.self()));
  b.exchange(lines, group);
  b.copy(slot(b.rank_count() - 1), b.output());
  for (int rank = b.rank_count() - 2; rank >= 0; --rank) b.reduce(slot(rank), b.output());
}

// Nodes of `size` ranks: the leader folds its node's slots, leaders exchange by messages, and publish.
//
//   slots of a node:  v0 | v1 | … | result
void leaders_allreduce(Builder& b, int size) {
  const int leader = b.self() / size * size;
  std::vector<Rank> node;
  for (int rank = leader; rank < leader + size; ++rank) node.emplace_back(rank);
  const GroupId group = b.group(node);
  const Range lines = b.lines(group);
  const Range result = b.shared(group, b.bytes());
  const auto slot = [&](int place) { return lines.part(kLineStride * place, b.bytes()); };
  b.copy(b.contribution(), slot(b.self() - leader));
  b.fan_in(lines, group, 0);
  if (b.self() == leader) {
    const int nodes = b.rank_count() / size;
    const Range sums = b.scratch(b.bytes() * nodes);
    const auto sum = [&](int of) { return sums.part(b.bytes() * of, b.bytes()); };
    b.copy(slot(size - 1), sum(leader / size));
    for (int place = size - 2; place >= 0; --place) b.reduce(slot(place), sum(leader / size));
    for (int other = 0; other < nodes; ++other)
      if (other != leader / size) {
        b.recv(other * size, sum(other));
        b.send(other * size, sum(leader / size));
      }
    b.copy(sum(nodes - 1), result);
    for (int of = nodes - 2; of >= 0; --of) b.reduce(sum(of), result);
  }
  b.fan_out(lines, group, 0, result);
  b.copy(result, b.output());
}

// Runs a hand-written allreduce on affine maps, which do not commute.
void expect_allreduce(int ranks, const std::function<void(Builder&)>& write, bool threads) {
  const Call call{.collective = Collective::kAllreduce,
                  .rank_count = ranks,
                  .bytes = Bytes(48),
                  .element_bytes = Bytes(16),
                  .commutative = false};
  const Algorithm& any = **find_algorithm(Collective::kAllreduce, "recursive_k_ing");
  for (std::uint64_t seed = base_seed(); seed < base_seed() + (threads ? 10 : 100); ++seed) {
    Case c(any, call, {}, seed % 2 ? InPlace::kNobody : InPlace::kSome, seed);
    for (Schedule& schedule : c.schedules) {
      Builder builder(call, schedule.self, schedule.in_place);
      write(builder);
      schedule = std::move(builder).finish("by hand");
    }
    const Report report = verify(c.schedules);
    ASSERT_TRUE(report.proved()) << report.findings.front().message;
    Network network(ranks, {.seed = seed, .rendezvous_percent = 50, .longest_delay = 3});
    Runner runner(network, c.jobs(seed));
    ASSERT_EQ(threads ? runner.run_threads(seed) : runner.take_turns(seed), "") << "seed " << seed;
    ASSERT_EQ(c.check(), "") << "seed " << seed;
  }
}

TEST(NodeLevel, exchange_of_a_group) {
  for (const int ranks : {1, 2, 4, 7}) expect_allreduce(ranks, exchange_allreduce, false);
}

TEST(NodeLevel, fan_in_and_fan_out_at_a_leader) {
  for (const int ranks : {1, 2, 4, 7})
    expect_allreduce(
        ranks, [&](Builder& b) { leaders_allreduce(b, ranks); }, false);
}

TEST(NodeLevel, groups_joined_by_messages_between_leaders) {
  for (const int nodes : {2, 3})
    expect_allreduce(
        4 * nodes, [](Builder& b) { leaders_allreduce(b, 4); }, false);
}

TEST(NodeLevel, runs_on_threads) {
  expect_allreduce(4, exchange_allreduce, true);
  expect_allreduce(
      6, [](Builder& b) { leaders_allreduce(b, 3); }, true);
}

}  // namespace
}  // namespace weft::tests
