// SPDX-License-Identifier: BSD-3-Clause
// The stopwatch on clocks that stand still between steps: every moment is in one part, and reading is free.
#include <gtest/gtest.h>

#include "observe/times.hpp"

namespace weft::tests {
namespace {

constexpr Nanoseconds kReading{20};
Nanoseconds clock_now, on_core;

Nanoseconds read_elapsed() {
  clock_now += kReading;
  on_core += kReading;
  return clock_now;
}

Nanoseconds read_on_core() {
  clock_now += kReading * 10;
  on_core += kReading * 10;
  return on_core;
}

void work(std::int64_t ns) {
  clock_now += Nanoseconds(ns);
  on_core += Nanoseconds(ns);
}

void stay_away(std::int64_t ns) { clock_now += Nanoseconds(ns); }

class StopwatchParts : public testing::Test {
 protected:
  explicit StopwatchParts(Clocks clocks = {.elapsed = read_elapsed}) : watch(clocks) { stopwatch = &watch; }
  ~StopwatchParts() override { stopwatch = nullptr; }

  std::int64_t ns(Activity part) const { return watch[part].time.value; }
  std::uint64_t count(Activity part) const { return watch[part].count; }

  Stopwatch watch;
};

class StopwatchOnCore : public StopwatchParts {
 protected:
  StopwatchOnCore() : StopwatchParts({.elapsed = read_elapsed, .on_core = read_on_core}) {}
};

void one_call() {
  const Timed rest(Activity::kRest);
  work(100);
  {
    const Timed planning(Activity::kPlanning);
    work(1000);
    const Timed copies(Activity::kCopies);
    work(30);
  }
  work(7);
}

TEST_F(StopwatchParts, gives_every_moment_to_the_innermost_part) {
  one_call();
  EXPECT_EQ(ns(Activity::kRest), 107);
  EXPECT_EQ(ns(Activity::kPlanning), 1000);
  EXPECT_EQ(ns(Activity::kCopies), 30);
  EXPECT_EQ(ns(Activity::kTesting), 0);
}

TEST_F(StopwatchParts, counts_beginnings_and_no_returns) {
  one_call();
  one_call();
  EXPECT_EQ(count(Activity::kRest), 2);
  EXPECT_EQ(count(Activity::kPlanning), 2);
  EXPECT_EQ(count(Activity::kTesting), 0);
}

TEST_F(StopwatchParts, stands_while_the_program_runs) {
  one_call();
  work(1000000);
  one_call();
  EXPECT_EQ(ns(Activity::kRest), 214);
}

TEST_F(StopwatchParts, may_stop_within_a_part) {
  {
    const Timed rest(Activity::kRest);
    work(5);
    stopwatch = nullptr;
    const Timed planning(Activity::kPlanning);
    work(9);
  }
  EXPECT_EQ(ns(Activity::kPlanning), 0);
  EXPECT_EQ(ns(Activity::kRest), 14);
}

TEST_F(StopwatchOnCore, agrees_with_elapsed_time_where_the_thread_stays) {
  one_call();
  EXPECT_EQ(ns(Activity::kRest), 107);
  EXPECT_EQ(ns(Activity::kPlanning), 1000);
}

TEST_F(StopwatchOnCore, takes_an_absence_out_of_the_piece_that_it_was_in) {
  {
    const Timed rest(Activity::kRest);
    work(400);
    const Timed testing(Activity::kTesting);
    work(50);
    stay_away(4000000);
    work(50);
  }
  EXPECT_EQ(ns(Activity::kRest), 400);
  EXPECT_EQ(ns(Activity::kTesting), 100);
}

TEST_F(StopwatchOnCore, knows_no_absence_outside) {
  one_call();
  stay_away(4000000);
  one_call();
  EXPECT_EQ(ns(Activity::kPlanning), 2000);
}

TEST(Timed, does_nothing_where_nobody_measures) {
  one_call();
  EXPECT_EQ(stopwatch, nullptr);
}

}  // namespace
}  // namespace weft::tests
