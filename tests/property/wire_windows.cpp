// SPDX-License-Identifier: BSD-3-Clause
// Nobody runs far ahead: long messages wait for their receivers, and short ones for room.
#include <array>
#include <deque>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "support/two_wires.hpp"

namespace weft::tests {
namespace {

class WireWindows : public OverEachCarrier {};
INSTANTIATE_TEST_SUITE_P(Carriers, WireWindows, each_carrier(), carrier_of_test);

// Whether the receiver comes first or the sender.
TEST_P(WireWindows, sends_a_long_message_when_its_receiver_is_ready) {
  for (const bool receiver_is_first : {false, true}) {
    Two two(carriers(2, kKey));
    std::vector<std::byte> sent(kLong, std::byte{1}), got(kLong);
    wire::Outbox out(1), in(1);
    if (receiver_is_first) {
      EXPECT_EQ(two.b.recv(in, 0, 1, got.data(), kLong), Progress::kPending);
      two.a.wire.drive();
    }
    EXPECT_EQ(two.a.send(out, 1, 1, sent.data(), kLong), Progress::kPending);
    two.b.wire.drive();
    if (!receiver_is_first) { EXPECT_EQ(two.b.recv(in, 0, 1, got.data(), kLong), Progress::kPending); }
    EXPECT_EQ(drive_until_over(two, in), 1);
    EXPECT_EQ(drive_until_over(two, out), 1);
    EXPECT_EQ(got, sent);
  }
}

// A root that nobody keeps up with: its messages wait with it, in any number, and all come.
TEST_P(WireWindows, runs_ahead_of_a_receiver_by_a_window_alone) {
  for (const std::int64_t size : {std::int64_t{8}, std::int64_t{4096}, wire::Sequence::kMostUnasked.value}) {
    Two two(carriers(2, kKey));
    constexpr std::uint64_t kOperations = 5000;
    const std::vector<std::byte> sent(static_cast<std::size_t>(size), std::byte{7});
    std::deque<wire::Outbox> out;  // they stay where they are
    std::uint64_t gone = 0, over = 0;
    for (std::uint64_t operation = 1; operation <= kOperations; ++operation) {
      out.emplace_back(1);
      if (two.a.send(out.back(), 1, operation, sent.data(), size) == Progress::kDone) ++gone;
      two.b.wire.drive();
    }
    std::array<TaskId, 1> done;
    two.settle();  // what waits for a connection goes as well
    for (wire::Outbox& one : out) gone += static_cast<std::uint64_t>(one.take_completed(done));
    EXPECT_GE(gone, 3U);
    EXPECT_LE(gone * static_cast<std::uint64_t>(size + 256), std::uint64_t{512} << 10);
    std::vector<std::byte> got(sent.size());
    for (std::uint64_t operation = 1; operation <= kOperations; ++operation) {
      wire::Outbox in(1);
      two.b.wire.begin(two.b.sequence, operation);
      const bool is_here = two.b.recv(in, 0, operation, got.data(), size) == Progress::kDone;
      ASSERT_TRUE(is_here || drive_until_over(two, in) == 1) << operation;
    }
    two.settle();
    for (wire::Outbox& one : out) over += static_cast<std::uint64_t>(one.take_completed(done));
    EXPECT_EQ(gone + over, kOperations);
  }
}

// Operations that are far ahead take no room from an older one that needs another message.
TEST_P(WireWindows, lets_an_old_operation_go_on_behind_a_full_window) {
  Two two(carriers(2, kKey));
  constexpr std::int64_t kSize = 32 << 10;
  const std::vector<std::byte> sent(kSize, std::byte{7});
  std::deque<wire::Outbox> out;  // they stay where they are
  for (std::uint64_t operation = 2; operation < 40; ++operation) {
    out.emplace_back(1);
    two.a.send(out.back(), 1, operation, sent.data(), kSize);
  }
  wire::Outbox first(1), in(1);
  std::vector<std::byte> got(kSize);
  two.a.send(first, 1, 1, sent.data(), kSize);
  EXPECT_EQ(two.b.recv(in, 0, 1, got.data(), kSize), Progress::kPending);
  EXPECT_EQ(drive_until_over(two, in), 1);
}

// A question to a sequence that the other end has not made yet is answered when it has.
TEST_P(WireWindows, answers_questions_that_came_before_their_sequence) {
  Carriers both = carriers(2, kKey);
  End a(0, std::move(both[0]), Two::kBoth);
  wire::Wire b(kKey, 1, std::move(both[1]));
  std::deque<wire::Outbox> out;  // they stay where they are
  const std::uint64_t sent = 1;
  std::uint64_t got = 0;
  for (std::uint64_t operation = 1; operation <= 2000; ++operation) {
    out.emplace_back(1);
    a.send(out.back(), 1, operation, &sent, 8);
  }
  b.drive();
  wire::Sequence late(kCommunicator, 0, Two::kBoth);
  b.join(late);
  for (std::uint64_t operation = 1; operation <= 2000; ++operation) {
    wire::Outbox in(1);
    b.begin(late, operation);
    Progress progress = b.recv(late, in, TaskId(0), 0, End::address_of(operation), &got, Bytes(8));
    std::array<TaskId, 1> done;
    for (int turn = 0; turn < 100000 && progress == Progress::kPending; ++turn) {
      a.wire.drive();
      b.drive();
      if (in.take_completed(done) == 1) progress = Progress::kDone;
    }
    ASSERT_EQ(progress, Progress::kDone) << operation;
  }
}

TEST(WireSequence, numbers_operations_in_a_space_of_its_own) {
  wire::Sequence fifth(kCommunicator, 5, Two::kBoth), fourth(kCommunicator, 4, Two::kBoth);
  const std::uint64_t first = fifth.next(), second = fifth.next();
  EXPECT_NE(first, second);
  EXPECT_TRUE(fifth.has(first) && fifth.has(second));
  EXPECT_FALSE(fourth.has(first));
  EXPECT_NE(fourth.next(), first);
}

}  // namespace
}  // namespace weft::tests
