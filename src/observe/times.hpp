// SPDX-License-Identifier: BSD-3-Clause
// Times: what the time inside Weft is spent on.
//
//   program | rest | planning | rest | posting | rest | program | rest | testing | reductions | … | program
//
// At every moment the process's one stopwatch runs for one part or for none: a Timed switches it to its part
// and, at its end, back to the part around it, so that no moment counts twice. What this takes itself is
// left out.
//
// By default nobody measures: `stopwatch` is null, and a Timed costs a comparison at either end. The
// stopwatch belongs to whoever holds the engine's lock; nothing is allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace weft {

enum class Activity : std::uint8_t {
  kPlanning,    // finding a call's plan, and making it the first time
  kCopies,      // copies within a rank, packing and unpacking
  kReductions,  // applying operators
  kPosting,     // starting sends and receives
  kTesting,     // asking whether they are complete, which drives the host
  kRest,        // everything else inside Weft
  kOutside,     // the program and its host: not counted
};
inline constexpr std::size_t kPartCount = 6;

struct PartTime {
  std::uint64_t count = 0;  // how many times it began
  Nanoseconds time;
};

struct Clocks {
  Nanoseconds (*elapsed)();
  // Null: a part's time is the time that passed. Else it is only what the thread spent on a core, at two
  // readings for each stay inside Weft: time without a core is taken out of the stay's longest piece, where a
  // yield or a preemption was.
  Nanoseconds (*on_core)() = nullptr;
};

class Stopwatch {
 public:
  explicit Stopwatch(Clocks clocks);  // finds out what it takes itself

  Activity begin(Activity part);  // returns the part around it
  void end(Activity around);
  const PartTime& operator[](Activity part) const { return parts_[static_cast<std::size_t>(part)]; }

 private:
  void switch_to(Activity next);
  void charge(Nanoseconds now);
  void take_out_absence(Nanoseconds now);

  Clocks clocks_;
  Nanoseconds elapsed_cost_, on_core_cost_;
  std::array<PartTime, kPartCount> parts_{};
  Activity running_ = Activity::kOutside;
  Nanoseconds since_;
  // About the present stay inside Weft.
  Nanoseconds entered_, entered_on_core_, longest_;
  Activity longest_part_ = Activity::kRest;
};

inline Stopwatch* stopwatch = nullptr;

// While it lives, time counts for this part.
class Timed {
 public:
  static bool is_wanted() { return stopwatch != nullptr; }
  explicit Timed(Activity part) : watch_(stopwatch) {
    if (watch_ != nullptr) [[unlikely]]
      around_ = watch_->begin(part);
  }
  ~Timed() {
    if (watch_ != nullptr) [[unlikely]]
      watch_->end(around_);
  }
  Timed(const Timed&) = delete;

 private:
  Stopwatch* watch_;
  Activity around_ = Activity::kOutside;
};

}  // namespace weft
