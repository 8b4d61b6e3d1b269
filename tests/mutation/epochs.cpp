// SPDX-License-Identifier: BSD-3-Clause
// Damaged access epochs: every way in which a put can go wrong is found, with what and where.
#include <algorithm>
#include <gtest/gtest.h>

#include "schedule/builder.hpp"
#include "schedule/epoch.hpp"
#include "support/task_lists.hpp"

namespace weft::tests {
namespace {

using Lists = std::vector<TaskList>;

// "" if nobody objects.
std::string all_findings(const Lists& lists) {
  std::vector<Schedule> raised;
  for (const TaskList& list : lists) {
    auto schedule = raise(list);
    if (!schedule) return schedule.error();
    raised.push_back(std::move(*schedule));
  }
  std::string all;
  for (const Finding& finding : verify(raised).findings) all += finding.message + "\n";
  return all;
}
void expect_found(const Lists& lists, std::string_view what) {
  const std::string all = all_findings(lists);
  EXPECT_NE(all.find(what), std::string::npos) << "wanted: " << what << "\nfound: " << all;
}

// Every rank puts to the next: rank 0 to 1.
Lists puts(const Lowering& lowering = {}) {
  auto schedules = example_epoch(PutsTo::kNext, 4, Bytes(64));
  return lower_all(*schedules, lowering);
}
std::uint32_t find(const TaskList& list, ListTaskKind kind, int peer) {
  for (std::uint32_t at = 0; at < list.tasks.size(); ++at)
    if (list.tasks[at].kind == kind && list.queues[list.tasks[at].queue].peer == Rank(peer)) return at;
  ADD_FAILURE() << "no " << name_of(kind);
  return 0;
}
TEST(DamagedEpochs, a_write_that_does_not_wait_for_the_post_is_found) {
  Lists lists = puts();
  ASSERT_EQ(all_findings(lists), "");
  erase(lists[0], find(lists[0], ListTaskKind::kWait, 1));
  expect_found(lists, "rank 1 may not have come yet: wait for a message of it first");
}

TEST(DamagedEpochs, a_write_that_is_enabled_before_the_post_is_found) {
  Lists lists = puts({.form = QueueForm::kManagementQueue});
  ASSERT_EQ(all_findings(lists), "");
  lists[0].tasks[find(lists[0], ListTaskKind::kWrite, 1)].disabled = false;
  expect_found(lists, "rank 1 may not have come yet");
}

TEST(DamagedEpochs, a_post_that_is_left_out_is_found) {
  Lists lists = puts();
  erase(lists[1], find(lists[1], ListTaskKind::kSend, 0));
  expect_found(lists, "rank 1 never sends it (message 0 to rank 0)");
}

TEST(DamagedEpochs, a_closed_word_that_is_left_out_is_found) {
  Lists lists = puts();
  erase(lists[0], find(lists[0], ListTaskKind::kSend, 1));
  expect_found(lists, "rank 0 never sends it (message 0 to rank 1)");
  expect_found(lists, "rank 1 may have left by then: let it wait for a later message of this rank");
}

TEST(DamagedEpochs, a_closed_word_before_its_write_is_found) {
  Lists lists = puts();
  auto& tasks = lists[0].tasks;
  std::swap(tasks[find(lists[0], ListTaskKind::kWrite, 1)], tasks[find(lists[0], ListTaskKind::kSend, 1)]);
  expect_found(lists, "rank 1 may have left by then");
}

TEST(DamagedEpochs, another_place_in_the_window_is_found) {
  Lists lists = puts();
  ListTask& write = lists[0].tasks[find(lists[0], ListTaskKind::kWrite, 1)];
  write.size = Bytes(32);
  expect_found(lists, "rank 1: output[32+32] is never written");
  write.target_offset = Bytes(32);
  expect_found(lists,
               "rank 1: output[32+32] holds bytes from 0 of 0; it must become bytes from 32 of rank 0's");
  write.size = Bytes(33);
  expect_found(lists, "(write input[0+33] -> window.1[32+33]): reaches beyond its buffer");
}

TEST(DamagedEpochs, another_source_is_found) {
  Lists lists = puts();
  ListTask& write = lists[0].tasks[find(lists[0], ListTaskKind::kWrite, 1)];
  write.source = kOutput;
  EXPECT_NE(all_findings(lists), "");
}

TEST(DamagedEpochs, a_write_over_another_peers_queue_is_found) {
  Lists lists = puts();
  const std::uint32_t other = lists[0].tasks[find(lists[0], ListTaskKind::kSend, 3)].queue;
  lists[0].tasks[find(lists[0], ListTaskKind::kWrite, 1)].queue = other;
  expect_found(lists, "writes to what is no window of the rank at the other end of its queue");
}

TEST(DamagedEpochs, a_write_to_what_is_no_window_is_found) {
  Lists lists = puts();
  lists[0].tasks[find(lists[0], ListTaskKind::kWrite, 1)].target = kOutput;
  expect_found(lists, "writes to what is no window");
}

TEST(DamagedEpochs, a_window_that_is_not_open_is_found) {
  Lists lists = puts();
  for (Buffer& buffer : lists[1].buffers)
    if (buffer.role == BufferRole::kWindow && buffer.owner == Rank(1)) buffer.role = BufferRole::kScratch;
  expect_found(lists, "window.1 has 64 bytes here; rank 1 does not open it, and its output has 64");
}

TEST(DamagedEpochs, a_window_of_another_size_is_found) {
  Lists lists = puts();
  lists[0].buffers[lists[0].tasks[find(lists[0], ListTaskKind::kWrite, 1)].target.value].size = Bytes(65);
  expect_found(lists, "window.1 has 65 bytes here; rank 1 opens it, and its output has 64");
}

TEST(DamagedEpochs, two_writes_of_one_rank_to_one_place_are_found) {
  Lists lists = puts();
  const auto at = find(lists[0], ListTaskKind::kWrite, 1);
  lists[0].tasks.insert(lists[0].tasks.begin() + at, lists[0].tasks[at]);
  ++lists[0].ends.back();
  expect_found(lists, "touches window.1[0+64] together with");
}

TEST(DamagedEpochs, two_ranks_that_write_to_one_place_are_found) {
  auto schedules = example_epoch(PutsTo::kNeighbors, 9, Bytes(8));
  Lists lists = lower_all(*schedules, {});
  ASSERT_EQ(all_findings(lists), "");
  const auto write_to_4 = [&](int rank) -> ListTask& {
    TaskList& list = lists[static_cast<std::size_t>(rank)];
    return list.tasks[find(list, ListTaskKind::kWrite, 4)];
  };
  write_to_4(1).target_offset = write_to_4(3).target_offset;
  expect_found(lists, "and no message orders the two: wait for one in between");
}

// Rank 0 puts what rank 1 passes on. The list of rank 1 is laid into queues, so that its wait is one.
Lists passing_on(bool words_by_rank_2 = false) {
  const Call call{.collective = Collective::kBcast, .rank_count = 3, .bytes = Bytes(64)};
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < 3; ++rank) {
    Builder b(call, Rank(rank), false);
    if (rank == 0) {
      const Range window = b.window(1, Bytes(64));
      const TaskId posted = b.await_signal(1);
      const TaskId put = b.copy(b.output(), window);
      b.after(put, posted);
      b.after(b.signal(words_by_rank_2 ? 2 : 1), put);
    } else if (rank == 1) {
      b.window(1, Bytes(64));
      b.signal(0);
      const TaskId closed = b.await_signal(words_by_rank_2 ? 2 : 0);
      b.after(b.send(2, b.output()), closed);
    } else {
      if (words_by_rank_2) {
        const TaskId word = b.await_signal(0);
        b.after(b.signal(1), word);
      }
      b.recv(1, b.output());
    }
    schedules.push_back(std::move(b).finish("by hand"));
  }
  return lower_all(schedules, {});
}

TEST(DamagedEpochs, reading_what_is_put_without_waiting_for_the_closed_word_is_found) {
  Lists lists = passing_on();
  ASSERT_EQ(all_findings(lists), "");
  const auto reads = find(lists[1], ListTaskKind::kWait, 2);
  erase(lists[1], reads);
  expect_found(lists, "reads bytes that rank 0 writes in");
}

// That the source is free does not say that the bytes have arrived: only a message of the same queue does.
TEST(DamagedEpochs, a_word_that_takes_another_way_is_found) {
  expect_found(passing_on(true), "reads bytes that rank 0 writes in");
}

}  // namespace
}  // namespace weft::tests
