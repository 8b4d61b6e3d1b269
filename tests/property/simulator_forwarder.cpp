// SPDX-License-Identifier: BSD-3-Clause
// What stands between virtual hosts, in the simulator: one message after the other, at times worked out by
// hand; on cores of its own, on idle ones, and on those of ranks, who lose the time.
#include "support/case.hpp"
#include "support/simulated.hpp"

namespace weft::tests {
namespace {

using simulator::from_ns;

Outcome run(const std::vector<Schedule>& schedules, std::string_view text, const char* nodes,
            const Program& program = one_operation()) {
  const Setting setting{.machine = machine(text)};
  const Topology topology = *Topology::parse(nodes);
  Setting placed = setting;
  placed.topology = &topology;
  std::vector<Scripts> operations;
  operations.push_back(scripts_of(schedules, setting.machine));
  Outcome outcome = simulate(placed, program, operations);
  EXPECT_EQ(outcome.problem, "");
  return outcome;
}

std::vector<Schedule> bcast_of(int ranks, std::int64_t bytes) {
  return schedules_of(Collective::kBcast, "k_nomial",
                      {.collective = Collective::kBcast, .rank_count = ranks, .bytes = Bytes(bytes)}, {});
}

std::vector<Schedule> barrier_of(int ranks) {
  return schedules_of(Collective::kBarrier, "dissemination",
                      {.collective = Collective::kBarrier, .rank_count = ranks}, {});
}

constexpr const char* kTwo = "node:2 core:1";

TEST(Forwarder, takes_its_time_of_a_message_while_the_bytes_come) {
  // o, then 300 + 10 * 2 of the forwarder, L, o; the bytes come meanwhile, or later than that.
  EXPECT_EQ(run(bcast_of(2, 11), "loggops:L=1000,o=100,forward=300,forward_byte=2", kTwo).finish,
            from_ns(100 + 320 + 1000 + 100));
  EXPECT_EQ(run(bcast_of(2, 11), "loggops:L=1000,o=100,G=20,forward=300,forward_byte=2", kTwo).finish,
            from_ns(100 + 320 + 1000 + 100));
  EXPECT_EQ(run(bcast_of(2, 11), "loggops:L=1000,o=100,G=50,forward=300,forward_byte=2", kTwo).finish,
            from_ns(100 + 500 + 1000 + 100));
}

TEST(Forwarder, takes_one_message_after_the_other) {
  const Outcome outcome = run(barrier_of(2), "loggops:L=1000,o=100,forward=300", kTwo);
  EXPECT_EQ(outcome.finished[1], from_ns(100 + 300 + 1000 + 100));
  EXPECT_EQ(outcome.finished[0], from_ns(100 + 300 + 300 + 1000 + 100));
}

TEST(Forwarder, is_woken_by_a_message_that_finds_it_idle) {
  const Outcome outcome = run(barrier_of(2), "loggops:L=1000,o=100,forward=300,forward_wake=50", kTwo);
  EXPECT_EQ(outcome.finished[1], from_ns(100 + 50 + 300 + 1000 + 100));
  EXPECT_EQ(outcome.finished[0], from_ns(100 + 50 + 300 + 300 + 1000 + 100));
}

TEST(Forwarder, takes_requests_and_answers_too) {
  // Three times o, 300, L and o; the message itself has ten bytes more.
  EXPECT_EQ(run(bcast_of(2, 11), "loggops:L=1000,o=100,S=10,forward=300,forward_byte=2", kTwo).finish,
            from_ns(3 * (100 + 300 + 1000 + 100) + 20));
}

TEST(Forwarder, has_nothing_to_do_within_a_node) {
  for (const char* text : {"loggops:L=1000,o=100,forward=300", "loggops:L=1000,o=100,forward=300,cores=1"})
    EXPECT_EQ(run(bcast_of(2, 11), text, "node:1 core:2").finish, from_ns(100 + 1000 + 100));
}

TEST(Forwarder, takes_idle_cores_first) {
  // Both ranks have sent when it begins.
  const Outcome outcome = run(barrier_of(2), "loggops:L=1000,o=100,forward=300,cores=2", kTwo);
  EXPECT_EQ(outcome.finished[1], from_ns(100 + 300 + 1000 + 100));
  EXPECT_EQ(outcome.finished[0], from_ns(100 + 300 + 300 + 1000 + 100));
}

// Rank 0 sends at once and computes until 5100, but for what the forwarder takes; on the same core rank 1
// begins when that is over, and has the message before it.
TEST(Forwarder, takes_the_time_of_a_rank_that_computes) {
  const Program program{.steps = {start(), compute(from_ns(5000)), wait_for()}, .repetitions = 1};
  const Outcome outcome = run(bcast_of(2, 1), "loggops:L=1000,o=100,forward=300,cores=1", kTwo, program);
  EXPECT_EQ(outcome.finished[0], from_ns(100 + 5000 + 300));
  EXPECT_EQ(outcome.finished[1], from_ns(5400 + 100 + 5000));
}

// Six messages of which none takes less than its time: all that cores do together is no less than that.
TEST(Forwarder, shares_one_core_with_all_ranks) {
  const Outcome outcome = run(barrier_of(3), "loggops:L=1,o=100,forward=300,cores=1", "node:3 core:1");
  EXPECT_GE(outcome.finish, from_ns(6 * (100 + 300 + 100)));
}

TEST(Forwarder, has_a_core_of_its_own_where_there_are_enough) {
  for (const char* nodes : {"node:3 core:1", "node:1 core:3", "node:3 core:2"}) {
    const int ranks = nodes == std::string_view("node:3 core:2") ? 6 : 3;
    for (const std::int64_t bytes : {8, 800}) {
      const std::string text = "loggops:L=1000,o=100,G=1,S=100,forward=300,forward_byte=2";
      EXPECT_EQ(run(bcast_of(ranks, bytes), text + ",cores=" + std::to_string(ranks + 1), nodes).finished,
                run(bcast_of(ranks, bytes), text, nodes).finished);
    }
  }
}

}  // namespace
}  // namespace weft::tests
