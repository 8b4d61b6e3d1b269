// SPDX-License-Identifier: BSD-3-Clause
// Wires of processes that are connected when something is first to be said, or is waited for.
#include <algorithm>
#include <array>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "support/eventually.hpp"
#include "support/two_wires.hpp"

namespace weft::tests {
namespace {

constexpr Nanoseconds kShortPatience{1'000'000'000};

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

// Whoever was let in then would be lost with it, and has nothing to do with its end, whenever that is.
TEST(WireOnDemand, who_has_parted_lets_nobody_in) {
  for (int turns = 0; turns < 12; ++turns) {
    Wires wires(2);
    wires[0].wire.say_goodbye();
    EXPECT_TRUE(wires[0].wire.has_arrived());
    std::uint64_t sent = 5;
    wire::Outbox out(1);
    EXPECT_EQ(wires[1].send(out, 0, 1, &sent, 8), Progress::kPending);
    for (int turn = 0; turn < turns; ++turn) wires.drive();
    wires.ends[0].reset();
    for (int turn = 0; turn < 100; ++turn) wires.drive();
    EXPECT_EQ(wires[1].wire.trouble_with(0), "") << turns;
    EXPECT_EQ(wires[1].wire.lost_by(kCommunicator), -1) << turns;
  }
}

// A process that goes without the wire may call nevertheless, late: nobody speaks to it, nor misses it when
// it ends.
TEST(WireOnDemand, a_process_that_is_left_out_does_not_come_in_by_a_call_of_its_own) {
  const std::vector<int> all{0, 1};
  Carriers carriers = carriers_on_demand(2, kKey);
  carriers[0]->leave_out(1);
  End stays(0, std::move(carriers[0]), all);
  auto leaves = std::make_unique<End>(1, std::move(carriers[1]), all);
  wire::Outbox out(1), in(1);
  std::uint64_t value = 7, got = 0;
  EXPECT_EQ(leaves->send(out, 0, 1, &value, 8), Progress::kPending);
  EXPECT_EQ(stays.recv(in, 1, 1, &got, 8), Progress::kPending);
  std::array<TaskId, 1> done;
  EXPECT_TRUE(eventually([&] {
    leaves->wire.drive();
    stays.wire.drive();
    return out.take_completed(done) != 0 || !leaves->wire.reaches(0);
  }));
  leaves.reset();
  for (int turn = 0; turn < 100; ++turn) stays.wire.drive();
  EXPECT_EQ(in.take_completed(done), 0);
  EXPECT_EQ(got, 0U);
  EXPECT_FALSE(stays.wire.reaches(1));
  EXPECT_EQ(stays.wire.lost_by(kCommunicator), -1);
  stays.wire.forget(in);
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

}  // namespace
}  // namespace weft::tests
