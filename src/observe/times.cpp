// SPDX-License-Identifier: BSD-3-Clause
#include "observe/times.hpp"

#include <algorithm>

namespace weft {
namespace {

// A thread that leaves its core is away for longer than this.
constexpr Nanoseconds kShortestAbsence{1000};

// What `measure` gives where there is nothing to measure; the least of many, since any may be disturbed.
template <class Measure>
Nanoseconds least_of_many(Measure measure) {
  Nanoseconds least = measure();
  for (int i = 0; i < 100; ++i) least = std::min(least, measure());
  return least;
}

}  // namespace

Stopwatch::Stopwatch(Clocks clocks) : clocks_{.elapsed = clocks.elapsed} {
  const Nanoseconds cost = least_of_many([this] {
    const Nanoseconds before = (*this)[Activity::kPlanning].time;
    begin(Activity::kRest);
    begin(Activity::kPlanning);
    end(Activity::kRest);
    end(Activity::kOutside);
    return (*this)[Activity::kPlanning].time - before;
  });
  parts_ = {};
  elapsed_cost_ = cost;
  clocks_ = clocks;
  if (clocks.on_core != nullptr)
    on_core_cost_ = least_of_many([on_core = clocks.on_core] {
      const Nanoseconds before = on_core();
      return on_core() - before;
    });
}

Activity Stopwatch::begin(Activity part) {
  const Activity around = running_;
  ++parts_[static_cast<std::size_t>(part)].count;
  switch_to(part);
  return around;
}

void Stopwatch::end(Activity around) { switch_to(around); }

void Stopwatch::switch_to(Activity next) {
  if (running_ == Activity::kOutside) {
    longest_ = Nanoseconds();
    if (clocks_.on_core != nullptr) entered_on_core_ = clocks_.on_core();
    entered_ = since_ = clocks_.elapsed();
  } else {
    const Nanoseconds now = clocks_.elapsed();
    charge(now);
    if (next == Activity::kOutside && clocks_.on_core != nullptr) take_out_absence(now);
  }
  running_ = next;
}

void Stopwatch::charge(Nanoseconds now) {
  const Nanoseconds piece = now - since_ - elapsed_cost_;
  parts_[static_cast<std::size_t>(running_)].time += piece;
  if (piece > longest_) {
    longest_ = piece;
    longest_part_ = running_;
  }
  since_ = now;
}

void Stopwatch::take_out_absence(Nanoseconds now) {
  const Nanoseconds on_core = clocks_.on_core() - entered_on_core_ - on_core_cost_ - elapsed_cost_;
  const Nanoseconds absence = now - entered_ - on_core;
  if (absence >= kShortestAbsence)
    parts_[static_cast<std::size_t>(longest_part_)].time -= std::min(absence, longest_);
}

}  // namespace weft
