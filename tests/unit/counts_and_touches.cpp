// SPDX-License-Identifier: BSD-3-Clause
// What making task lists looks up, against the plainest way to know it.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "support/case.hpp"
#include "transform/known_counts.hpp"
#include "transform/touches.hpp"

namespace weft::tests {
namespace {

TEST(KnownCounts, know_what_arrays_of_counts_know) {
  Random random(base_seed());
  for (const std::uint32_t counters : {1U, 4U, 5U, 100U}) {
    KnownCounts known(counters);
    std::vector<std::pair<KnownCounts::Known, std::vector<std::uint32_t>>> all{
        {KnownCounts::kNothing, std::vector<std::uint32_t>(counters)}};
    for (int turn = 0; turn < 300; ++turn) {
      auto [mine, counts] = all[random.below(all.size())];
      if (random.chance(50)) {
        const auto counter = static_cast<std::uint32_t>(random.below(counters));
        counts[counter] += static_cast<std::uint32_t>(random.below(3));
        mine = known.with(mine, counter, counts[counter]);
      } else {
        const auto& [other, others] = all[random.below(all.size())];
        mine = known.both(mine, other);
        for (std::size_t at = 0; at < counters; ++at) counts[at] = std::max(counts[at], others[at]);
      }
      for (std::uint32_t counter = 0; counter < counters; ++counter)
        ASSERT_EQ(known.count(mine, counter), counts[counter]);
      all.emplace_back(mine, counts);
    }
  }
}

bool touch(Range a, Range b) {
  return a.buffer == b.buffer && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

// Long ranges make cells of many ranges.
TEST(Touches, leave_out_nobody_who_touches) {
  Random random(base_seed());
  for (const std::uint64_t longest : {3U, 400U})
    for (int turn = 0; turn < 20; ++turn) {
      const Bytes whole(500);
      Builder b({.collective = Collective::kBcast, .rank_count = 2, .bytes = whole}, Rank(0), false);
      const auto range_in = [&](BufferId buffer) {
        const Bytes size(static_cast<std::int64_t>(random.below(longest)));
        const auto places = static_cast<std::uint64_t>((whole - size).value) + 1;
        return Range{buffer, Bytes(static_cast<std::int64_t>(random.below(places))), size};
      };
      for (int task = 0; task < 300; ++task) {
        if (random.chance(50)) b.recv(1, range_in(kOutput));
        else b.send(1, range_in(kOutput));
      }
      const Schedule schedule = std::move(b).finish("at random");
      Touches touches(schedule);
      std::vector<std::uint32_t> room;
      const BufferId behind{static_cast<std::uint8_t>(schedule.buffers.size())};
      EXPECT_TRUE(touches.of({behind, Bytes(0), Bytes(8)}, room).empty());
      for (std::uint32_t task = 0; task < 10; ++task)
        touches.add(task, {behind, Bytes(16) * (task / 2), Bytes(8)});
      const auto added = touches.of({behind, Bytes(32), Bytes(8)}, room);
      EXPECT_EQ(std::vector(added.begin(), added.end()), (std::vector<std::uint32_t>{4, 5}));
      for (int question = 0; question < 50; ++question) {
        const Range range = range_in(kOutput);
        const auto found = touches.of(range, room);
        EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
        for (std::uint32_t id = 0; id < schedule.tasks.size(); ++id) {
          const Task& task = schedule.tasks[id];
          const Range own = task.kind == TaskKind::kSend ? task.source_range() : task.target_range();
          EXPECT_TRUE(!touch(own, range) || std::binary_search(found.begin(), found.end(), id));
        }
      }
    }
}

}  // namespace
}  // namespace weft::tests
