// SPDX-License-Identifier: BSD-3-Clause
// Connections that are made when something is first to be said: calls, callers at the door, and who does not
// answer.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <deque>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "support/two_wires.hpp"

namespace weft::tests {
namespace {

using Boards = std::vector<std::unique_ptr<wire::Switchboard>>;
using Outcomes = std::vector<wire::Outcome>;

constexpr Nanoseconds kShortPatience{1'000'000'000};

// Until it holds, or for so long that it never will.
template <class Holds>
bool eventually(Holds holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

// What has come of each switchboard's calls.
class Desk {
 public:
  explicit Desk(Boards& boards) : boards_(boards), outcomes_(boards.size()) {}
  void drive(std::size_t self) {
    for (wire::Outcome& outcome : boards_[self]->drive()) outcomes_[self].push_back(std::move(outcome));
  }
  void drive() {
    for (std::size_t self = 0; self < boards_.size(); ++self)
      if (boards_[self] != nullptr) drive(self);
  }
  bool drive_until_each_has(std::size_t count) {
    return eventually([&] {
      drive();
      return std::all_of(outcomes_.begin(), outcomes_.end(),
                         [count](const Outcomes& one) { return one.size() >= count; });
    });
  }
  const Outcomes& of(std::size_t self) const { return outcomes_[self]; }

 private:
  Boards& boards_;
  std::vector<Outcomes> outcomes_;
};

// Whether what is written at one end comes out at the other.
bool are_joined(const wire::Descriptor& from, const wire::Descriptor& to) {
  const char sent = 'x';
  char got = 0;
  if (::send(from.number(), &sent, 1, MSG_NOSIGNAL) != 1) return false;
  return eventually([&] { return ::recv(to.number(), &got, 1, 0) == 1; }) && got == sent;
}

wire::Descriptor connection_to(const wire::SocketAddress& address) {
  auto begun = wire::begin_to_connect(address);
  EXPECT_TRUE(begun) << begun.error();
  pollfd writable{begun->number(), POLLOUT, 0};
  EXPECT_EQ(::poll(&writable, 1, 5000), 1);
  return std::move(*begun);
}

bool is_closed(const wire::Descriptor& socket) {
  char byte = 0;
  const ssize_t got = ::recv(socket.number(), &byte, 1, 0);
  return got == 0 || (got < 0 && errno != EAGAIN);
}

// Whoever calls, and in whichever order the two are driven, they have one connection, the same.
TEST(WireOnDemand, connects_two_whoever_calls) {
  Random random(base_seed());
  for (const std::array<bool, 2> calls : {std::array{true, false}, {false, true}, {true, true}})
    for (int turn = 0; turn < 200; ++turn) {
      Boards boards = switchboards(2, kKey);
      Desk desk(boards);
      for (int first = 0; first < 2; ++first) {
        const int self = first ^ (turn & 1);
        if (calls[static_cast<std::size_t>(self)]) boards[static_cast<std::size_t>(self)]->call(1 - self);
        for (std::uint64_t i = random.below(6); i > 0; --i) desk.drive(random.below(2));
      }
      ASSERT_TRUE(desk.drive_until_each_has(1));
      ASSERT_EQ(desk.of(0).front().problem + desk.of(1).front().problem, "");
      ASSERT_TRUE(are_joined(desk.of(0).front().socket, desk.of(1).front().socket));
      ASSERT_TRUE(are_joined(desk.of(1).front().socket, desk.of(0).front().socket));
      for (int i = 0; i < 20; ++i) desk.drive();
      ASSERT_EQ(desk.of(0).size() + desk.of(1).size(), 2U);
    }
}

TEST(WireOnDemand, connects_many_who_all_call_one_another) {
  constexpr int kProcesses = 12;
  Boards boards = switchboards(kProcesses, kKey);
  Desk desk(boards);
  for (int turn = 1; turn < kProcesses; ++turn)
    for (auto& board : boards) {
      board->call((board->self() + turn) % kProcesses);
      desk.drive(static_cast<std::size_t>(turn));
    }
  ASSERT_TRUE(desk.drive_until_each_has(kProcesses - 1));
  for (std::size_t self = 0; self < kProcesses; ++self)
    for (const wire::Outcome& outcome : desk.of(self)) EXPECT_EQ(outcome.problem, "");
}

// Another one, with addresses of its own for process 0.
std::unique_ptr<wire::Switchboard> caller_of(wire::Reach reach) {
  auto listener = wire::listen_on({});
  EXPECT_TRUE(listener) << listener.error();
  std::vector<wire::Reach> processes{std::move(reach), {}};
  return std::make_unique<wire::Switchboard>(kKey, 1, std::move(*listener), std::move(processes));
}

// The first one is nobody's, or somebody else's.
TEST(WireOnDemand, tries_all_addresses) {
  for (const bool is_somebody : {false, true}) {
    Boards boards = switchboards(2, kKey), other_job = switchboards(1, {9, 9});
    auto nobody = wire::listen_on({});
    ASSERT_TRUE(nobody);
    nobody->socket = wire::Descriptor();
    wire::Reach reach = boards[0]->reach(0);
    reach.insert(reach.begin(), reach.front());
    reach.front().set_port(is_somebody ? other_job[0]->reach(0).front().port() : nobody->port);
    boards[1] = caller_of(reach);
    boards[1]->call(0);
    Desk desk(boards);
    ASSERT_TRUE(eventually([&] {
      other_job[0]->drive();
      desk.drive();
      return !desk.of(0).empty() && !desk.of(1).empty();
    }));
    EXPECT_EQ(desk.of(0).front().problem + desk.of(1).front().problem, "");
    EXPECT_EQ(other_job[0]->strangers(), is_somebody ? 1 : 0);
  }
}

TEST(WireOnDemand, hangs_up_on_strangers_who_have_said_nothing_of_use) {
  Boards boards = switchboards(2, kKey);
  Desk desk(boards);
  const wire::SocketAddress door = boards[0]->reach(0).front();
  const std::array<wire::Hello, 5> wrong{{{{9, 9}, 1, 0, 1, 0},  // another job
                                          {kKey, 1, 1, 1, 0},    // for somebody else
                                          {kKey, 0, 0, 1, 0},    // from the process itself
                                          {kKey, 2, 0, 1, 0},    // from nobody there is
                                          {kKey, -1, 0, 1, 0}}};
  std::vector<wire::Descriptor> strangers;
  for (const wire::Hello& hello : wrong) {
    strangers.push_back(connection_to(door));
    ASSERT_EQ(::send(strangers.back().number(), &hello, sizeof hello, 0), ssize_t{sizeof hello});
  }
  for (const wire::Descriptor& stranger : strangers)
    EXPECT_TRUE(eventually([&] {
      desk.drive();
      return is_closed(stranger);
    }));
  EXPECT_EQ(boards[0]->strangers(), static_cast<int>(wrong.size()));
  boards[1]->call(0);
  ASSERT_TRUE(desk.drive_until_each_has(1));
  EXPECT_EQ(desk.of(0).front().problem, "");
}

// More of them than are let in at a time, who say nothing at all: the others' turn comes.
TEST(WireOnDemand, does_not_keep_silent_strangers) {
  Boards boards = switchboards(2, kKey, kShortPatience);
  boards[1] = caller_of(boards[0]->reach(0));
  Desk desk(boards);
  std::vector<wire::Descriptor> strangers;
  for (int i = 0; i < 300; ++i) strangers.push_back(connection_to(boards[0]->reach(0).front()));
  boards[1]->call(0);
  ASSERT_TRUE(desk.drive_until_each_has(1));
  EXPECT_EQ(desk.of(1).front().problem, "");
  EXPECT_TRUE(eventually([&] {
    desk.drive();
    return boards[0]->strangers() == 300;
  }));
  for (const wire::Descriptor& stranger : strangers) EXPECT_TRUE(is_closed(stranger));
}

// The caller gives its first call up, and the second one is read first.
TEST(WireOnDemand, does_not_take_an_old_call_for_a_new_one) {
  Boards boards = switchboards(2, kKey);
  const wire::SocketAddress door = boards[0]->reach(0).front();
  const wire::Descriptor second = connection_to(door);
  const wire::Hello new_one{kKey, 1, 0, 2, 0}, old_one{kKey, 1, 0, 1, 0};
  ASSERT_EQ(::send(second.number(), &new_one, sizeof new_one, 0), ssize_t{sizeof new_one});
  wire::Hello answer;
  ASSERT_TRUE(eventually([&] {
    EXPECT_TRUE(boards[0]->drive().empty());
    return ::recv(second.number(), &answer, sizeof answer, 0) == ssize_t{sizeof answer};
  }));
  EXPECT_TRUE(answer.key == kKey && answer.from == 0 && answer.to == 1 && answer.number == 2);
  const wire::Descriptor first = connection_to(door);
  ASSERT_EQ(::send(first.number(), &old_one, sizeof old_one, 0), ssize_t{sizeof old_one});
  EXPECT_TRUE(eventually([&] {
    EXPECT_TRUE(boards[0]->drive().empty());
    return is_closed(first);
  }));
  ASSERT_EQ(::send(second.number(), &new_one, sizeof new_one, 0), ssize_t{sizeof new_one});
  Outcomes found;
  ASSERT_TRUE(eventually([&] {
    found = boards[0]->drive();
    return !found.empty();
  }));
  EXPECT_EQ(found.front().process, 1);
  EXPECT_TRUE(are_joined(second, found.front().socket));
}

// A call that its caller gives up before it stands is nobody's loss.
TEST(WireOnDemand, forgets_a_call_that_does_not_stand) {
  Boards boards = switchboards(2, kKey);
  Desk desk(boards);
  {
    const wire::Descriptor given_up = connection_to(boards[0]->reach(0).front());
    const wire::Hello hello{kKey, 1, 0, 1, 0};
    ASSERT_EQ(::send(given_up.number(), &hello, sizeof hello, 0), ssize_t{sizeof hello});
    wire::Hello answer;
    ASSERT_TRUE(eventually([&] {
      desk.drive();
      return ::recv(given_up.number(), &answer, sizeof answer, 0) == ssize_t{sizeof answer};
    }));
  }
  boards[0]->call(1);
  ASSERT_TRUE(desk.drive_until_each_has(1));
  EXPECT_EQ(desk.of(0).front().problem + desk.of(1).front().problem, "");
  EXPECT_TRUE(are_joined(desk.of(0).front().socket, desk.of(1).front().socket));
}

// Wires of a job none of whose processes has met another.
struct Wires {
  explicit Wires(int processes, Nanoseconds patience = wire::Switchboard::kLongestCall) {
    for (int process = 0; process < processes; ++process) all.push_back(process);
    for (auto& carrier : carriers_on_demand(processes, kKey, patience))
      ends.push_back(std::make_unique<End>(static_cast<int>(ends.size()), std::move(carrier), all));
  }
  End& operator[](int process) { return *ends[static_cast<std::size_t>(process)]; }
  void drive() {
    for (auto& end : ends)
      if (end != nullptr) end->wire.drive();
  }
  void look_for_silence(std::int64_t seconds) {
    for (auto& end : ends)
      if (end != nullptr) end->wire.look_for_silence(Nanoseconds(seconds * 1'000'000'000));
  }
  std::vector<int> all;
  std::vector<std::unique_ptr<End>> ends;
};

bool has_failed(wire::Outbox& outbox) {
  std::array<TaskId, 1> done;
  return outbox.take_completed(done) < 0;
}

TEST(WireOnDemand, sends_what_has_waited_for_a_connection_in_its_order) {
  for (const int sender : {0, 1}) {
    Wires wires(2);
    End &from = wires[sender], &to = wires[1 - sender];
    std::array<std::uint64_t, 50> sent{}, got{};
    std::deque<wire::Outbox> out, in;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      sent[i] = i + 1;
      out.emplace_back(1);
      in.emplace_back(1);
      EXPECT_EQ(from.send(out.back(), 1 - sender, i + 1, &sent[i], 8), Progress::kPending);
      EXPECT_EQ(to.recv(in.back(), sender, i + 1, &got[i], 8), Progress::kPending);
    }
    std::size_t arrived = 0;
    ASSERT_TRUE(eventually([&] {
      wires.drive();
      std::array<TaskId, 1> done;
      for (wire::Outbox& one : in) arrived += static_cast<std::size_t>(one.take_completed(done));
      return arrived == sent.size();
    }));
    EXPECT_EQ(got, sent);
  }
}

TEST(WireOnDemand, gives_back_the_buffers_of_what_waits_for_a_connection) {
  Wires wires(2);
  auto sent = std::make_unique<std::uint64_t>(1);
  std::uint64_t last = 2, got = 0;
  wire::Outbox out(1), later(1), in(1);
  EXPECT_EQ(wires[0].send(out, 1, 1, sent.get(), 8), Progress::kPending);
  wires[0].wire.forget(out);
  sent.reset();
  EXPECT_EQ(wires[0].send(later, 1, 2, &last, 8), Progress::kPending);
  EXPECT_EQ(wires[1].recv(in, 0, 2, &got, 8), Progress::kPending);
  std::array<TaskId, 1> done;
  EXPECT_TRUE(eventually([&] {
    wires.drive();
    return in.take_completed(done) == 1;
  }));
  EXPECT_EQ(got, last);
}

// Nobody has to meet in order to part, and what was said before is heard.
TEST(WireOnDemand, parts_without_meeting) {
  Wires wires(3);
  std::uint64_t sent = 5, got = 0;
  wire::Outbox out(1), in(1);
  EXPECT_EQ(wires[1].send(out, 2, 1, &sent, 8), Progress::kPending);
  EXPECT_EQ(wires[2].recv(in, 1, 1, &got, 8), Progress::kPending);
  for (auto& end : wires.ends) end->wire.say_goodbye();
  EXPECT_TRUE(wires[0].wire.has_arrived());
  EXPECT_FALSE(wires[1].wire.has_arrived());
  EXPECT_TRUE(eventually([&] {
    wires.drive();
    return wires[1].wire.has_arrived();
  }));
  wires.ends[0].reset();
  wires.ends[1].reset();
  std::array<TaskId, 1> done;
  EXPECT_TRUE(eventually([&] {
    wires.drive();
    return in.take_completed(done) == 1;
  }));
  EXPECT_EQ(got, sent);
  for (int turn = 0; turn < 20; ++turn) wires.drive();
  EXPECT_EQ(wires[2].wire.trouble_with(1), "");
  EXPECT_EQ(wires[2].wire.lost_by(kCommunicator), -1);
}

// Who is waited for is called after a while; nobody listens where it was.
TEST(WireOnDemand, loses_a_process_that_has_died_before_it_was_met) {
  for (const bool sends : {false, true}) {
    Wires wires(3, kShortPatience);
    std::uint64_t value = 0;
    wire::Outbox mine(1), others(1);
    wires.ends[1].reset();
    const Progress progress =
        sends ? wires[0].send(mine, 1, 1, &value, 8) : wires[0].recv(mine, 1, 1, &value, 8);
    EXPECT_EQ(progress, Progress::kPending);
    EXPECT_EQ(wires[2].recv(others, 0, 1, &value, 8), Progress::kPending);
    for (std::int64_t second = 1; second <= 3; ++second) wires.look_for_silence(second);
    EXPECT_TRUE(eventually([&] {
      wires.drive();
      return has_failed(mine) && has_failed(others);
    }));
    const std::string& why = wires[0].wire.trouble_with(1);
    EXPECT_TRUE(why.starts_with("it cannot be connected: ")) << why;
    EXPECT_TRUE(why.ends_with("Connection refused")) << why;
    EXPECT_EQ(wires[0].wire.lost_by(kCommunicator), 1);
    EXPECT_FALSE(wires[0].wire.reaches(1));
    EXPECT_EQ(wires[0].send(mine, 1, 2, &value, 8), Progress::kFailed);
  }
}

// Its system takes the call, and nobody says hello.
TEST(WireOnDemand, loses_a_process_that_does_not_answer) {
  Wires wires(3, kShortPatience);
  std::uint64_t value = 0;
  wire::Outbox mine(1);
  EXPECT_EQ(wires[0].send(mine, 1, 1, &value, 8), Progress::kPending);
  EXPECT_TRUE(eventually([&] {
    wires[0].wire.drive();
    return has_failed(mine);
  }));
  EXPECT_NE(wires[0].wire.trouble_with(1).find("whoever is there says nothing"), std::string::npos)
      << wires[0].wire.trouble_with(1);
}

// All hear of it, also those who have met nobody and wait for nobody who is gone.
TEST(WireOnDemand, spreads_the_news_that_somebody_is_lost) {
  constexpr int kProcesses = 23;
  Wires wires(kProcesses, kShortPatience);
  std::uint64_t value = 0;
  wire::Outbox out(1);
  wires.ends[11].reset();
  EXPECT_EQ(wires[4].send(out, 11, 1, &value, 8), Progress::kPending);
  EXPECT_TRUE(eventually([&] {
    wires.drive();
    return std::all_of(wires.ends.begin(), wires.ends.end(), [](const auto& end) {
      return end == nullptr || end->wire.lost_by(kCommunicator) == 11;
    });
  }));
}

TEST(WirePartners, are_few_and_mutual_and_reach_everybody) {
  Random random(base_seed());
  for (int turn = 0; turn < 50; ++turn) {
    // Nodes of one size or of any, whose processes have numbers in a row or in turn.
    const int processes = 1 + static_cast<int>(random.below(300)),
              nodes = 1 + static_cast<int>(random.below(40));
    const std::uint64_t how = random.below(3);
    std::vector<int> node_of, first(static_cast<std::size_t>(nodes), -1);
    for (int process = 0; process < processes; ++process) {
      const int node = how == 0   ? process * nodes / processes
                       : how == 1 ? process % nodes
                                  : static_cast<int>(random.below(static_cast<std::uint64_t>(nodes)));
      int& lowest = first[static_cast<std::size_t>(node)];
      if (lowest < 0) lowest = process;
      node_of.push_back(lowest);
    }
    std::vector<std::vector<int>> partners;
    for (int self = 0; self < processes; ++self) {
      partners.push_back(wire::partners_of(self, node_of, 1).met);
      EXPECT_LE(partners.back().size(), 2U * (9 + 6));
    }
    std::vector<char> is_reached(partners.size(), 0);
    std::vector<int> reached{0};
    is_reached[0] = 1;
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const int other : partners[static_cast<std::size_t>(reached[i])]) {
        const auto& theirs = partners[static_cast<std::size_t>(other)];
        EXPECT_EQ(std::count(theirs.begin(), theirs.end(), reached[i]), 1);
        if (!std::exchange(is_reached[static_cast<std::size_t>(other)], 1)) reached.push_back(other);
      }
    EXPECT_EQ(static_cast<int>(reached.size()), processes);
  }
}

TEST(WirePartners, are_all_in_a_small_job_and_nobody_where_nothing_is_proved) {
  const std::vector<int> node_of(10, 0);
  EXPECT_EQ(wire::partners_of(3, node_of, 10).met, (std::vector{0, 1, 2, 4, 5, 6, 7, 8, 9}));
  EXPECT_TRUE(wire::partners_of(3, node_of, 10).are_all);
  EXPECT_EQ(wire::partners_of(3, node_of, 9).met, (std::vector{1, 2, 4, 5, 7, 9}));
  EXPECT_TRUE(wire::partners_of(3, node_of, 0).met.empty());
  EXPECT_EQ(wire::partners_of(3, node_of, 0).confidants, wire::partners_of(3, node_of, 9).met);
}

}  // namespace
}  // namespace weft::tests
