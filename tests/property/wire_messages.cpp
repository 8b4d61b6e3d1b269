// SPDX-License-Identifier: BSD-3-Clause
// Single messages over the wire: early, wrong, to nobody, half way; and what a lost process does to others.
#include <array>
#include <deque>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "support/two_wires.hpp"

namespace weft::tests {
namespace {

class WireMessages : public OverEachCarrier {};
INSTANTIATE_TEST_SUITE_P(Carriers, WireMessages, each_carrier(), carrier_of_test);

TEST_P(WireMessages, keeps_what_comes_early) {
  Two two(carriers(2, kKey));
  wire::Outbox out(4), in(4);
  const std::uint64_t first = 11, second = 22;
  std::uint64_t got = 0;
  EXPECT_NE(two.a.send(out, 1, 1, &first, 8), Progress::kFailed);
  EXPECT_NE(two.a.send(out, 1, 2, &second, 8), Progress::kFailed);
  two.settle();
  EXPECT_EQ(two.b.recv(in, 0, 2, &got, 8), Progress::kDone);
  EXPECT_EQ(got, second);
  EXPECT_EQ(two.b.recv(in, 0, 1, &got, 8), Progress::kDone);
  EXPECT_EQ(got, first);
}

TEST_P(WireMessages, refuses_another_size_than_was_asked_for) {
  for (const bool is_early : {false, true}) {
    Two two(carriers(2, kKey));
    wire::Outbox out(1), in(1);
    std::array<std::uint64_t, 2> got{};
    const std::uint64_t sent = 1;
    Progress progress = Progress::kPending;
    if (!is_early) progress = two.b.recv(in, 0, 1, got.data(), 16);
    two.a.send(out, 1, 1, &sent, 8);
    two.settle();
    if (is_early) progress = two.b.recv(in, 0, 1, got.data(), 16);
    std::array<TaskId, 1> done;
    const bool failed = progress == Progress::kFailed || in.take_completed(done) < 0;
    EXPECT_TRUE(failed && in.has_other_size());
    EXPECT_EQ(got, (std::array<std::uint64_t, 2>{}));
  }
}

// The sender of a long message would wait for its receiver, and that one for a short message.
TEST_P(WireMessages, refuses_a_long_message_where_a_short_one_is_expected) {
  for (const bool receiver_is_first : {false, true}) {
    Two two(carriers(2, kKey));
    wire::Outbox out(1), in(1);
    const std::vector<std::byte> sent(kLong);
    std::uint64_t got = 0;
    Progress progress = Progress::kPending;
    if (receiver_is_first) progress = two.b.recv(in, 0, 1, &got, 8);
    EXPECT_EQ(two.a.send(out, 1, 1, sent.data(), kLong), Progress::kPending);
    two.settle();
    if (!receiver_is_first) progress = two.b.recv(in, 0, 1, &got, 8);
    std::array<TaskId, 1> done;
    EXPECT_TRUE(progress == Progress::kFailed || in.take_completed(done) < 0);
    EXPECT_TRUE(in.has_other_size());
  }
}

TEST(Wire, fails_what_waits_for_a_peer_that_is_gone) {
  auto ends = joined(2);
  End a(0, std::move(ends[0]), Two::kBoth);
  wire::Outbox in(1);
  std::uint64_t got = 0;
  EXPECT_EQ(a.recv(in, 1, 1, &got, 8), Progress::kPending);
  ends.clear();
  a.wire.drive();
  std::array<TaskId, 1> done;
  EXPECT_LT(in.take_completed(done), 0);
  EXPECT_FALSE(a.wire.reaches(1));
  EXPECT_EQ(a.wire.trouble_with(1), "it has closed the connection");
  EXPECT_EQ(a.wire.lost_by(kCommunicator), 1);
  wire::Outbox out(1);
  EXPECT_EQ(a.send(out, 1, 1, &got, 8), Progress::kFailed);
}

// A process that needs nothing of the lost one itself, but of somebody who does, is told.
TEST(Wire, tells_the_other_members_who_is_lost) {
  constexpr std::array<int, 3> kAll{0, 1, 2};
  auto ends = joined(3);
  End a(0, std::move(ends[0]), kAll), b(1, std::move(ends[1]), kAll);
  ends[2][0] = wire::Descriptor();  // 0 loses 2, which 1 still reaches
  wire::Outbox in(1);
  std::uint64_t got = 0;
  EXPECT_EQ(b.recv(in, 0, 1, &got, 8), Progress::kPending);
  a.wire.drive();
  b.wire.drive();
  std::array<TaskId, 1> done;
  EXPECT_LT(in.take_completed(done), 0);
  EXPECT_EQ(b.wire.lost_by(kCommunicator), 2);
  EXPECT_TRUE(b.wire.reaches(2));
}

TEST(Wire, drops_a_frame_that_is_not_of_this_job) {
  struct Forgery {
    const char* what;
    wire::FrameHead head;
  };
  const auto forged = [](auto change) {
    wire::FrameHead head{.key = kKey,
                         .address = {.communicator = kCommunicator, .operation = 1, .sender = 1}};
    change(head);
    return head;
  };
  for (const Forgery& forgery :
       {Forgery{"key", forged([](auto& head) { head.key.low ^= 1; })},
        Forgery{"size", forged([](auto& head) { head.size = -1; })},
        Forgery{"sender", forged([](auto& head) { head.address.sender = 0; })},
        Forgery{"kind", forged([](auto& head) { head.address.kind = static_cast<wire::FrameKind>(77); })},
        Forgery{"word with a payload", forged([](auto& head) {
                  head.address.kind = wire::FrameKind::kAsks;
                  head.size = 8;
                })}}) {
    auto ends = joined(2);
    End a(0, std::move(ends[0]), Two::kBoth);
    ASSERT_EQ(::send(ends[1][0].number(), &forgery.head, sizeof forgery.head, 0),
              ssize_t{sizeof forgery.head});
    a.wire.drive();
    EXPECT_EQ(a.wire.dropped(), 1U) << forgery.what;
    EXPECT_EQ(a.wire.trouble_with(1), "it has sent a frame that is not of this job") << forgery.what;
  }
}

TEST(Wire, leaves_what_waits_for_a_peer_that_has_said_goodbye) {
  auto ends = joined(2);
  End a(0, std::move(ends[0]), Two::kBoth);
  wire::Outbox in(1), out(1);
  std::uint64_t got = 0;
  EXPECT_EQ(a.recv(in, 1, 1, &got, 8), Progress::kPending);
  {
    End b(1, std::move(ends[1]), Two::kBoth);
    b.wire.say_goodbye();
  }
  a.wire.drive();
  a.wire.drive();
  std::array<TaskId, 1> done;
  EXPECT_EQ(in.take_completed(done), 0);
  EXPECT_EQ(a.wire.trouble_with(1), "");
  EXPECT_EQ(a.send(out, 1, 1, &got, 8), Progress::kDone);
  a.wire.forget(in);
}

// What a process has said before it went is read before anybody takes notice that it cannot be written to.
TEST(Wire, reads_what_was_said_before_it_finds_that_nobody_listens) {
  auto ends = joined(2);
  End a(0, std::move(ends[0]), Two::kBoth);
  std::uint64_t sent = 5, got = 0;
  wire::Outbox in(1), out(1);
  {
    End b(1, std::move(ends[1]), Two::kBoth);
    EXPECT_EQ(b.send(out, 0, 1, &sent, 8), Progress::kDone);
    b.wire.say_goodbye();
  }
  EXPECT_EQ(a.send(out, 1, 1, &sent, 8), Progress::kDone);
  EXPECT_EQ(a.recv(in, 1, 1, &got, 8), Progress::kDone);
  EXPECT_EQ(got, sent);
  EXPECT_EQ(a.wire.lost_by(kCommunicator), -1);
}

// Linux takes as much again for its own use.
TEST(Wire, has_the_send_buffers_that_are_asked_for) {
  for (const Bytes asked : {Bytes(0), Bytes(16 << 10)}) {
    auto ends = joined(2);
    const int socket = ends[0][1].number();
    int before = 0, after = 0;
    socklen_t size = sizeof before;
    ASSERT_EQ(::getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &before, &size), 0);
    const wire::TcpCarrier carrier(std::move(ends[0]), nullptr, {},
                                   {.buffer = asked, .congestion_control = ""});
    ASSERT_EQ(::getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &after, &size), 0);
    EXPECT_EQ(after, asked == Bytes(0) ? before : 2 * asked.value);
  }
}

// Whatever is on its way goes to its end first.
TEST(Wire, says_goodbye_behind_a_message_that_is_half_written) {
  Two two(joined(2, 4096));
  const std::vector<std::byte> sent(kLong, std::byte{1});
  std::vector<std::byte> got(kLong);
  wire::Outbox out(1), in(1);
  EXPECT_EQ(two.b.recv(in, 0, 1, got.data(), kLong), Progress::kPending);
  two.a.wire.drive();  // the receiver is ready
  EXPECT_EQ(two.a.send(out, 1, 1, sent.data(), kLong), Progress::kPending);
  two.b.wire.drive();  // there is room again
  two.a.wire.say_goodbye();
  EXPECT_EQ(drive_until_over(two, in), 1);
  EXPECT_EQ(got, sent);
}

// Its buffers may go, and those who come after it get theirs.
TEST(Wire, forgets_an_operation_in_the_middle_of_a_message) {
  Two two(joined(2, 4096));
  auto sent = std::make_unique<std::vector<std::byte>>(kLong, std::byte{1});
  auto got = std::make_unique<std::vector<std::byte>>(kLong);
  wire::Outbox out(2), in(2), later_out(1), later_in(1);
  EXPECT_EQ(two.b.recv(in, 0, 1, got->data(), kLong), Progress::kPending);
  two.a.wire.drive();
  EXPECT_EQ(two.a.send(out, 1, 1, sent->data(), kLong), Progress::kPending);
  two.b.wire.drive();
  two.a.wire.forget(out);
  two.b.wire.forget(in);
  sent.reset();
  got.reset();
  const std::uint64_t last = 5;
  std::uint64_t arrived = 0;
  two.a.send(later_out, 1, 2, &last, 8);
  EXPECT_EQ(two.b.recv(later_in, 0, 2, &arrived, 8), Progress::kPending);
  EXPECT_EQ(drive_until_over(two, later_in), 1);
  EXPECT_EQ(arrived, last);
}

}  // namespace
}  // namespace weft::tests
