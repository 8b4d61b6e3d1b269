// SPDX-License-Identifier: BSD-3-Clause
// The node engine on ranks that are threads: whatever is under way at the same time, in however few slots,
// every operation gives the plain result.
#include <gtest/gtest.h>
#include <map>
#include <thread>

#include "executor/processor/operation.hpp"
#include "node/over_node.hpp"
#include "node/port.hpp"
#include "support/case.hpp"
#include "transform/in_order.hpp"

namespace weft::tests {
namespace {

using NodeTransport = node::OverNode<InProcess>;

struct Shape {
  int ranks;
  int slots;
  int outstanding;  // operations that a rank starts before it waits for the oldest
};

// The area, in memory of this process.
class SharedMemory {
 public:
  explicit SharedMemory(const node::AreaShape& shape)
      : memory_(static_cast<std::size_t>(shape.size().value) + 4096), shape_(shape) {}
  node::Area area() {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory_.data());
    return {memory_.data() + (4096 - begin % 4096), shape_};
  }

 private:
  std::vector<std::byte> memory_;
  node::AreaShape shape_;
};

// One rank's life: operations start in order, each when there is room; they end in any order.
class Member {
 public:
  Member(Network& network, const node::Area& area, int rank, std::uint64_t seed)
      : transport_(network, Rank(rank)), port_(area, rank), random_(seed) {}

  void start(const Job& job) {
    auto operation = std::make_unique<Operation<NodeTransport>>(*job.schedule);
    const node::Turn turn = port_.next_turn(operation->pending().steps().usage());
    flights_.push_back({std::move(operation), job.binding, turn, State::kQueued});
    progress();
  }

  void progress() {
    for (Flight& flight : flights_) {
      if (random_.chance(20)) std::this_thread::yield();
      if (flight.state == State::kQueued && !take_off(flight)) break;  // later ones wait for it
      if (flight.state != State::kFlying) continue;
      settle(flight, flight.operation->progress(transport_));
    }
  }

  void wait_until_at_most(std::size_t outstanding) {
    for (;;) {
      std::erase_if(flights_, [](const Flight& flight) { return flight.state == State::kLanded; });
      if (flights_.size() <= outstanding) return;
      progress();
      std::this_thread::yield();
    }
  }

  bool failed() const { return failed_; }

 private:
  enum class State { kQueued, kFlying, kLanded };
  struct Flight {
    std::unique_ptr<Operation<NodeTransport>> operation;
    Binding binding;
    node::Turn turn;
    State state;
  };

  bool take_off(Flight& flight) {
    auto& pending = flight.operation->pending();
    if (!port_.may_start(flight.turn)) return false;
    flight.binding.shared = pending.attach(port_.area(), flight.turn);
    flight.state = State::kFlying;
    settle(flight, flight.operation->start(transport_, flight.binding));
    return true;
  }
  void settle(Flight& flight, Progress progress) {
    if (progress == Progress::kPending) return;
    failed_ |= progress == Progress::kFailed;
    port_.consume(flight.turn.operation);
    flight.state = State::kLanded;
  }

  NodeTransport transport_;
  node::Port port_;
  Random random_;
  std::vector<Flight> flights_;
  bool failed_ = false;
};

std::vector<const Algorithm*> node_algorithms() {
  std::vector<const Algorithm*> found;
  for (const Algorithm& algorithm : catalog())
    if (algorithm.within_node || algorithm.follows_hierarchy) found.push_back(&algorithm);
  return found;
}

// All in memory: two sockets, of which the first may have one rank more.
const Hierarchy& sockets_of(int ranks) {
  static std::map<int, Hierarchy> made;
  const auto known = made.find(ranks);
  if (known != made.end()) return known->second;
  const auto topology = Topology::parse("socket:2 core:" + std::to_string((ranks + 1) / 2));
  return made.emplace(ranks, *Hierarchy::make(*topology->with_ranks(ranks), "socket+node")).first->second;
}

Case random_case(int ranks, Random& random) {
  const auto algorithms = node_algorithms();
  const Algorithm& algorithm = *algorithms[random.below(algorithms.size())];
  const bool commutative = random.chance(50);
  const Bytes element = is_reduction(algorithm.collective) ? element_of(commutative) : Bytes(1);
  // In lines, and in rooms of every size.
  const auto longest = static_cast<std::uint64_t>(Bytes(4000) / element);
  const auto count = static_cast<std::int64_t>(random.below(random.chance(30) ? longest : 40));
  const Call call{.collective = algorithm.collective,
                  .rank_count = ranks,
                  .root = Rank(is_rooted(algorithm.collective)
                                   ? static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)))
                                   : 0),
                  .bytes = algorithm.collective == Collective::kBarrier ? Bytes(0) : element * count,
                  .element_bytes = element,
                  .commutative = commutative || !is_reduction(algorithm.collective)};
  Parameters parameters{.fragment = Bytes(128),
                        .pair_fragment = Bytes(random.chance(50) ? 512 : 0),
                        .leader = random.chance(70) ? Leader::kLast : Leader::kFixed};
  if (algorithm.follows_hierarchy) parameters.hierarchy = &sockets_of(ranks);
  Case made(algorithm, call, parameters, InPlace::kNobody, random.next());
  for (Schedule& schedule : made.schedules)
    if (message_count(schedule) == 0) schedule = in_order(std::move(schedule));
  return made;
}

class NodeEngine : public testing::TestWithParam<Shape> {};

TEST_P(NodeEngine, operations_under_way_together_give_the_plain_results) {
  const Shape shape = GetParam();
  constexpr int kOperations = 60;
  Random random(base_seed());
  std::vector<Case> cases;
  for (int i = 0; i < kOperations; ++i) cases.push_back(random_case(shape.ranks, random));
  SharedMemory memory({.members = shape.ranks, .slots = shape.slots, .rank_bytes = Bytes(64 << 10)});
  Network network(shape.ranks);
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int rank = 0; rank < shape.ranks; ++rank)
    threads.emplace_back([&, rank, seed = random.next()] {
      Member life(network, memory.area(), rank, seed);
      Channel own{};  // of each operation: messages of those under way together shall not be mixed up
      for (Case& c : cases) {
        life.start(c.jobs(++own)[static_cast<std::size_t>(rank)]);
        life.wait_until_at_most(static_cast<std::size_t>(shape.outstanding));
      }
      life.wait_until_at_most(0);
      failures += life.failed();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  for (const Case& c : cases) EXPECT_EQ(c.check(), "") << c.name();
}

INSTANTIATE_TEST_SUITE_P(Shapes, NodeEngine,
                         testing::Values(Shape{2, 16, 0}, Shape{2, 64, 70}, Shape{3, 1, 0}, Shape{3, 1, 10},
                                         Shape{4, 2, 5}, Shape{5, 8, 8}, Shape{8, 4, 30}, Shape{8, 64, 30}),
                         [](const auto& info) {
                           return std::to_string(info.param.ranks) + "_ranks_" +
                                  std::to_string(info.param.slots) + "_slots_" +
                                  std::to_string(info.param.outstanding) + "_outstanding";
                         });

// More steps than one block of arrivals has (see Turn), between operations that have few.
TEST(NodeEngineSteps, may_be_more_than_a_block_of_arrivals) {
  constexpr int kRanks = 2;
  const Algorithm& pipeline = **find_algorithm(Collective::kBcast, "pipeline");
  SharedMemory memory({.members = kRanks, .slots = 2, .rank_bytes = Bytes(1024)});
  Network network(kRanks);
  std::vector<Case> cases;
  for (const int bytes : {10, 40000, 10, 20000, 100}) {
    const Call call{.collective = Collective::kBcast, .rank_count = kRanks, .bytes = Bytes(bytes)};
    cases.emplace_back(pipeline, call, Parameters{.fragment = Bytes(1)}, InPlace::kNobody, base_seed());
    for (Schedule& schedule : cases.back().schedules) schedule = in_order(std::move(schedule));
  }
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank)
    threads.emplace_back([&, rank] {
      Member life(network, memory.area(), rank, base_seed());
      for (Case& c : cases) life.start(c.jobs(0)[static_cast<std::size_t>(rank)]);
      life.wait_until_at_most(0);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Case& c : cases) EXPECT_EQ(c.check(), "") << c.name();
}

// Ranks that are in different calls are told, instead of taking one another's data.
TEST(NodeEngineMismatch, another_call_is_noticed) {
  SharedMemory memory({.members = 2, .slots = 2, .rank_bytes = Bytes(1024)});
  Network network(2);
  const Algorithm& bcast = **find_algorithm(Collective::kBcast, "fan_out");
  const auto schedule_of = [&](int rank, int bytes) {
    const Call call{.collective = Collective::kBcast, .rank_count = 2, .bytes = Bytes(bytes)};
    return in_order(build(bcast, call, {}, Rank(rank), false));
  };
  const Schedule root = schedule_of(0, 32), other = schedule_of(1, 8);
  Data data(64);
  Member first(network, memory.area(), 0, 1), second(network, memory.area(), 1, 2);
  first.start({&root, {.output = data.data()}});
  second.start({&other, {.output = data.data()}});
  EXPECT_FALSE(first.failed());
  EXPECT_TRUE(second.failed());
}

// Whoever arrives last sees it, and tells those who wait.
TEST(NodeEngineMismatch, another_call_is_told_to_all_who_wait_for_the_last_arriver) {
  const Algorithm& algorithm = **find_algorithm(Collective::kAllreduce, "hierarchical");
  const auto schedule_of = [&](int rank, int bytes) {
    Call call{.collective = Collective::kAllreduce, .rank_count = 4, .bytes = Bytes(bytes)};
    call.element_bytes = Bytes(8);
    return in_order(build(algorithm, call, {.hierarchy = &sockets_of(4)}, Rank(rank), false));
  };
  for (int odd = 0; odd < 4; ++odd) {
    SharedMemory memory({.members = 4, .slots = 2, .rank_bytes = Bytes(1024)});
    Network network(4);
    std::vector<Schedule> schedules;
    for (int rank = 0; rank < 4; ++rank) schedules.push_back(schedule_of(rank, rank == odd ? 16 : 8));
    Data data(64), result(64);
    std::vector<std::unique_ptr<Member>> members;
    for (int rank = 0; rank < 4; ++rank) {
      members.push_back(std::make_unique<Member>(network, memory.area(), rank, 1));
      Job job{&schedules[static_cast<std::size_t>(rank)], {.input = data.data(), .output = result.data()}};
      job.binding.combine.apply = [](const void*, void*, Bytes, const void*) {};
      members.back()->start(job);
    }
    for (int rank = 0; rank < 4; ++rank) {
      members[static_cast<std::size_t>(rank)]->progress();
      EXPECT_TRUE(members[static_cast<std::size_t>(rank)]->failed()) << rank << " of odd " << odd;
    }
  }
}

}  // namespace
}  // namespace weft::tests
