// SPDX-License-Identifier: BSD-3-Clause
// The wire: schedules of all algorithms over sockets between threads, and how processes get their
// connections.
#include <atomic>
#include <gtest/gtest.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <tuple>
#include <unistd.h>

#include "executor/processor/operation.hpp"
#include "support/case.hpp"
#include "support/eventually.hpp"
#include "support/two_wires.hpp"
#include "transport/over_wire.hpp"
#include "transport/wire/meeting.hpp"

namespace weft::tests {
namespace {

Case random_case(int ranks, Random& random) {
  std::vector<const Algorithm*> senders;
  for (const Algorithm& algorithm : catalog())
    if (!algorithm.within_node && !algorithm.follows_hierarchy) senders.push_back(&algorithm);
  const bool commutative = random.chance(50);
  for (;;) {
    const Algorithm& algorithm = *senders[random.below(senders.size())];
    const Bytes element = is_reduction(algorithm.collective) ? element_of(commutative) : Bytes(1);
    const auto count = static_cast<std::int64_t>(random.below(random.chance(10) ? 20000 : 40));
    const Call call{.collective = algorithm.collective,
                    .rank_count = ranks,
                    .bytes = algorithm.collective == Collective::kBarrier ? Bytes(0) : element * count,
                    .element_bytes = element,
                    .commutative = commutative || !is_reduction(algorithm.collective)};
    if (!algorithm.eligible(call)) continue;
    return Case(algorithm, call, Parameters{.fragment = Bytes(4096)}, InPlace::kNobody, random.next());
  }
}

// One process's life: operations start in order, several are under way, and they end in any order.
bool live(wire::Wire& wire, std::span<const int> processes, std::vector<Case>& cases, int self) {
  constexpr std::size_t kOutstanding = 5;
  struct Flight {
    std::unique_ptr<Operation<OverWire>> operation;
    bool over = false;
  };
  OverWire transport(wire, 7, processes);
  transport.join(0);
  std::vector<Flight> flights;
  bool failed = false;
  const auto wait_until_at_most = [&](std::size_t outstanding) {
    while (flights.size() > outstanding && !failed) {
      wire.drive();
      for (Flight& flight : flights) {
        const Progress progress = flight.operation->progress(transport);
        flight.over = progress == Progress::kDone;
        failed |= progress == Progress::kFailed;
      }
      std::erase_if(flights, [](const Flight& flight) { return flight.over; });
      std::this_thread::yield();
    }
  };
  for (std::size_t i = 0; i < cases.size() && !failed; ++i) {
    const Channel channel = transport.next_channel(0);
    Job job = cases[i].jobs(channel)[static_cast<std::size_t>(self)];
    flights.push_back({std::make_unique<Operation<OverWire>>(*job.schedule)});
    transport.begin(channel);
    const Progress progress = flights.back().operation->start(transport, job.binding);
    failed |= progress == Progress::kFailed;
    if (progress == Progress::kDone) flights.pop_back();
    wait_until_at_most(kOutstanding);
  }
  wait_until_at_most(0);
  wire.say_goodbye();
  failed |= !eventually([&] { return wire.has_arrived(); });
  transport.leave();
  return !failed;
}

class OnWires : public testing::TestWithParam<std::tuple<CarriedBy, int>> {};

TEST_P(OnWires, operations_under_way_together_give_the_plain_results) {
  const auto [carried_by, processes] = GetParam();
  if (const std::string why = why_no(carried_by); !why.empty()) GTEST_SKIP() << why;
  Random random(base_seed());
  std::vector<Case> cases;
  for (int i = 0; i < 60; ++i) cases.push_back(random_case(processes, random));
  std::vector<int> by_rank;
  for (int process = 0; process < processes; ++process) by_rank.push_back(process);
  Carriers ends = carriers(carried_by, processes, kKey, 8192);
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int self = 0; self < processes; ++self)
    threads.emplace_back([&, self] {
      wire::Wire wire(kKey, self, std::move(ends[static_cast<std::size_t>(self)]));
      if (!live(wire, by_rank, cases, self)) ++failures;
      // Others may still read what this one has sent; they do not write to it any more.
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  for (const Case& c : cases) EXPECT_EQ(c.check(), "") << c.name();
}

INSTANTIATE_TEST_SUITE_P(Processes, OnWires, testing::Combine(each_carrier(), testing::Values(2, 3, 5, 8)),
                         [](const auto& info) {
                           return name_of_carrier(std::get<0>(info.param)) + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

// Three processes on loopback, and a stranger who knows the address and nothing else.
TEST(WireMeeting, joins_all_and_turns_strangers_away) {
  constexpr int kProcesses = 3;
  const auto boards = switchboards(kProcesses, kKey);
  auto stranger = wire::begin_to_connect(boards[1]->reach(0).front());
  ASSERT_TRUE(stranger) << stranger.error();
  pollfd writable{stranger->number(), POLLOUT, 0};
  ASSERT_EQ(::poll(&writable, 1, 5000), 1);
  const wire::Hello wrong{{9, 9}, 1, 0};
  ASSERT_EQ(::send(stranger->number(), &wrong, sizeof wrong, 0), ssize_t{sizeof wrong});
  std::vector<wire::Meeting> met(kProcesses);
  std::vector<std::thread> threads;
  for (int self = 0; self < kProcesses; ++self)
    threads.emplace_back([&, self] {
      const auto at = static_cast<std::size_t>(self);
      met[at] = wire::meet(*boards[at], all_partners(self, kProcesses).met, std::chrono::seconds(20));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(met[0].strangers, 1);
  for (int self = 0; self < kProcesses; ++self) {
    const wire::Meeting& one = met[static_cast<std::size_t>(self)];
    EXPECT_EQ(one.problem, "");
    for (int other = 0; other < kProcesses; ++other)
      EXPECT_EQ(one.connections[static_cast<std::size_t>(other)].is_open(), other != self);
  }
}

TEST(WireMeeting, names_who_could_not_be_reached_and_why) {
  auto addresses = wire::addresses_of_this_host("lo");
  ASSERT_TRUE(addresses) << addresses.error();
  auto listener = wire::listen_on({}), nobody = wire::listen_on({});
  ASSERT_TRUE(listener && nobody);
  std::vector<wire::Reach> reach(2, {addresses->front()});
  reach[0].front().set_port(nobody->port);
  reach[1].front().set_port(listener->port);
  nobody->socket = wire::Descriptor();
  wire::Switchboard switchboard(kKey, 1, std::move(*listener), reach);
  const wire::Meeting met = wire::meet(switchboard, all_partners(1, 2).met, std::chrono::milliseconds(100));
  EXPECT_EQ(met.problem, "no connection between processes 1 and 0 of the job: " + reach[0].front().text() +
                             ": Connection refused");
}

// Two of three come.
TEST(WireMeeting, joins_those_who_come) {
  auto addresses = wire::addresses_of_this_host("lo");
  ASSERT_TRUE(addresses) << addresses.error();
  std::vector<wire::Listener> listeners;
  std::vector<wire::Reach> reach;
  for (int process = 0; process < 3; ++process) {
    auto listener = wire::listen_on({});
    ASSERT_TRUE(listener) << listener.error();
    reach.push_back({addresses->front()});
    reach.back().front().set_port(listener->port);
    listeners.push_back(std::move(*listener));
  }
  listeners[1].socket = wire::Descriptor();
  std::vector<wire::Meeting> met(3);
  const auto come = [&](int self) {
    const auto at = static_cast<std::size_t>(self);
    wire::Switchboard switchboard(kKey, self, std::move(listeners[at]), reach);
    met[at] = wire::meet(switchboard, all_partners(self, 3).met, std::chrono::milliseconds(500));
  };
  std::thread other(come, 2);
  come(0);
  other.join();
  for (const int self : {0, 2}) {
    const wire::Meeting& one = met[static_cast<std::size_t>(self)];
    EXPECT_NE(one.problem.find("between processes " + std::to_string(self) + " and 1 of the job"),
              std::string::npos);
    EXPECT_TRUE(one.connections[static_cast<std::size_t>(2 - self)].is_open());
    EXPECT_FALSE(one.connections[1].is_open());
  }
}

TEST(WireSockets, have_the_congestion_control_that_they_are_told) {
  auto addresses = wire::addresses_of_this_host("lo");
  ASSERT_TRUE(addresses) << addresses.error();
  auto listener = wire::listen_on({});
  ASSERT_TRUE(listener) << listener.error();
  const std::string usual = wire::congestion_control_of(listener->socket);
  EXPECT_EQ(wire::set_congestion_control(listener->socket, "reno"), "");
  addresses->front().set_port(listener->port);
  std::vector<wire::Descriptor> connections(2);
  auto calling = wire::begin_to_connect(addresses->front());
  ASSERT_TRUE(calling) << calling.error();
  EXPECT_EQ(wire::congestion_control_of(*calling), usual);
  const int number = calling->number();
  connections[1] = std::move(*calling);
  const wire::TcpCarrier carrier(std::move(connections), nullptr, {},
                                 {.buffer = Bytes(0), .congestion_control = "reno"});
  EXPECT_EQ(wire::congestion_control_of(wire::Descriptor(::dup(number))), "reno");
}

TEST(WireSockets, name_what_there_is_instead_of_what_is_asked_for) {
  const auto none = wire::addresses_of_this_host("weft-none");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().find("there is no network interface \"weft-none\" that is up here: use one of"),
            std::string::npos);
  auto listener = wire::listen_on({});
  ASSERT_TRUE(listener);
  const auto again = wire::listen_on({listener->port, listener->port});
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().find("Address already in use; give other ports"), std::string::npos)
      << again.error();
  const std::string problem = wire::set_congestion_control(listener->socket, "weft-none");
  EXPECT_NE(problem.find("the congestion control \"weft-none\" is not to be had"), std::string::npos)
      << problem;
}

}  // namespace
}  // namespace weft::tests
