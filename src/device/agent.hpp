// SPDX-License-Identifier: BSD-3-Clause
// Agent: a thread that moves a process's operations over its wire while the process computes.
//
// It sleeps until something comes, on the wire or by its bell or alarm, and then does all that can be done.
// Where all that is left of the operations is to take in the little that their own rank waits for, it sleeps
// on: that rank takes it in as fast as a thread is woken, and where no core is free, waking one costs it more
// than that. A rank that waits inside MPI drives the same operations itself: whoever has the lock does, and
// the agent stands back as long as somebody keeps doing so. A rank that has only something to start need not
// wait for the lock, which may be long where much is copied: it hands the work over.
//
// It blocks all signals, takes no lock but its own, and calls nothing of the front door's.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"
#include "device/alarm.hpp"
#include "device/bell.hpp"
#include "device/work.hpp"
#include "topology/machine.hpp"
#include "transport/wire/wire.hpp"

namespace weft::device {

struct AgentCores {
  std::optional<CpuSet> cpus;  // where it runs; none: where the process does
  bool are_too_few = false;    // there are more ranks
};

class Agent {
 public:
  // Fails where the machine has no descriptor or thread left.
  static Result<std::unique_ptr<Agent>> make(std::unique_ptr<wire::Wire> wire, Bell bell,
                                             const AgentCores& cores = {});
  ~Agent();
  Agent(const Agent&) = delete;

  // For whoever uses the wire, or begins or ends work.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  std::unique_lock<std::mutex> try_lock() { return std::unique_lock(mutex_, std::try_to_lock); }
  wire::Wire& wire() { return *wire_; }
  // The caller holds the lock, for these three.
  void begin(Work& work);
  void withdraw(Work& work);
  // This one alone, if it is under way.
  void move(Work& work);
  // Whoever has begun some goes away now, for all that can be known: the agent does not stand back any more,
  // if it is needed.
  void expect_to_be_left();
  // Whoever begins something waits for it at once, time after time.
  bool is_in_a_loop() const;
  // Whether the agent stands back from such a loop, and looks before long at what is begun now. Then nobody
  // has to wake it for that. The caller holds the lock.
  bool looks_by_itself();
  // The work has still to be moved for the first time, by the agent, unless a rank comes first. Without the
  // lock, and without waiting for it.
  void hand_over(Work& work);
  // The same, for what takes long by itself and waits for nobody: the agent need not begin before the rank
  // has gone away.
  void hand_over_soon(Work& work);
  // Until as many are taken back with -1, frames may come that others wait for, without any work here: the
  // agent hears the wire. The caller holds the lock.
  void expect_others(int by);
  // Something is expected from others: the agent looks now and then whether they still live.
  void watch();

  // Nothing more comes from this process. Waits until what came before has arrived at the others, but not
  // for long. Before the agent ends.
  void say_goodbye();
  // In a child of this process, which has no agent: the connections are not its own.
  void leave_to_parent() { wire_->close_all(); }

  // Moves everything, unless somebody else is doing so. For those who wait.
  void drive();

  // How often it has woken up, and what its thread has taken.
  std::uint64_t wakes() const { return wakes_.load(std::memory_order_relaxed); }
  Nanoseconds cpu_time();

 private:
  Agent(std::unique_ptr<wire::Wire> wire, Bell bell, Alarm alarm, wire::Descriptor ears, bool lacks_cores);
  void run();
  void add_handed_over(Work& work);
  bool move_all();  // whether anything had come
  void move_all_alone();
  void move_works();
  void lie_down();
  void take_in();
  void add(Work& work);
  void remove(Work& work);
  void note_urgency(Work& work, bool is_urgent);
  void listen();
  void hear_wire(bool yes);
  void look_for_silence();
  bool move_unless_driven();
  bool stand_back(std::int64_t ns);
  bool is_still_driven() const;
  void note_drive(std::uint64_t now);
  void note_return(std::uint64_t begun_at, bool at_once);
  int longest_wait(bool watches);

  std::unique_ptr<wire::Wire> wire_;
  Bell bell_;
  Alarm alarm_;
  wire::Descriptor ears_;  // readable when the wire, if it is heard, the bell or the alarm is
  std::mutex mutex_;
  std::vector<Work*> under_way_;
  std::size_t urgent_ = 0;  // so many of them concern others
  int others_expected_ = 0;
  bool hears_wire_ = true;                    // what comes there wakes the agent
  std::atomic<Work*> handed_over_{nullptr};   // the last one, without the lock
  std::atomic<std::uint64_t> last_drive_{0};  // by a rank: when, in ns
  std::atomic<std::uint64_t> stands_back_until_{0};
  // When somebody began work and has not driven it yet, else 0; and how many have waited at once, one after
  // the other.
  std::atomic<std::uint64_t> begun_at_{0};
  std::atomic<int> waited_at_once_{0};
  std::atomic<bool> waits_on_wire_{false};
  int woken_for_nothing_ = 0;
  std::atomic<std::uint64_t> wakes_{0};
  bool lacks_cores_;
  bool is_ordinary_ = false;               // no real-time policy is the program's
  std::atomic<bool> stands_aside_{false};  // it was woken for what need not begin at once
  std::atomic<bool> lies_{true};           // what there is to do wakes the agent
  std::atomic<bool> watches_{false}, ends_{false};
  std::thread thread_;
};

}  // namespace weft::device
