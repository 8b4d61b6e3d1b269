// SPDX-License-Identifier: BSD-3-Clause
// The switchboard: calls, of one another and at once, callers at the door, and addresses where nobody is.
#include "transport/wire/switchboard.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <vector>

#include "base/random.hpp"
#include "support/case.hpp"
#include "support/eventually.hpp"
#include "support/two_wires.hpp"

namespace weft::tests {
namespace {

using Boards = std::vector<std::unique_ptr<wire::Switchboard>>;
using Outcomes = std::vector<wire::Outcome>;

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
TEST(WireSwitchboard, connects_two_whoever_calls) {
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

TEST(WireSwitchboard, connects_many_who_all_call_one_another) {
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
TEST(WireSwitchboard, tries_all_addresses) {
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

int family_of(const wire::Descriptor& socket) {
  int family = 0;
  socklen_t size = sizeof family;
  EXPECT_EQ(::getsockopt(socket.number(), SOL_SOCKET, SO_DOMAIN, &family, &size), 0);
  return family;
}

// What stands first among the addresses: nobody listens there any more, or somebody does.
TEST(WireSwitchboard, needs_no_network_within_a_host) {
  for (const bool is_somebody : {false, true}) {
    const auto addresses = wire::addresses_of_this_host("lo");
    ASSERT_TRUE(addresses) << addresses.error();
    auto listener = wire::listen_on({});
    ASSERT_TRUE(listener) << listener.error();
    wire::listen_locally(*listener);
    ASSERT_TRUE(listener->local_socket.is_open());
    wire::Reach reach{listener->local_address, addresses->front()};
    reach.back().set_port(listener->port);
    if (!is_somebody) listener->local_socket = wire::Descriptor();
    Boards boards(2);
    boards[0] = std::make_unique<wire::Switchboard>(kKey, 0, std::move(*listener),
                                                    std::vector<wire::Reach>{reach, {}});
    boards[1] = caller_of(reach);
    boards[1]->call(0);
    Desk desk(boards);
    ASSERT_TRUE(desk.drive_until_each_has(1));
    ASSERT_EQ(desk.of(0).front().problem + desk.of(1).front().problem, "");
    EXPECT_TRUE(are_joined(desk.of(0).front().socket, desk.of(1).front().socket));
    EXPECT_EQ(family_of(desk.of(1).front().socket) == AF_UNIX, is_somebody);
  }
}

TEST(WireSwitchboard, hangs_up_on_strangers_who_have_said_nothing_of_use) {
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
TEST(WireSwitchboard, does_not_keep_silent_strangers) {
  Boards boards = switchboards(2, kKey, Nanoseconds(1'000'000'000));
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
TEST(WireSwitchboard, does_not_take_an_old_call_for_a_new_one) {
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
TEST(WireSwitchboard, forgets_a_call_that_does_not_stand) {
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

}  // namespace
}  // namespace weft::tests
