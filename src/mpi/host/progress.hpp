// SPDX-License-Identifier: BSD-3-Clause
// Progress: the one place where Weft and its host MPI drive each other (drop_in rule 1).
//
// Host -> Weft: a host with a hook (Open MPI: opal_progress_register) calls progress() from every blocking
// call of its own, in any language, at each look or, without operations to move, at every eighth. Where there
// is none (MPICH 4.0) each call that may block becomes a start and a loop of test and progress() while this
// process has unfinished Weft operations.
//
// Weft -> host: every wait of Weft calls progress(), which tests Weft's own messages and so drives the host;
// and because an operation within a node has none, drive_host() at a bounded interval.
//
// progress() may be entered by any thread and from within itself: it tries the lock and never waits for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <sched.h>

namespace weft::mpi {

// Whether threads may be inside MPI at the same time. If not, the lock below only has to notice re-entry, and
// is spared the atomic instruction: that would wait until the message just written has reached the other
// core.
inline bool many_threads = true;

// A lock that is rarely contended and never slept on. Whoever is inside the host MPI may only try it, and
// gives way to those who must have it: a thread that tries in a loop would else starve them.
class YieldingLock {
 public:
  bool try_lock() { return waiting_.load(std::memory_order_relaxed) == 0 && take(); }
  void lock() {
    if (take()) return;
    waiting_.fetch_add(1, std::memory_order_relaxed);
    while (!take()) ::sched_yield();
    waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  bool take() {
    if (!many_threads) {
      if (taken_.load(std::memory_order_relaxed)) return false;
      taken_.store(true, std::memory_order_relaxed);
      return true;
    }
    return !taken_.load(std::memory_order_relaxed) && !taken_.exchange(true, std::memory_order_acquire);
  }

  std::atomic<bool> taken_{false};
  std::atomic<int> waiting_{0};
};

// What one look at the operations in flight came to; if several hold, the one further down.
enum class Moved : std::uint8_t {
  kNothing,   // there is no operation, or somebody is doing it already
  kInMemory,  // all wait for what others write: that took some nanoseconds, and did not reach the host
  kByHost,    // all wait, some for the host's messages: it has been driven
  kFurther,   // an operation has got further
  kWire,      // some go over the wire: that took a system call or two, and did not reach the host
};
// Moves every operation in flight one step.
Moved progress();

// Operations started and not finished, in this process. Changed only under the engine's lock.
inline std::atomic<int> unfinished_operations{0};
inline void change_unfinished(int by) {
  unfinished_operations.store(unfinished_operations.load(std::memory_order_relaxed) + by,
                              std::memory_order_release);
}

// Weft executes calls, and the host does not call progress(): between MPI_Init and MPI_Finalize.
inline std::atomic<bool> host_has_no_hook{false};

// Whether a blocking call has to be taken apart right now, so that Weft moves while it waits.
inline bool must_drive_now() {
  return host_has_no_hook.load(std::memory_order_relaxed) &&
         (many_threads || unfinished_operations.load(std::memory_order_relaxed) > 0);
}

// On a host that does not move Weft by itself, calls that only look (MPI_Test, MPI_Iprobe) move it one step.
inline void nudge() {
  if (unfinished_operations.load(std::memory_order_relaxed) > 0) progress();
}

// Whoever leaves a barrier of the host has taken in what had been sent to it before, and programs count on
// finding it at their first look. What Weft executes may end without having moved the host so far; the next
// look of each thread does.
inline std::atomic<unsigned> ended_operations{0};  // changed only under the engine's lock
inline constinit thread_local unsigned caught_up_with = 0;
void catch_up();

// Around calls that programs look with and that return at once. They move the host themselves: what ends
// inside one needs nothing more.
class Look {
 public:
  Look() {
    if (ended_operations.load(std::memory_order_acquire) != caught_up_with) catch_up();
  }
  ~Look() { caught_up_with = ended_operations.load(std::memory_order_acquire); }
  Look(const Look&) = delete;
};

// The host's own progress engine yields the core when it finds nothing to do. A second yield per look would
// halve the rate at which a rank that shares its core looks for messages; with none between looks into
// memory, ranks that wait keep the core from those whom they wait for.
inline bool host_yields = false;

// Ranks outnumber the cores of their node: whom a rank waits for may need its own.
inline bool in_a_crowd = false;

// After so many looks in vain a wait is a slow one, which drives the host more often; after so many it gives
// its core away at each further look. In a crowd a slow wait does so before now and then: a host that yields
// does it whenever it is driven, which is at every eighth look of all calls together. So a rank that keeps
// catching up with another, call by call, lets it get ahead.
inline int looks_before_slow() { return in_a_crowd ? 1 : 50; }
inline int looks_before_yields() { return !in_a_crowd ? 50 : host_yields ? 12 : 1; }

// Gives the core away, as long as that is cheap (progress.cpp).
void yield_unless_dear();
bool yields_are_dear();

// Spins briefly, then yields: costs nothing with a core per rank, and saves everything with fewer cores.
class Backoff {
 public:
  void pause() {
    if (++looks_ > looks_before_yields()) yield_unless_dear();
  }
  bool is_slow() const { return looks_ > looks_before_slow() && !yields_are_dear(); }

 private:
  int looks_ = 0;  // in vain
};

// Lets the host's own communication move (hook.cpp).
void drive_host();

// A host with a hook calls progress() at each of its looks, not only now and then. To be asked for, under the
// engine's lock, where a call returns and leaves an operation under way.
inline std::atomic<bool> host_calls_always{false};
void be_called_always();

// Counts across calls: many short waits drive the host as often as a long one. A slow one takes time per
// look, so that it drives the host sooner.
inline std::atomic<unsigned> looks_without_host{0};
inline void drive_host_now_and_then(bool slowly) {
  constexpr unsigned kLooks = 64, kSlowLooks = 8;
  const unsigned looks =
      looks_without_host.load(std::memory_order_relaxed) + (slowly ? kLooks / kSlowLooks : 1);
  looks_without_host.store(looks < kLooks ? looks : 0, std::memory_order_relaxed);
  if (looks >= kLooks) drive_host();
}

template <class Done>
void wait_until(Done done) {
  Backoff backoff;
  for (;;) {
    drive_host_now_and_then(backoff.is_slow());
    if (done()) return;
    const Moved moved = progress();
    if (done()) return;
    if (moved == Moved::kFurther) backoff = Backoff();
    else if (moved == Moved::kWire && host_yields) yield_unless_dear();
    else if (moved != Moved::kByHost || !host_yields) backoff.pause();
  }
}

}  // namespace weft::mpi
