// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a collective and the processors of one rank, with an adapter each, that do the same take the
// same time.
#include <map>
#include <random>

#include "executor/simulator/goal.hpp"
#include "support/case.hpp"
#include "support/goal_calls.hpp"

namespace weft::tests {
namespace {

// What rank r does is on processor r of one rank, and uses its adapter r; or stays on its rank. Before all
// else it works for some time, so that no two things happen at once.
class Writer {
 public:
  Writer(int ranks, bool in_one) : ranks_(ranks), in_one_(in_one) {
    text_ = fmt::format("num_ranks {}\n", in_one ? 1 : ranks);
    if (in_one) text_ += "rank 0 {\n";
  }
  std::string finish() { return in_one_ ? text_ + "}\n" : text_; }

  void add(const Schedule& schedule, int delay) {
    const int r = schedule.self.value;
    if (!in_one_) text_ += fmt::format("rank {} {{\n", r);
    text_ += fmt::format(" r{}: calc {}{}\n", r, delay, cpu(r));
    for (std::size_t t = 0; t < schedule.tasks.size(); ++t) {
      text_ +=
          fmt::format(" r{}t{}: {}\n r{}t{} requires r{}\n", r, t, statement(r, schedule.tasks[t]), r, t, r);
      for (const TaskId next : schedule.successors_of(TaskId(static_cast<std::uint32_t>(t))))
        text_ += fmt::format(" r{}t{} requires r{}t{}\n", r, next.value, r, t);
    }
    if (!in_one_) text_ += "}\n";
  }

 private:
  std::string cpu(int r) const { return in_one_ ? fmt::format(" cpu {}", r) : ""; }
  std::string statement(int r, const Task& task) const {
    if (!is_message(task.kind)) return fmt::format("calc {}{}", task.size.value / 3, cpu(r));
    const bool sends = task.kind == TaskKind::kSend;
    const int from = sends ? r : task.peer, to = sends ? task.peer : r;
    const auto tag = static_cast<std::uint32_t>((from * ranks_ + to) * 1000) + task.ordinal;
    return fmt::format("{} {}b {} {} tag {}{}{}", sends ? "send" : "recv", task.size.value + 1,
                       sends ? "to" : "from", in_one_ ? 0 : task.peer, tag, cpu(r),
                       in_one_ ? fmt::format(" nic {}", r) : "");
  }

  int ranks_;
  bool in_one_;
  std::string text_;
};

simulator::Outcome outcome_of(const std::string& text, std::string_view machine) {
  auto program = simulator::parse_goal(text);
  if (!program) {
    ADD_FAILURE() << program.error();
    return {};
  }
  simulator::Setting setting;
  setting.machine = *simulator::Machine::parse(machine);
  return played(setting, simulator::scripts_of(std::move(*program), text, "a.goal"));
}

TEST(GoalUnits, processors_with_adapters_of_their_own_are_like_ranks) {
  std::mt19937_64 random(base_seed());
  SCOPED_TRACE("seed " + std::to_string(base_seed()));
  for_each_goal_call(20, [&](const std::vector<Schedule>& schedules) {
    const int ranks = static_cast<int>(schedules.size());
    Writer many(ranks, false), one(ranks, true);
    for (const Schedule& schedule : schedules) {
      const int delay = std::uniform_int_distribution(1, 50000)(random);
      many.add(schedule, delay);
      one.add(schedule, delay);
    }
    for (const std::string_view machine : kGoalMachines) {
      const auto wanted = outcome_of(many.finish(), machine), got = outcome_of(one.finish(), machine);
      EXPECT_EQ(wanted.problem, "");
      EXPECT_EQ(got.problem, "");
      EXPECT_EQ(got.finish, wanted.finish);
      EXPECT_EQ(got.messages, wanted.messages);
    }
  });
}

// Calculations on a few processors of one rank, in any order that their requirements allow.
struct Calculations {
  struct Requirement {
    std::size_t before, after;
    bool is_begun_enough;
  };
  explicit Calculations(std::mt19937_64& random) {
    const auto drawn = [&](int least, int most) {
      return std::uniform_int_distribution(least, most)(random);
    };
    const int count = drawn(1, 40);
    text = "num_ranks 1\nrank 0 {\n";
    for (int i = 0; i < count; ++i) {
      cpus.push_back(drawn(0, 3));
      text += fmt::format(" c{}: calc {} cpu {}\n", i, drawn(1, 1000), cpus.back());
    }
    for (int i = drawn(0, 2 * count); i > 0 && count > 1; --i) {
      const int after = drawn(1, count - 1), before = drawn(0, after - 1);
      const bool is_begun_enough = drawn(0, 2) == 0;
      text += fmt::format(" c{} {} c{}\n", after, is_begun_enough ? "irequires" : "requires", before);
      requirements.push_back(
          {static_cast<std::size_t>(before), static_cast<std::size_t>(after), is_begun_enough});
    }
    text += "}\n";
  }
  std::string text;
  std::vector<int> cpus;
  std::vector<Requirement> requirements;
};

struct Spans : simulator::Observer {
  std::map<std::uint32_t, std::pair<simulator::Time, simulator::Time>> of;
  void did(int, int, std::uint32_t task, simulator::Time begin, simulator::Time end) override {
    EXPECT_TRUE(of.emplace(task, std::pair(begin, end)).second) << "task " << task << " is done twice";
  }
  void computed(int, simulator::Time, simulator::Time) override {}
  void waited(int, int, simulator::Time, simulator::Time) override {}
};

// Each begins once: when all that it requires is over, or has begun, and its processor has ended another one.
TEST(GoalUnits, calculations_begin_as_soon_as_they_may) {
  using simulator::Time;
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 500; ++seed) {
    SCOPED_TRACE(fmt::format("WEFT_TEST_SEED={}", seed));
    std::mt19937_64 random(seed);
    const Calculations calculations(random);
    auto program = simulator::parse_goal(calculations.text);
    ASSERT_TRUE(program.ok()) << program.error();
    Spans spans;
    const simulator::Setting setting;
    const auto outcome =
        played(setting, simulator::scripts_of(std::move(*program), calculations.text, "a.goal"), &spans);
    EXPECT_EQ(outcome.problem, "");
    ASSERT_EQ(spans.of.size(), calculations.cpus.size());
    std::vector<Time> may_begin(spans.of.size());
    for (const auto& [before, after, is_begun_enough] : calculations.requirements) {
      const auto& [begin, end] = spans.of[static_cast<std::uint32_t>(before)];
      may_begin[after] = std::max(may_begin[after], is_begun_enough ? begin : end);
    }
    for (const auto& [task, span] : spans.of) {
      EXPECT_GE(span.first, may_begin[task]) << "task " << task << calculations.text;
      bool follows = false;
      for (const auto& [other, others] : spans.of) {
        if (other == task || calculations.cpus[other] != calculations.cpus[task]) continue;
        EXPECT_TRUE(others.second <= span.first || others.first >= span.second) << "two at once";
        follows |= others.second == span.first;
      }
      EXPECT_TRUE(follows || span.first == may_begin[task]) << "task " << task << calculations.text;
    }
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace weft::tests
