// SPDX-License-Identifier: BSD-3-Clause
// Switchboard: how a process gets its connections with others of the job, in MPI_Init (see meeting) and
// whenever something is first to be said to somebody. Whoever wants a connection calls, and both ends say who
// they are, and whom they mean, before anything else.
//
//   who calls     hello ──►                ──► hello: it stands; frames follow
//   who answers             ──► hello ──►
//
// Until the second hello of its caller either end may give a call up, and nothing is lost, since nothing else
// has been said. That settles what happens at once and what comes late:
//
// 1. Where two call each other, the call of the higher number stands: the lower one drops its own and
//    answers, the higher one hangs up. But whose own call has not come as far as its hello answers, whatever
//    its number: so calls that a firewall keeps back do not stand in the way of those that it lets through.
// 2. Calls to the same process are numbered. One that is read after a newer one had been given up.
// 3. All addresses of a process are tried in turn, each for its share of the patience, until that is over. If
//    all of them refuse, it is gone, and kPatience is enough.
// 4. Who does not say hello with the job's key is not listened to any further; only so many are kept
//    waiting, and not for long.
//
// Patience is counted in ticks: time in which this process stood still is not the other's delay. Nothing
// blocks. Threads: as the wire.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "transport/wire/frame.hpp"
#include "transport/wire/socket.hpp"

namespace weft::wire {

// Where a process can be reached: its addresses, in the order in which they are to be tried.
using Reach = std::vector<SocketAddress>;

// What has become of a call: a connection, or why there is none and will be none.
struct Outcome {
  int process = -1;
  Descriptor socket;  // closed if there is a problem
  std::string problem;
};

class Switchboard {
 public:
  static constexpr Nanoseconds kLongestCall{20'000'000'000};

  // `processes`: where each can be reached.
  Switchboard(const JobKey& key, int self, Listener listener, std::vector<Reach> processes,
              Nanoseconds patience = kLongestCall);
  Switchboard(const Switchboard&) = delete;

  int self() const { return self_; }
  int process_count() const { return static_cast<int>(parties_.size()); }
  // Wants a connection with that process; no matter if it is called already. Its outcome comes from drive(),
  // as do those of others who call.
  void call(int process);
  // Takes what has come: who has been connected, or given up, each process once.
  std::vector<Outcome> drive();
  // Readable when drive() has something to do.
  int descriptor() const { return epoll_.number(); }

  const Reach& reach(int process) const { return processes_[static_cast<std::size_t>(process)]; }
  // Whether somebody's call has been answered, and does not stand yet.
  bool is_answering() const;
  // Nobody is let in or called any more: who has been told that this process is here would be lost with it.
  // Who calls waits at the door.
  void hang_up();
  // In a child of this process. Calls under way go when the child ends: another thread may have been in the
  // middle of one.
  void leave_to_parent();
  // Why it has not been reached so far.
  const std::string& why(int process) const { return party(process).why; }
  // How many have called that are not of this job.
  int strangers() const { return strangers_; }

 private:
  // A call on its way, at either end.
  struct Guest {
    Descriptor socket;
    int process = -1;          // -1: a caller who has not said it yet
    std::uint32_t number = 0;  // of the call
    bool is_own = false;       // it is this process that calls,
    bool is_connected = true;  // and whether TCP has reached somebody
    std::size_t got = 0;       // of the other end's next hello
    Hello hello;
    int age = 0;  // in ticks
  };
  struct Party {
    int guest = -1;  // the number of its call's socket; -1: there is none
    bool is_wanted = false, is_settled = false;
    int age = 0;  // since it is wanted, in ticks
    std::size_t address = 0, refusals = 0;
    std::uint32_t calls = 0, answered = 0;  // how many this process has begun, and the other's last one
    std::string why = "it has not called";
  };
  Party& party(int process) { return parties_[static_cast<std::size_t>(process)]; }
  const Party& party(int process) const { return parties_[static_cast<std::size_t>(process)]; }

  void watch(int descriptor, std::uint32_t events, bool is_new);
  std::vector<const Descriptor*> doors() const;
  void open_doors(bool open);
  void answer_the_door(const Descriptor& door);
  void dial(int process);
  void settle(Guest& guest);
  bool say_hello(const Guest& guest) const;
  bool is_meant(const Guest& guest) const;
  void answer(Guest& caller);
  void connect(Guest& guest);
  void drop(const Guest& guest);
  void miss(Guest& guest, const std::string& why);
  void note_problem(int process, const std::string& why);
  void give_up(int process);

  void start_ticking();
  void tick();
  void end_old_calls();

  JobKey key_;
  int self_;
  Listener listener_;
  std::vector<Reach> processes_;
  int patience_;  // in ticks
  Descriptor epoll_, timer_;
  std::unordered_map<int, Guest> guests_;  // by their sockets' numbers
  std::vector<Party> parties_;             // by process
  std::vector<int> wanted_;
  std::vector<Outcome> outcomes_;
  std::size_t unknown_ = 0;  // of the guests
  int strangers_ = 0;
  bool are_doors_open_ = true, is_ticking_ = false, has_hung_up_ = false;
};

}  // namespace weft::wire
