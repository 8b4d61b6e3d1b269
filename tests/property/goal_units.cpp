// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a collective and the processors of one rank, with an adapter each, that do the same take the
// same time.
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

}  // namespace
}  // namespace weft::tests
