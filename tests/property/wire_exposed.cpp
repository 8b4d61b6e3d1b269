// SPDX-License-Identifier: BSD-3-Clause
// Exposed memory: writes and answers go where they belong, from everybody to everybody, whoever sends how
// much; what is concealed or forgotten is not touched any more, and who is needed and silent is found.
#include <algorithm>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "support/carriers.hpp"
#include "support/case.hpp"
#include "support/eventually.hpp"
#include "transport/wire/wire.hpp"

namespace weft::tests {
namespace {

constexpr wire::JobKey kJob{7, 8};
constexpr std::uint64_t kNumber = 42;
constexpr std::size_t kMostBytes = 150'000;  // of one access

enum Saying : std::uint32_t { kWord, kWrite, kQuestion, kAnswer };

struct Range {
  std::uint64_t at = 0, bytes = 0;
};

// One process: its wire, and memory that all others may write to and ask for.
class Process final : public wire::Exposed {
 public:
  Process(int self, std::unique_ptr<wire::Carrier> carrier, std::size_t bytes)
      : memory(bytes), wire(kJob, self, std::move(carrier)) {
    wire.expose(kNumber, *this);
  }
  ~Process() {
    wire.conceal(kNumber);
    for (wire::Outbox& one : outboxes_) wire.forget(one);
  }
  Process(const Process&) = delete;

  std::byte* place(const wire::MessageAddress& address, Bytes size) override {
    const auto bytes = static_cast<std::uint64_t>(size.value);
    if (address.ordinal == kQuestion) return bytes == sizeof(Range) ? question(address.sender) : nullptr;
    if (address.ordinal == kAnswer) {
      std::vector<std::byte>& into = answers[address.operation];
      const std::size_t at = address.part * part_bytes();
      return at + bytes <= into.size() ? into.data() + at : nullptr;
    }
    return address.operation + bytes <= memory.size() ? memory.data() + address.operation : nullptr;
  }
  void arrived(const wire::MessageAddress& address, Bytes size) override {
    if (address.ordinal == kWord) words.push_back(address.operation);
    if (address.ordinal == kAnswer) answered += size.value;
    if (address.ordinal == kQuestion) answer(address);
  }
  bool needs(int process) const override { return process == needed; }

  std::size_t part_bytes() const {
    return static_cast<std::size_t>(std::min<std::int64_t>(50'000, wire.longest_unexpected().value));
  }
  void say(int to, wire::MessageAddress address, std::span<const std::byte> what) {
    wire::Outbox& outbox = outboxes_.emplace_back(1);
    const auto bytes = Bytes(static_cast<std::int64_t>(what.size()));
    const Progress progress =
        wire.send_to_exposed(kNumber, to, address, what.data(), bytes, &outbox, TaskId(0));
    ASSERT_NE(progress, Progress::kFailed);
    under_way += progress == Progress::kPending;
  }
  void write(int to, std::uint64_t at, std::span<const std::byte> what) {
    for (std::size_t done = 0; done < what.size(); done += part_bytes())
      say(to, {.operation = at + done, .ordinal = kWrite},
          what.subspan(done, std::min(part_bytes(), what.size() - done)));
  }
  void ask(int of, std::uint64_t number, const Range& range) {
    answers[number].resize(range.bytes);
    to_be_answered += static_cast<std::int64_t>(range.bytes);
    questions_.push_back(range);
    say(of, {.operation = number, .ordinal = kQuestion},
        std::as_bytes(std::span(&questions_.back(), std::size_t{1})));
  }
  bool is_over() {
    std::array<TaskId, 4> done;
    for (wire::Outbox& one : outboxes_) under_way -= std::max(one.take_completed(done), 0);
    return under_way == 0 && answered == to_be_answered;
  }

  std::vector<std::byte> memory;
  wire::Wire wire;
  std::vector<std::uint64_t> words;
  std::map<std::uint64_t, std::vector<std::byte>> answers;
  std::int64_t answered = 0, to_be_answered = 0;
  int under_way = 0, needed = -1;

 private:
  std::byte* question(int sender) { return reinterpret_cast<std::byte*>(&asked_[sender]); }
  void answer(const wire::MessageAddress& question) {
    const Range range = asked_[question.sender];
    std::uint32_t part = 0;
    for (std::uint64_t done = 0; done < range.bytes; done += part_bytes(), ++part)
      say(question.sender, {.operation = question.operation, .ordinal = kAnswer, .part = part},
          std::span(memory).subspan(range.at + done,
                                    std::min<std::size_t>(part_bytes(), range.bytes - done)));
  }

  std::map<int, Range> asked_;
  std::deque<Range> questions_;
  std::deque<wire::Outbox> outboxes_;  // they stay where they are
};

using Processes = std::deque<Process>;
void join(Processes& all, Carriers carriers, std::size_t bytes) {
  for (std::size_t self = 0; self < carriers.size(); ++self)
    all.emplace_back(static_cast<int>(self), std::move(carriers[self]), bytes);
}
void drive(Processes& all) {
  for (Process& one : all) one.wire.drive();
}
void settle(Processes& all) {
  for (int turn = 0; turn < 300; ++turn) drive(all);
}

std::vector<std::byte> drawn_bytes(std::mt19937_64& random, std::size_t count) {
  std::vector<std::byte> made(count);
  for (std::byte& one : made) one = static_cast<std::byte>(random());
  return made;
}

class WireExposed : public OverEachCarrier {};
INSTANTIATE_TEST_SUITE_P(Carriers, WireExposed, each_carrier(), carrier_of_test);

// Each has a part that nobody writes, for the questions of all, and one for each other to write.
TEST_P(WireExposed, takes_writes_and_answers_questions_of_everybody_at_once) {
  for (int count = 2; count <= 5; ++count) {
    std::mt19937_64 random(base_seed() + static_cast<std::uint64_t>(count));
    const auto parts = static_cast<std::size_t>(count);
    Processes all;
    join(all, carriers(count, kJob, 1 << 14), parts * kMostBytes);
    std::vector<std::vector<std::byte>> wanted;
    std::deque<std::vector<std::byte>> sent;
    const auto part_of = [](int process) { return static_cast<std::uint64_t>(process) * kMostBytes; };
    for (int self = 0; self < count; ++self) {
      const auto own = drawn_bytes(random, kMostBytes);
      std::copy(own.begin(), own.end(),
                all[self].memory.begin() + static_cast<std::ptrdiff_t>(part_of(self)));
      wanted.push_back(all[self].memory);
    }
    struct Question {
      int by, of;
      Range range;
    };
    std::vector<Question> questions;
    std::map<std::pair<int, int>, std::uint64_t> written;  // what is written later may come before it
    for (int access = 0; access < 20 * count; ++access) {
      const int by = static_cast<int>(random() % parts);
      const int of = static_cast<int>((static_cast<std::uint64_t>(by) + 1 + random() % (parts - 1)) % parts);
      const std::size_t bytes = 1 + random() % (random() % 2 == 0 ? 300 : kMostBytes);
      if (random() % 3 == 0) {
        const std::uint64_t within = random() % (kMostBytes - bytes + 1);
        questions.push_back({by, of, {part_of(of) + within, bytes}});
        all[by].ask(of, questions.size(), questions.back().range);
      } else if (std::uint64_t& before = written[{by, of}]; before + bytes <= kMostBytes) {
        sent.push_back(drawn_bytes(random, bytes));
        const std::uint64_t at = part_of(by) + std::exchange(before, before + bytes);
        all[by].write(of, at, sent.back());
        std::copy(sent.back().begin(), sent.back().end(),
                  wanted[of].begin() + static_cast<std::ptrdiff_t>(at));
      }
      drive(all);
    }
    EXPECT_TRUE(eventually([&] {
      drive(all);
      return std::all_of(all.begin(), all.end(), [](Process& one) { return one.is_over(); });
    }));
    for (int self = 0; self < count; ++self)  // what is written may still be on its way
      EXPECT_TRUE(eventually([&] {
        drive(all);
        return all[self].memory == wanted[self];
      }));
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const auto& [by, of, range] = questions[i];
      const auto from = all[of].memory.begin() + static_cast<std::ptrdiff_t>(range.at);
      EXPECT_TRUE(
          std::equal(from, from + static_cast<std::ptrdiff_t>(range.bytes), all[by].answers[i + 1].begin()));
    }
  }
}

// With payload or without.
TEST_P(WireExposed, says_words_behind_the_writes_before_them) {
  if (GetParam() == CarriedBy::kFabric) GTEST_SKIP() << "long frames may come after those behind them";
  Processes all;
  join(all, carriers(2, kJob, 1 << 14), kMostBytes);
  const std::vector<std::byte> ones(kMostBytes, std::byte{1});
  all[0].write(1, 0, ones);
  all[0].wire.send_to_exposed(kNumber, 1, {.operation = 9, .ordinal = kWord}, nullptr, Bytes(0), nullptr,
                              TaskId{});
  EXPECT_TRUE(eventually([&] {
    drive(all);
    return !all[1].words.empty();
  }));
  EXPECT_EQ(all[1].words, std::vector<std::uint64_t>{9});
  EXPECT_EQ(all[1].memory, ones);
}

TEST_P(WireExposed, drops_what_is_not_exposed) {
  Processes all;
  join(all, carriers(2, kJob), kMostBytes);
  std::vector<std::byte> ones(1000, std::byte{1});
  all[1].wire.conceal(kNumber);
  all[0].write(1, 0, ones);
  all[0].wire.send_to_exposed(kNumber, 1, {.operation = 9, .ordinal = kWord}, nullptr, Bytes(0), nullptr,
                              TaskId{});
  settle(all);
  EXPECT_TRUE(all[1].words.empty());
  EXPECT_EQ(all[1].memory, std::vector<std::byte>(kMostBytes));
  all[1].wire.expose(kNumber, all[1]);
  all[0].write(1, 0, ones);
  all[0].write(1, kMostBytes - 10, ones);  // too long for what is there
  EXPECT_TRUE(eventually([&] {
    drive(all);
    return all[0].is_over() && all[1].memory[999] == std::byte{1};
  }));
  settle(all);
  EXPECT_EQ(std::count(all[1].memory.begin(), all[1].memory.end(), std::byte{1}), 1000);
}

// In the middle of a frame, whose rest goes nowhere; what follows it is taken as ever.
TEST_P(WireExposed, touches_nothing_that_is_concealed_or_forgotten) {
  for (const bool is_concealed : {true, false}) {
    Processes all;
    join(all, carriers(2, kJob, 1 << 12), 4 * kMostBytes);
    const std::vector<std::byte> ones(2 * kMostBytes, std::byte{1}), two(8, std::byte{2});
    const auto most = static_cast<std::size_t>(std::min<std::int64_t>(
        static_cast<std::int64_t>(ones.size()), all[0].wire.longest_unexpected().value));
    all[0].say(1, {.operation = 0, .ordinal = kWrite}, std::span(ones).first(most));
    EXPECT_TRUE(eventually([&] {
      drive(all);
      return all[1].memory[0] == std::byte{1};
    }));
    if (is_concealed) all[1].wire.conceal(kNumber);
    else all[1].wire.forget_exposed(all[1], kWrite, 0);
    std::fill(all[1].memory.begin(), all[1].memory.end(), std::byte{0});
    EXPECT_TRUE(eventually([&] {
      drive(all);
      return all[0].is_over();
    }));
    settle(all);
    EXPECT_EQ(all[1].memory, std::vector<std::byte>(4 * kMostBytes));
    if (is_concealed) all[1].wire.expose(kNumber, all[1]);
    all[0].write(1, 100, two);
    EXPECT_TRUE(eventually([&] {
      drive(all);
      return all[1].memory[107] == std::byte{2};
    }));
  }
}

// Whoever needs a process awaits something, and finds that it has ended; nobody else has to be asked.
TEST_P(WireExposed, finds_that_a_process_which_is_needed_has_ended) {
  Processes all;
  join(all, carriers(2, kJob), 100);
  settle(all);
  EXPECT_FALSE(all[0].wire.is_anything_awaited());
  all[0].needed = 1;
  EXPECT_TRUE(all[0].wire.is_anything_awaited());
  all.pop_back();
  EXPECT_TRUE(eventually([&] {
    all[0].wire.drive();
    all[0].wire.look_for_silence(elapsed_time());
    return !all[0].wire.reaches(1);
  }));
}

}  // namespace
}  // namespace weft::tests
