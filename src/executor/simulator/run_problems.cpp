// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a program, or with those who never came to its end.
#include <algorithm>
#include <fmt/format.h>

#include "executor/simulator/run.hpp"

namespace weft::simulator {

// "" or why the program makes no sense.
std::string Run::trouble() const {
  const auto starts = std::count_if(program_.steps.begin(), program_.steps.end(),
                                    [](const Step& step) { return step.kind == Step::Kind::kStart; });
  const std::int64_t most = kMostRepetitions / std::max<std::int64_t>(starts, 1);
  if (program_.steps.empty()) return "the program has no steps";
  if (program_.repetitions < 1 || program_.repetitions > most)
    return fmt::format("{} repetitions: use 1 to {}", program_.repetitions, most);
  if (operations_.size() > kMostOperations || program_.steps.size() > kMostOperations)
    return fmt::format("a program has at most {} steps and operations", kMostOperations);
  if (movers_.size() != operations_.size())
    return fmt::format("movers of {} operations, and there are {}", movers_.size(), operations_.size());
  if (has_mover(MovedBy::kHost) && has_mover(MovedBy::kAgent))
    return "one program has agents, and operations that its hosts move: choose one of them beside the "
           "adapter";
  std::vector<bool> is_under_way(operations_.size(), false);
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    const Step& step = program_.steps[i];
    if (step.kind == Step::Kind::kCompute) continue;
    if (step.operation < 0 || static_cast<std::size_t>(step.operation) >= operations_.size())
      return fmt::format("step {} names operation {}, and there are {}", i, step.operation,
                         operations_.size());
    const auto slot = static_cast<std::size_t>(step.operation);
    const bool starts_it = step.kind == Step::Kind::kStart;
    if (starts_it == is_under_way[slot])
      return fmt::format("step {} {} operation {}, which is {}under way", i,
                         starts_it ? "starts" : "waits for", slot, starts_it ? "" : "not ");
    is_under_way[slot] = starts_it;
  }
  const auto left = std::find(is_under_way.begin(), is_under_way.end(), true);
  if (left != is_under_way.end())
    return fmt::format("operation {} is started and not waited for", left - is_under_way.begin());
  for (const Scripts& scripts : operations_)
    if (scripts.rank_count() != operations_.front().rank_count())
      return fmt::format("operations of {} and of {} ranks: they must agree",
                         operations_.front().rank_count(), scripts.rank_count());
  return "";
}

// The first thing that an operation of a rank waits for: none if it is over.
std::string Run::what_waits(std::uint32_t rank, std::uint16_t slot) const {
  const Role& own = role(rank, slot);
  const Script& script = script_of(rank, slot);
  for (std::uint32_t task = 0; own.is_begun && task < script.tasks.size(); ++task) {
    const ScriptTask& what = script.tasks[task];
    const Counter state = counters_[slot][own.counters + task];
    if ((state & kAwaited) != 0) continue;
    const Scripts& scripts = operations_[slot];
    const std::string where =
        fmt::format("; rank {} waits in {} ", rank, scripts.task_name(static_cast<int>(rank), task));
    const std::string message =
        scripts.has_task_names() ? "a message" : fmt::format("message {}", what.label);
    if (what.kind == TaskKind::kRecv)
      return where + fmt::format("for {} from rank {}", message, named(rank, slot, what.peer));
    if (what.kind == TaskKind::kSend)
      return where + fmt::format("for rank {} to take {}", named(rank, slot, what.peer), message);
    const ScriptStep& step = script.steps[static_cast<std::size_t>(what.peer)];
    std::string others;
    if (const auto at = meetings_.find(name_of(rank, slot, what, step)); at != meetings_.end())
      for (std::size_t place = 0; place < step.members.size(); ++place)
        if (at->second.came[place] == kNever)
          others += fmt::format(" {}", named(rank, slot, step.members[place]));
    return where + (others.empty() ? "for whoever opens a step" : "for ranks" + others);
  }
  return "";
}

// Who waits for what, of the first few.
std::string Run::who_waits() const {
  constexpr std::size_t kMostNamed = 8;
  const std::size_t left = players_.size() - ended_;
  std::string text = fmt::format("{} of {} ranks never end", left, players_.size());
  std::size_t named_ranks = 0;
  for (std::uint32_t rank = 0; rank < players_.size() && named_ranks < kMostNamed; ++rank) {
    if (players_[rank].repetition == program_.repetitions) continue;
    ++named_ranks;
    for (std::uint16_t slot = 0; slot < roles_.size(); ++slot) text += what_waits(rank, slot);
  }
  if (left > named_ranks) text += fmt::format("; and {} more", left - named_ranks);
  return text;
}

}  // namespace weft::simulator
