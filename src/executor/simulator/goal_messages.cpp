// SPDX-License-Identifier: BSD-3-Clause
#include "executor/simulator/goal_messages.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace weft::simulator {
namespace {

// The receives of all ranks, each rank's in the order of who sends what.
class Receives {
 public:
  explicit Receives(std::span<const Part> parts) : parts_(parts) {
    begin_.push_back(0);
    for (const Part& part : parts) {
      for (std::uint32_t t = 0; t < part.tasks.size(); ++t)
        if (part.tasks[t].kind == TaskKind::kRecv) tasks_.push_back(t);
      std::sort(tasks_.begin() + begin_.back(), tasks_.end(),
                [&](std::uint32_t a, std::uint32_t b) { return name(part, a) < name(part, b); });
      begin_.push_back(static_cast<std::ptrdiff_t>(tasks_.size()));
    }
    is_met_.resize(tasks_.size());
  }

  // The task of the rank that receives this.
  std::optional<std::uint32_t> meet(int rank, int sender, std::uint32_t label) {
    const auto r = static_cast<std::size_t>(rank);
    const auto wanted = std::pair(std::int32_t{sender}, label);
    const auto end = tasks_.begin() + begin_[r + 1];
    const auto at = std::lower_bound(
        tasks_.begin() + begin_[r], end, wanted,
        [&](std::uint32_t task, const auto& sought) { return name(parts_[r], task) < sought; });
    if (at == end || name(parts_[r], *at) != wanted) return std::nullopt;
    is_met_[static_cast<std::size_t>(at - tasks_.begin())] = true;
    return *at;
  }

  // Rank and task of those that nobody has met, the first of a rank first.
  std::vector<std::pair<int, std::uint32_t>> alone() const {
    std::vector<std::pair<int, std::uint32_t>> all;
    for (std::size_t rank = 0; rank < parts_.size(); ++rank)
      for (auto i = static_cast<std::size_t>(begin_[rank]); i < static_cast<std::size_t>(begin_[rank + 1]);
           ++i)
        if (!is_met_[i]) all.emplace_back(static_cast<int>(rank), tasks_[i]);
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  static std::pair<std::int32_t, std::uint32_t> name(const Part& part, std::uint32_t task) {
    return {part.tasks[task].peer, part.tasks[task].label};
  }

  std::span<const Part> parts_;
  std::vector<std::uint32_t> tasks_;
  std::vector<std::ptrdiff_t> begin_;  // by rank
  std::vector<bool> is_met_;
};

// The first, and how many more there are.
class Problems {
 public:
  template <typename... Parameters>
  void add(int rank, std::uint32_t task, fmt::format_string<Parameters...> what, Parameters&&... parameters) {
    if (count_++ == 0) first_ = {rank, task, fmt::format(what, std::forward<Parameters>(parameters)...)};
  }
  std::optional<GoalProblem> first_of_all() {
    if (count_ == 0) return std::nullopt;
    if (count_ > 1) first_.what += fmt::format("; so it is with {} more", count_ - 1);
    return std::move(first_);
  }

 private:
  GoalProblem first_;
  std::size_t count_ = 0;
};

// "has no send", "has only 2 sends".
std::string has_only(std::uint32_t count, std::string_view what) {
  if (count == 0) return fmt::format("has no {}", what);
  return fmt::format("has only {} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::uint32_t GoalLabels::next(TaskKind kind, std::int32_t peer, std::uint32_t tag) {
  const std::uint64_t is_send = kind == TaskKind::kSend;
  const std::uint32_t place = count_[static_cast<std::uint64_t>(peer) << 33 | is_send << 32 | tag]++;
  const auto [at, is_new] =
      labels_.try_emplace(std::uint64_t{tag} << 32 | place, static_cast<std::uint32_t>(meanings_.size()));
  if (is_new) meanings_.push_back({tag, place});
  return at->second;
}

std::optional<GoalProblem> match_messages(std::span<Part> parts, const GoalLabels& labels) {
  Problems problems;
  Receives receives(parts);
  for (int rank = 0; rank < static_cast<int>(parts.size()); ++rank) {
    const std::vector<ScriptTask>& tasks = parts[static_cast<std::size_t>(rank)].tasks;
    for (std::uint32_t task = 0; task < tasks.size(); ++task) {
      const ScriptTask& send = tasks[task];
      if (send.kind != TaskKind::kSend) continue;
      const std::optional<std::uint32_t> met = receives.meet(send.peer, rank, send.label);
      if (!met) {
        const auto [tag, place] = labels.meaning(send.label);
        problems.add(
            rank, task,
            "rank {} sends this to rank {}, which {} for it with tag {}: every send needs one of its own",
            rank, send.peer, has_only(place, "recv"), tag);
        continue;
      }
      ScriptTask& recv = parts[static_cast<std::size_t>(send.peer)].tasks[*met];
      if (recv.size < send.size)
        problems.add(
            send.peer, *met,
            "rank {} receives at most {} bytes here, but rank {} sends {}: the recv needs as many or more",
            send.peer, recv.size.value, rank, send.size.value);
      recv.size = send.size;
    }
  }
  for (const auto& [rank, task] : receives.alone()) {
    const ScriptTask& recv = parts[static_cast<std::size_t>(rank)].tasks[task];
    const auto [tag, place] = labels.meaning(recv.label);
    problems.add(
        rank, task,
        "rank {} receives this from rank {}, which {} for it with tag {}: every recv needs one of its own",
        rank, recv.peer, has_only(place, "send"), tag);
  }
  return problems.first_of_all();
}

}  // namespace weft::simulator
