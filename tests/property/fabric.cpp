// SPDX-License-Identifier: BSD-3-Clause
// What is different where libfabric carries a wire: meeting, strangers, silence, and buffers that others
// write in.
#include "transport/fabric/fabric.hpp"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include "support/eventually.hpp"
#include "support/two_wires.hpp"

namespace weft::tests {
namespace {

class Fabric : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no(CarriedBy::kFabric); !why.empty()) GTEST_SKIP() << why;
  }
};

// Drives a wire, as its process's agent would.
class Driver {
 public:
  explicit Driver(wire::Wire& wire)
      : thread_([this, &wire] {
          while (!ends_) {
            wire.drive();
            std::this_thread::yield();
          }
        }) {}
  ~Driver() {
    ends_ = true;
    thread_.join();
  }
  Driver(const Driver&) = delete;

 private:
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

TEST_F(Fabric, says_what_there_is_instead_of_a_provider_that_is_not_there) {
  const auto none = fabric::open_endpoint({.provider = "weft-none", .interface = "lo"});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().find("libfabric has no provider \"weft-none\" here: use one of"), std::string::npos)
      << none.error();
  EXPECT_NE(none.error().find("tcp"), std::string::npos) << none.error();
}

TEST_F(Fabric, says_what_there_is_instead_of_an_interface_that_is_not_there) {
  const auto none = fabric::open_endpoint({.provider = "tcp", .interface = "weft-none"});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().find("no network interface \"weft-none\""), std::string::npos) << none.error();
}

TEST_F(Fabric, is_surveyed_with_its_version_and_choice) {
  const fabric::Survey found = fabric::survey(loopback_fabric());
  EXPECT_EQ(found.problem, "");
  EXPECT_FALSE(found.version.empty());
  EXPECT_TRUE(found.chosen.starts_with("tcp")) << found.chosen;
  EXPECT_EQ(found.known_bad, fabric::known_bad(found.version));
}

TEST(FabricVersions, that_are_known_to_be_bad_are_named) {
  EXPECT_NE(fabric::known_bad("1.18.0").find("spin"), std::string::npos);
  EXPECT_NE(fabric::known_bad("1.17.0").find("provider net"), std::string::npos);
  EXPECT_EQ(fabric::known_bad("1.20.1"), "");
}

TEST(FabricNames, must_be_of_one_provider) {
  const auto named = [](const char* provider) {
    fabric::Name name;
    std::snprintf(name.provider.data(), name.provider.size(), "%s", provider);
    name.size = 1;
    return name;
  };
  const std::array same{named("tcp;ofi_rxm"), named("tcp;ofi_rxm")},
      other{named("tcp"), named("verbs;ofi_rxm")};
  EXPECT_EQ(fabric::why_they_differ(same)[0], "");
  EXPECT_EQ(fabric::why_they_differ(same)[1], "");
  EXPECT_EQ(fabric::why_they_differ(other)[0], "");
  EXPECT_EQ(fabric::why_they_differ(other)[1],
            "rank 0 would use libfabric's provider tcp, and rank 1 verbs;ofi_rxm: name one that all have, as "
            "WEFT_WIRE=fabric:tcp");
  const std::array many{fabric::Name(), named("tcp"), named("verbs;ofi_rxm"), named("verbs;ofi_rxm")};
  EXPECT_NE(fabric::why_they_differ(many)[0], "");
  EXPECT_NE(fabric::why_they_differ(many)[1].find("rank 2 would use libfabric's provider verbs;ofi_rxm, and "
                                                  "rank 1 tcp"),
            std::string::npos);
  EXPECT_EQ(fabric::why_they_differ(many)[2], "");
  EXPECT_EQ(fabric::why_they_differ(many)[3], "");
}

// The other one has an address, but does not come.
TEST_F(Fabric, names_who_does_not_come_to_the_meeting) {
  auto endpoint = fabric::open_endpoint(loopback_fabric()), other = fabric::open_endpoint(loopback_fabric());
  ASSERT_TRUE(endpoint && other);
  const std::array names{fabric::name_of(**endpoint), fabric::name_of(**other)};
  other->reset();
  const auto met =
      fabric::meet(std::move(*endpoint), kKey, 0, names, all_partners(0, 2), std::chrono::milliseconds(200));
  EXPECT_EQ(met.missing, std::vector<int>{1});
  EXPECT_NE(met.problem.find("processes 0 and 1 of the job do not meet over libfabric's provider tcp"),
            std::string::npos)
      << met.problem;
}

// A stranger has another key. It is not heard, and the others still are.
TEST_F(Fabric, drops_frames_that_are_not_of_this_job) {
  auto a = fabric::open_endpoint(loopback_fabric()), b = fabric::open_endpoint(loopback_fabric()),
       stranger = fabric::open_endpoint(loopback_fabric());
  ASSERT_TRUE(a && b && stranger);
  const std::array names{fabric::name_of(**a), fabric::name_of(**b)};
  const std::array seen_by_stranger{names[0], fabric::name_of(**stranger)};
  const auto patience = std::chrono::seconds(20);
  std::thread intruder([&] {
    const auto none = fabric::meet(std::move(*stranger), {9, 9}, 1, seen_by_stranger, all_partners(1, 2),
                                   std::chrono::milliseconds(500));
    EXPECT_NE(none.problem, "");
  });
  std::thread second([&] {
    auto met = fabric::meet(std::move(*b), kKey, 1, names, all_partners(1, 2), patience);
    ASSERT_EQ(met.problem, "");
    wire::Wire wire(kKey, 1, std::move(met.carrier));
    for (int turn = 0; turn < 1000; ++turn) wire.drive(), std::this_thread::yield();
    EXPECT_TRUE(wire.reaches(0));
  });
  auto met = fabric::meet(std::move(*a), kKey, 0, names, all_partners(0, 2), patience);
  ASSERT_EQ(met.problem, "");
  wire::Wire wire(kKey, 0, std::move(met.carrier));
  const auto end = std::chrono::steady_clock::now() + patience;
  while (wire.dropped() == 0 && std::chrono::steady_clock::now() < end) wire.drive();
  EXPECT_GE(wire.dropped(), 1U);
  second.join();
  intruder.join();
}

// Nothing has to be greeted before it is written to, and nobody is told goodbye who has not been.
TEST_F(Fabric, reaches_those_whom_it_has_not_met) {
  constexpr std::array<int, 3> kAll{0, 1, 2};
  Carriers carriers = fabric_carriers(3, kKey, 0);
  std::vector<std::unique_ptr<End>> ends;
  for (int self = 0; self < 3; ++self) {
    wire::Carrier& own = *carriers[static_cast<std::size_t>(self)];
    for (const int other : kAll) EXPECT_TRUE(other == self || (own.reaches(other) && !own.knows(other)));
    ends.push_back(std::make_unique<End>(self, std::move(carriers[static_cast<std::size_t>(self)]), kAll));
  }
  const auto drive = [&ends] {
    for (const auto& end : ends) end->wire.drive();
    return true;
  };
  const std::uint64_t sent = 5;
  std::uint64_t got = 0;
  wire::Outbox out(1), in(1);
  std::array<TaskId, 1> done;
  EXPECT_EQ(ends[1]->recv(in, 0, 1, &got, 8), Progress::kPending);
  EXPECT_NE(ends[0]->send(out, 1, 1, &sent, 8), Progress::kFailed);
  EXPECT_TRUE(eventually([&] { return drive() && in.take_completed(done) == 1; }));
  EXPECT_EQ(got, sent);
  for (const auto& end : ends) end->wire.say_goodbye();
  EXPECT_TRUE(
      eventually([&] { return drive() && ends[0]->wire.has_arrived() && ends[1]->wire.has_arrived(); }));
  EXPECT_TRUE(ends[2]->wire.has_arrived());
  EXPECT_EQ(ends[0]->wire.lost_by(kCommunicator) + ends[1]->wire.lost_by(kCommunicator), -2);
}

// It is gone without a word: the question whether it is there fails, or has no answer.
TEST_F(Fabric, loses_a_process_that_does_not_answer) {
  for (const bool stands_still : {false, true}) {
    Carriers both = fabric_carriers(2, kKey);
    End a(0, std::move(both[0]), Two::kBoth);
    wire::Outbox in(1);
    std::uint64_t got = 0;
    EXPECT_EQ(a.recv(in, 1, 1, &got, 8), Progress::kPending);
    if (!stands_still) both[1].reset();
    for (std::int64_t seconds = 1; seconds < 20 && a.wire.reaches(1); ++seconds) {
      a.wire.look_for_silence(Nanoseconds(seconds * 1'000'000'000));
      for (int turn = 0; turn < 1000; ++turn) a.wire.drive();
    }
    EXPECT_FALSE(a.wire.reaches(1));
    EXPECT_NE(a.wire.trouble_with(1), "");
    if (stands_still) { EXPECT_EQ(a.wire.trouble_with(1), "it has not answered for some seconds"); }
    std::array<TaskId, 1> done;
    EXPECT_LT(in.take_completed(done), 0);
  }
}

TEST_F(Fabric, keeps_a_process_that_answers_while_it_has_nothing_to_say) {
  Two two(fabric_carriers(2, kKey));
  wire::Outbox in(1);
  std::uint64_t got = 0;
  EXPECT_EQ(two.a.recv(in, 1, 1, &got, 8), Progress::kPending);
  for (std::int64_t seconds = 1; seconds < 20; ++seconds) {
    two.a.wire.look_for_silence(Nanoseconds(seconds * 1'000'000'000));
    two.settle();
  }
  EXPECT_TRUE(two.a.wire.reaches(1));
  two.a.wire.forget(in);
}

// Whoever forgets first, and whether the message has begun: buffers may go, and those who come later get
// theirs.
TEST_F(Fabric, forgets_an_operation_in_the_middle_of_a_message) {
  for (const int forgets : {0, 1, 2})
    for (const int turns_before : {0, 1, 5}) {
      Two two(fabric_carriers(2, kKey));
      constexpr std::size_t kSize = std::size_t{8} << 20;
      auto sent = std::make_unique<std::vector<std::byte>>(kSize, std::byte{1});
      auto got = std::make_unique<std::vector<std::byte>>(kSize);
      wire::Outbox out(2), in(2), later_out(1), later_in(1);
      EXPECT_EQ(two.b.recv(in, 0, 1, got->data(), kSize), Progress::kPending);
      two.settle();
      EXPECT_EQ(two.a.send(out, 1, 1, sent->data(), kSize), Progress::kPending);
      for (int turn = 0; turn < turns_before; ++turn) two.a.wire.drive(), two.b.wire.drive();
      if (forgets != 1) {
        const Driver driver(two.a.wire);
        two.b.wire.forget(in);
        got.reset();
      }
      if (forgets != 0) {
        const Driver driver(two.b.wire);
        two.a.wire.forget(out);
        sent.reset();
      }
      const std::uint64_t last = 5;
      std::uint64_t arrived = 0;
      two.a.send(later_out, 1, 2, &last, 8);
      EXPECT_EQ(two.b.recv(later_in, 0, 2, &arrived, 8), Progress::kPending);
      EXPECT_EQ(drive_until_over(two, later_in), 1) << forgets << " " << turns_before;
      EXPECT_EQ(arrived, last);
      EXPECT_TRUE(two.a.wire.reaches(1) && two.b.wire.reaches(0));
      two.settle();
      if (forgets == 0) two.a.wire.forget(out);
      if (forgets == 1) two.b.wire.forget(in);
    }
}

TEST_F(Fabric, closes_when_a_buffer_cannot_be_taken_back) {
  Two two(fabric_carriers(2, kKey));
  std::vector<std::byte> sent(kLong), got(kLong);
  wire::Outbox out(1), in(1);
  EXPECT_EQ(two.b.recv(in, 0, 1, got.data(), kLong), Progress::kPending);
  two.settle();
  EXPECT_EQ(two.a.send(out, 1, 1, sent.data(), kLong), Progress::kPending);
  two.a.wire.forget(out);  // nobody drives b, which does not take the message
  EXPECT_FALSE(two.a.wire.reaches(1));
  EXPECT_NE(two.a.wire.trouble_with(1).find("could not be taken back"), std::string::npos)
      << two.a.wire.trouble_with(1);
}

// The message has begun, and nobody drives its other end any more.
TEST_F(Fabric, takes_buffers_back_when_the_other_end_stands_still_in_the_middle_of_a_message) {
  for (const bool sends : {false, true}) {
    Two two(fabric_carriers(2, kKey));
    End &mine = two.a, &other = two.b;
    constexpr std::int64_t kSize = 8 << 20;
    std::vector<std::byte> others(kSize);
    auto own = std::make_unique<std::vector<std::byte>>(kSize);
    wire::Outbox here(1), there(1);
    if (sends) {
      EXPECT_EQ(other.recv(there, 0, 1, others.data(), kSize), Progress::kPending);
      two.settle();
      EXPECT_EQ(mine.send(here, 1, 1, own->data(), kSize), Progress::kPending);
    } else {
      EXPECT_EQ(mine.recv(here, 1, 1, own->data(), kSize), Progress::kPending);
      two.settle();
      EXPECT_EQ(other.send(there, 0, 1, others.data(), kSize), Progress::kPending);
    }
    for (int turn = 0; turn < 3; ++turn) mine.wire.drive(), other.wire.drive();
    for (std::int64_t seconds = 1; seconds < 20 && mine.wire.reaches(1); ++seconds) {
      mine.wire.look_for_silence(Nanoseconds(seconds * 1'000'000'000));
      for (int turn = 0; turn < 100; ++turn) mine.wire.drive();
    }
    EXPECT_FALSE(mine.wire.reaches(1)) << sends;
    mine.wire.forget(here);
    own.reset();
    std::array<TaskId, 1> done;
    EXPECT_LT(here.take_completed(done), 0);
    two.settle();
  }
}

TEST_F(Fabric, refuses_a_long_message_of_another_size) {
  for (const std::int64_t difference : {-100'000, 100'000}) {
    Two two(fabric_carriers(2, kKey));
    std::vector<std::byte> sent(kLong), got(2 * kLong);
    wire::Outbox out(1), in(1);
    EXPECT_EQ(two.b.recv(in, 0, 1, got.data(), kLong + difference), Progress::kPending);
    EXPECT_EQ(two.a.send(out, 1, 1, sent.data(), kLong), Progress::kPending);
    EXPECT_LT(drive_until_over(two, in), 0);
    EXPECT_TRUE(in.has_other_size());
    EXPECT_EQ(drive_until_over(two, out), 1);
  }
}

}  // namespace
}  // namespace weft::tests
