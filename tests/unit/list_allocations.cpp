// SPDX-License-Identifier: BSD-3-Clause
// An operation by task lists allocates nothing after its first start, nor does one by its schedule.
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>

#include "device/list_operation.hpp"
#include "support/allocations.hpp"
#include "support/task_lists.hpp"

namespace weft::tests {
namespace {

// Carries short messages between ranks of one thread, without allocating: what is sent lies in its place
// until its receiver takes it.
class Post {
 public:
  static constexpr std::size_t kMostMessages = 1 << 10;
  struct Letter {
    int from = -1, to = -1;
    std::uint32_t ordinal = 0;
    std::array<std::byte, 8192> bytes{};
    bool lies = false;
  };
  Letter* find(int from, int to, std::uint32_t ordinal) {
    for (Letter& letter : std::span(letters_).first(used_))
      if (letter.lies && letter.from == from && letter.to == to && letter.ordinal == ordinal) return &letter;
    return nullptr;
  }
  Letter& room() {
    EXPECT_LT(used_, letters_.size());
    return letters_[used_++];
  }
  void clear() { used_ = 0; }

 private:
  std::vector<Letter> letters_ = std::vector<Letter>(kMostMessages);
  std::size_t used_ = 0;
};

class Counter {
 public:
  struct Awaited {
    TaskId task;
    const Task* what;
    void* into;
  };
  struct Pending {
    explicit Pending(const Schedule& schedule) { awaited.reserve(schedule.tasks.size()); }
    void restart() { awaited.clear(); }
    std::vector<Awaited> awaited;
  };

  Counter(Post& post, int self) : post_(&post), self_(self) {}
  Progress send(Pending&, TaskId, Channel, const Task& what, const void* from) {
    Post::Letter& letter = post_->room();
    letter.from = self_;
    letter.to = what.peer;
    letter.ordinal = what.ordinal;
    letter.lies = true;
    if (what.size > Bytes(0))
      std::memcpy(letter.bytes.data(), from, static_cast<std::size_t>(what.size.value));
    return Progress::kDone;
  }
  Progress recv(Pending& pending, TaskId task, Channel, const Task& what, void* into) {
    pending.awaited.push_back({task, &what, into});
    return Progress::kPending;
  }
  int poll(Pending& pending, std::span<TaskId> done) {
    int count = 0;
    std::erase_if(pending.awaited, [&](const Awaited& one) {
      Post::Letter* const letter = post_->find(one.what->peer, self_, one.what->ordinal);
      if (letter == nullptr) return false;
      if (one.what->size > Bytes(0))
        std::memcpy(one.into, letter->bytes.data(), static_cast<std::size_t>(one.what->size.value));
      letter->lies = false;
      done[static_cast<std::size_t>(count++)] = one.task;
      return true;
    });
    return count;
  }

 private:
  Post* post_;
  int self_;
};
static_assert(Transport<Counter>);

// How many allocations the second run of all ranks has, and the third.
template <class Op, class Source>
long allocations_of(const std::vector<Source>& sources, const std::vector<Job>& jobs) {
  Post post;
  std::vector<std::unique_ptr<Op>> operations;
  std::vector<Counter> ends;
  for (std::size_t rank = 0; rank < sources.size(); ++rank) {
    operations.push_back(std::make_unique<Op>(sources[rank]));
    ends.emplace_back(post, static_cast<int>(rank));
  }
  long allocations = 0;
  for (int turn = 0; turn < 3; ++turn) {
    const Counting counting;
    post.clear();
    std::size_t ended = 0;
    for (std::size_t rank = 0; rank < sources.size(); ++rank)
      ended += operations[rank]->start(ends[rank], jobs[rank].binding) == Progress::kDone;
    for (int sweep = 0; ended < sources.size() && sweep < 10'000; ++sweep)
      for (std::size_t rank = 0; rank < sources.size(); ++rank)
        ended += !operations[rank]->finished() && operations[rank]->progress(ends[rank]) == Progress::kDone;
    if (turn > 0) allocations += counting.so_far().count;
    EXPECT_EQ(ended, sources.size());
  }
  return allocations;
}

class AllocationsOf : public testing::TestWithParam<const Algorithm*> {};

TEST_P(AllocationsOf, lists_and_schedules_are_those_of_the_first_run) {
  const Algorithm& algorithm = *GetParam();
  for (const Call& call : list_calls(algorithm.collective, 6)) {
    if (!algorithm.eligible(call)) continue;
    Case c(algorithm, call, list_parameters(algorithm, 2), InPlace::kNobody, 1);
    if (has_groups(c.schedules)) continue;
    const auto jobs = c.jobs(1);
    EXPECT_EQ(allocations_of<Operation<Counter>>(c.schedules, jobs), 0) << c.name();
    for (const Lowering& lowering : some_lowerings(2)) {
      const auto lists = lower_all(c.schedules, lowering);
      EXPECT_EQ(allocations_of<device::ListOperation<Counter>>(lists, jobs), 0)
          << c.name() << " " << name_of(lowering);
      EXPECT_EQ(c.check(), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, AllocationsOf, testing::ValuesIn(catalog_pointers()),
                         name_of_list_algorithm);

// Without this, a counter that sees nothing would pass the test above.
TEST(Allocations, are_counted) {
  const Counting counting;
  const auto memory = std::make_unique<int>(1);
  EXPECT_EQ(counting.so_far().count, *memory);
}

}  // namespace
}  // namespace weft::tests
