// SPDX-License-Identifier: BSD-3-Clause
// Peers: whether the processes of other ranks on this machine still live (drop_in rule 10).
//
// A pidfd becomes readable when its process ends, also before its parent has asked for the exit code, and it
// never means another process that got the same number. Where the system gives none, a signal that is not
// sent tells whether the number is still in use.
//
// One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <poll.h>
#include <vector>

namespace weft::node {

// What a process tells those who may watch it. Plain data, so that it can travel.
struct ProcessTicket {
  std::int64_t pid = 0;
  std::uint64_t pid_namespace = 0;  // numbers mean something within one; 0: not known
  std::array<char, 40> boot{};      // of the kernel: containers of two machines may have the same names

  static ProcessTicket mine();
};

class Peers {
 public:
  Peers() = default;
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;
  ~Peers() { forget(); }

  // False if the process cannot be seen from here: it is in another container, or on another machine.
  bool watch(int rank, const ProcessTicket& ticket);
  bool none() const { return ranks_.empty(); }
  // The ranks whose processes have ended since the last call. One system call, which does not wait.
  std::vector<int> ended();
  void forget();

 private:
  std::vector<int> ranks_;
  std::vector<std::int64_t> pids_;
  std::vector<pollfd> files_;  // a negative descriptor: there is none
};

}  // namespace weft::node
