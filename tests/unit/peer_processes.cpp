// SPDX-License-Identifier: BSD-3-Clause
// Peers: an end is seen once, however a process ends, and before anybody has asked for its exit code.
#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/peers.hpp"

namespace weft::tests {
namespace {

using node::Peers;
using node::ProcessTicket;

// A process that waits until it is killed.
class Child {
 public:
  Child() : pid_(::fork()) {
    while (pid_ == 0) ::pause();
  }
  ~Child() { end(); }
  ProcessTicket ticket() const {
    ProcessTicket ticket = ProcessTicket::mine();
    ticket.pid = pid_;
    return ticket;
  }
  // Kills the process, which stays behind as a zombie: nobody asks for its exit code.
  void kill() const {
    ::kill(pid_, SIGKILL);
    siginfo_t info;
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  void end() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    pid_ = 0;
  }

 private:
  pid_t pid_;
};

TEST(PeerProcesses, the_living_are_not_found) {
  const Child child;
  Peers peers;
  ASSERT_TRUE(peers.watch(7, child.ticket()));
  EXPECT_TRUE(peers.ended().empty());
}

TEST(PeerProcesses, a_zombie_has_ended_and_is_found_once) {
  const Child first, second;
  Peers peers;
  ASSERT_TRUE(peers.watch(7, first.ticket()));
  ASSERT_TRUE(peers.watch(9, second.ticket()));
  first.kill();
  EXPECT_EQ(peers.ended(), std::vector{7});
  EXPECT_TRUE(peers.ended().empty());
  second.kill();
  EXPECT_EQ(peers.ended(), std::vector{9});
  EXPECT_TRUE(peers.none());
}

TEST(PeerProcesses, without_a_pidfd_an_unused_number_is_found) {
  Child child;
  const ProcessTicket ticket = child.ticket();
  child.end();  // so that there is no pidfd of it
  Peers peers;
  ASSERT_TRUE(peers.watch(7, ticket));
  EXPECT_EQ(peers.ended(), std::vector{7});
}

TEST(PeerProcesses, other_containers_and_machines_cannot_be_seen) {
  Peers peers;
  ProcessTicket container = ProcessTicket::mine(), machine = container;
  ++container.pid_namespace;
  machine.boot[0] = 'x';
  EXPECT_FALSE(peers.watch(1, container));
  EXPECT_FALSE(peers.watch(2, machine));
  EXPECT_TRUE(peers.none());
}

}  // namespace
}  // namespace weft::tests
