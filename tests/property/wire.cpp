// SPDX-License-Identifier: BSD-3-Clause
// The wire: schedules of all algorithms over sockets between threads, and what it says of a peer that is gone
// or is a stranger.
#include "transport/wire/wire.hpp"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "executor/processor/operation.hpp"
#include "support/case.hpp"
#include "support/joined.hpp"
#include "transport/over_wire.hpp"
#include "transport/wire/meeting.hpp"

namespace weft::tests {
namespace {

constexpr wire::JobKey kKey{1, 2};

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
    Job job = cases[i].jobs(i)[static_cast<std::size_t>(self)];
    flights.push_back({std::make_unique<Operation<OverWire>>(*job.schedule)});
    const Progress progress = flights.back().operation->start(transport, job.binding);
    failed |= progress == Progress::kFailed;
    if (progress == Progress::kDone) flights.pop_back();
    wait_until_at_most(kOutstanding);
  }
  wait_until_at_most(0);
  return !failed;
}

class OnWires : public testing::TestWithParam<int> {};

TEST_P(OnWires, operations_under_way_together_give_the_plain_results) {
  const int processes = GetParam();
  Random random(base_seed());
  std::vector<Case> cases;
  for (int i = 0; i < 60; ++i) cases.push_back(random_case(processes, random));
  std::vector<int> by_rank;
  for (int process = 0; process < processes; ++process) by_rank.push_back(process);
  auto ends = joined(processes, 8192);
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

INSTANTIATE_TEST_SUITE_P(Processes, OnWires, testing::Values(2, 3, 5, 8));

struct Two {
  explicit Two(std::vector<std::vector<wire::Descriptor>> ends = joined(2))
      : a(kKey, 0, std::move(ends[0])), b(kKey, 1, std::move(ends[1])) {}
  wire::Wire a, b;
};

constexpr wire::MessageAddress address_of(std::uint64_t operation, int sender) {
  return {.communicator = 3, .operation = operation, .ordinal = 0, .sender = sender};
}

TEST(Wire, keeps_what_comes_early) {
  Two two;
  wire::Outbox out(4), in(4);
  const std::uint64_t first = 11, second = 22;
  std::uint64_t got = 0;
  EXPECT_EQ(two.a.send(out, TaskId(0), 1, address_of(1, 0), &first, Bytes(8)), Progress::kDone);
  EXPECT_EQ(two.a.send(out, TaskId(1), 1, address_of(2, 0), &second, Bytes(8)), Progress::kDone);
  EXPECT_TRUE(two.b.drive());
  EXPECT_EQ(two.b.recv(in, TaskId(0), address_of(2, 0), &got, Bytes(8)), Progress::kDone);
  EXPECT_EQ(got, second);
  EXPECT_EQ(two.b.recv(in, TaskId(1), address_of(1, 0), &got, Bytes(8)), Progress::kDone);
  EXPECT_EQ(got, first);
}

TEST(Wire, refuses_another_size_than_was_asked_for) {
  for (const bool is_early : {false, true}) {
    Two two;
    wire::Outbox out(1), in(1);
    std::array<std::uint64_t, 2> got{};
    const std::uint64_t sent = 1;
    Progress progress = Progress::kPending;
    if (!is_early) progress = two.b.recv(in, TaskId(0), address_of(1, 0), got.data(), Bytes(16));
    two.a.send(out, TaskId(0), 1, address_of(1, 0), &sent, Bytes(8));
    two.b.drive();
    if (is_early) progress = two.b.recv(in, TaskId(0), address_of(1, 0), got.data(), Bytes(16));
    std::array<TaskId, 1> done;
    const bool failed = progress == Progress::kFailed || in.take_completed(done) < 0;
    EXPECT_TRUE(failed);
    EXPECT_EQ(got, (std::array<std::uint64_t, 2>{}));
  }
}

TEST(Wire, fails_what_waits_for_a_peer_that_is_gone) {
  auto ends = joined(2);
  wire::Wire a(kKey, 0, std::move(ends[0]));
  wire::Outbox in(1);
  std::uint64_t got = 0;
  EXPECT_EQ(a.recv(in, TaskId(0), address_of(1, 1), &got, Bytes(8)), Progress::kPending);
  ends.clear();
  a.drive();
  std::array<TaskId, 1> done;
  EXPECT_LT(in.take_completed(done), 0);
  EXPECT_FALSE(a.reaches(1));
  EXPECT_EQ(a.trouble_with(1), "it has closed the connection");
  wire::Outbox out(1);
  EXPECT_EQ(a.send(out, TaskId(0), 1, address_of(1, 0), &got, Bytes(8)), Progress::kFailed);
}

TEST(Wire, drops_a_frame_that_is_not_of_this_job) {
  for (const bool is_key_wrong : {false, true}) {
    auto ends = joined(2);
    wire::Wire a(kKey, 0, std::move(ends[0]));
    wire::FrameHead forged{.key = kKey, .address = address_of(1, 1), .size = is_key_wrong ? 0 : -1};
    if (is_key_wrong) forged.key.low ^= 1;
    ASSERT_EQ(::send(ends[1][0].number(), &forged, sizeof forged, 0), ssize_t{sizeof forged});
    a.drive();
    EXPECT_EQ(a.dropped(), 1U);
    EXPECT_EQ(a.trouble_with(1), "it has sent a frame that is not of this job");
  }
}

TEST(Wire, leaves_what_waits_for_a_peer_that_has_said_goodbye) {
  auto ends = joined(2);
  wire::Wire a(kKey, 0, std::move(ends[0]));
  wire::Outbox in(1), out(1);
  std::uint64_t got = 0;
  EXPECT_EQ(a.recv(in, TaskId(0), address_of(1, 1), &got, Bytes(8)), Progress::kPending);
  {
    wire::Wire b(kKey, 1, std::move(ends[1]));
    b.say_goodbye();
  }
  a.drive();
  a.drive();
  std::array<TaskId, 1> done;
  EXPECT_EQ(in.take_completed(done), 0);
  EXPECT_EQ(a.trouble_with(1), "");
  EXPECT_EQ(a.send(out, TaskId(0), 1, address_of(1, 0), &got, Bytes(8)), Progress::kDone);
  a.forget(in);
}

// Whatever is on its way goes to its end first.
TEST(Wire, says_goodbye_to_nobody_in_the_middle_of_a_message) {
  Two two(joined(2, 4096));
  constexpr std::size_t kLong = 1 << 20;
  const std::vector<std::byte> sent(kLong, std::byte{1});
  std::vector<std::byte> got(kLong);
  wire::Outbox out(1), in(1);
  EXPECT_EQ(two.b.recv(in, TaskId(0), address_of(1, 0), got.data(), Bytes(kLong)), Progress::kPending);
  EXPECT_EQ(two.a.send(out, TaskId(0), 1, address_of(1, 0), sent.data(), Bytes(kLong)), Progress::kPending);
  two.b.drive();  // there is room again
  two.a.say_goodbye();
  std::array<TaskId, 1> done;
  int count = 0;
  for (int turn = 0; turn < 100000 && count == 0; ++turn) {
    two.a.drive();
    two.b.drive();
    count = in.take_completed(done);
  }
  EXPECT_EQ(count, 1);
  EXPECT_EQ(got, sent);
}

// Its buffers may go, and those who come after it get theirs.
TEST(Wire, forgets_an_operation_in_the_middle_of_a_message) {
  Two two(joined(2, 4096));
  constexpr std::size_t kLong = 1 << 20;
  auto sent = std::make_unique<std::vector<std::byte>>(kLong, std::byte{1});
  auto got = std::make_unique<std::vector<std::byte>>(kLong);
  wire::Outbox out(2), in(2), later_out(1), later_in(1);
  EXPECT_EQ(two.b.recv(in, TaskId(0), address_of(1, 0), got->data(), Bytes(kLong)), Progress::kPending);
  EXPECT_EQ(two.a.send(out, TaskId(0), 1, address_of(1, 0), sent->data(), Bytes(kLong)), Progress::kPending);
  two.b.drive();
  two.a.forget(out);
  two.b.forget(in);
  sent.reset();
  got.reset();
  const std::uint64_t last = 5;
  std::uint64_t arrived = 0;
  two.a.send(later_out, TaskId(0), 1, address_of(2, 0), &last, Bytes(8));
  EXPECT_EQ(two.b.recv(later_in, TaskId(0), address_of(2, 0), &arrived, Bytes(8)), Progress::kPending);
  std::array<TaskId, 1> done;
  int count = 0;
  for (int turn = 0; turn < 100000 && count == 0; ++turn) {
    two.a.drive();
    two.b.drive();
    count = later_in.take_completed(done);
  }
  EXPECT_EQ(count, 1);
  EXPECT_EQ(arrived, last);
}

// Three processes on loopback, and a stranger who knows the address and nothing else.
TEST(WireMeeting, joins_all_and_turns_strangers_away) {
  constexpr int kProcesses = 3;
  auto addresses = wire::addresses_of_this_host("lo");
  ASSERT_TRUE(addresses) << addresses.error();
  std::vector<wire::Listener> listeners;
  std::vector<wire::Reach> reach;
  for (int process = 0; process < kProcesses; ++process) {
    auto listener = wire::listen_on({});
    ASSERT_TRUE(listener) << listener.error();
    reach.push_back(*addresses);
    for (wire::SocketAddress& address : reach.back()) address.set_port(listener->port);
    listeners.push_back(std::move(*listener));
  }
  auto stranger = wire::begin_to_connect(reach[0].front());
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
      met[at] = wire::meet(kKey, self, listeners[at], reach, std::chrono::seconds(20));
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
  const wire::Meeting met = wire::meet(kKey, 1, *listener, reach, std::chrono::milliseconds(100));
  EXPECT_EQ(met.problem, "no connection between processes 1 and 0 of the job: " + reach[0].front().text() +
                             ": Connection refused");
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
}

}  // namespace
}  // namespace weft::tests
