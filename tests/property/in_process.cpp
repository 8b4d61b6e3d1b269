// SPDX-License-Identifier: BSD-3-Clause
// The in-process transport tells what is wrong with a schedule that cannot work, instead of hanging.
#include "transport/in_process.hpp"

#include <functional>
#include <gtest/gtest.h>

#include "schedule/builder.hpp"
#include "support/run_ranks.hpp"

namespace weft::tests {
namespace {

// Two ranks that run what `write` gives each; the message of the failure.
std::string run_pair(const std::function<void(Builder&)>& write, Disturbance disturbance = {}) {
  const Call call{.collective = Collective::kBcast, .rank_count = 2, .bytes = Bytes(16)};
  std::vector<Schedule> schedules;
  std::vector<std::vector<std::byte>> outputs(2, std::vector<std::byte>(16));
  for (int rank = 0; rank < 2; ++rank) {
    Builder builder(call, Rank(rank), false);
    write(builder);
    schedules.push_back(std::move(builder).finish("by hand"));
  }
  std::vector<Job> jobs;
  for (std::size_t rank = 0; rank < 2; ++rank)
    jobs.push_back({&schedules[rank], {.output = outputs[rank].data(), .channel = 3}});
  Network network(2, disturbance);
  return Runner(network, jobs).take_turns(1);
}

TEST(InProcess, names_the_message_that_never_comes) {
  const std::string trouble = run_pair([](Builder& b) {
    if (b.self() == 1) b.recv(0, b.output());
  });
  EXPECT_EQ(trouble, "1 of 2 operations are stuck: rank 1 waits for message 0 of channel 3 from rank 0");
}

TEST(InProcess, names_the_message_that_nobody_wants) {
  const std::string trouble = run_pair([](Builder& b) {
    if (b.self() == 0) b.send(1, b.output());
  });
  EXPECT_EQ(trouble, "all operations finished, but rank 1 never received message 0 of channel 3 from rank 0");
}

TEST(InProcess, refuses_ends_of_different_size) {
  for (const int delay : {0, 3}) {
    const std::string trouble = run_pair(
        [](Builder& b) {
          if (b.self() == 0) b.send(1, b.output());
          if (b.self() == 1) b.recv(0, b.output().part(Bytes(0), Bytes(8)));
        },
        {.longest_delay = delay});
    EXPECT_EQ(trouble, "an operation failed: a message of 16 bytes met a receive of 8");
  }
}

TEST(InProcess, names_the_group_that_is_incomplete) {
  const std::string trouble = run_pair([](Builder& b) {
    const GroupId group = b.group({Rank(0), Rank(1)});
    const Range lines = b.lines(group);
    if (b.self() == 0) b.exchange(lines, group);
  });
  EXPECT_EQ(trouble,
            "1 of 2 operations are stuck: node task 0 of the group that rank 0 heads, channel 3: 1 of 2 "
            "started it");
}

// A send by rendezvous reads its buffer late: without the edge that makes the copy wait, the message changes.
TEST(InProcess, disturbance_exposes_a_missing_edge) {
  const Call call{.collective = Collective::kBcast, .rank_count = 2, .bytes = Bytes(16)};
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<Schedule> schedules;
    std::vector<std::vector<std::byte>> outputs(2, std::vector<std::byte>(16));
    outputs[0].assign(8, std::byte{1});
    outputs[0].resize(16, std::byte{2});
    for (int rank = 0; rank < 2; ++rank) {
      Builder b(call, Rank(rank), false);
      const Range front = b.output().part(Bytes(0), Bytes(8));
      if (rank == 0) b.send(1, front), b.copy(b.output().part(Bytes(8), Bytes(8)), front);
      if (rank == 1) b.recv(0, front);
      schedules.push_back(std::move(b).finish("by hand"));
    }
    set_edges(schedules[0], {});
    std::vector<Job> jobs;
    for (std::size_t rank = 0; rank < 2; ++rank)
      jobs.push_back({&schedules[rank], {.output = outputs[rank].data(), .channel = 3}});
    Network network(2, {.seed = seed, .rendezvous_percent = 50, .longest_delay = 3});
    ASSERT_EQ(Runner(network, jobs).take_turns(seed), "");
    wrong += outputs[1][0] == std::byte{2} ? 1 : 0;
  }
  EXPECT_GT(wrong, 0) << "no order of events showed the race";
  EXPECT_LT(wrong, 50) << "no order of events hid the race";
}

}  // namespace
}  // namespace weft::tests
