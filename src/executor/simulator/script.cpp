// SPDX-License-Identifier: BSD-3-Clause
#include "executor/simulator/script.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/mixed.hpp"

namespace weft::simulator {
namespace {

constexpr std::uint32_t kUnknown = 0xffffffff;

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Edges point forward in `tasks`, whose order is kept but for the joins, which stand at the end. For a join
// as well it is enough that those have begun for which that is enough for the task behind it.
Edges with_few_awaited(const Edges& edges, std::vector<ScriptTask>& tasks, TaskPairs& begun) {
  std::vector<std::uint32_t> counts(tasks.size(), 0);
  for (const auto& [before, after] : edges) ++counts[after];
  if (std::all_of(counts.begin(), counts.end(), [](std::uint32_t n) { return n <= kMostAwaited; }))
    return edges;
  Edges few;
  TaskPairs begun_for_joins;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::size_t>> joins;  // its join under way, and how full
  for (const auto& [before, after] : edges) {
    if (counts[after] <= kMostAwaited) {
      few.emplace_back(before, after);
      continue;
    }
    auto& [join, held] = joins[after];
    if (held % kMostAwaited == 0) {
      join = static_cast<std::uint32_t>(tasks.size());
      tasks.push_back({});
      few.emplace_back(join, after);
    }
    few.emplace_back(before, join);
    if (std::binary_search(begun.begin(), begun.end(), std::pair(before, after)))
      begun_for_joins.emplace_back(before, join);
    ++held;
  }
  begun.insert(begun.end(), begun_for_joins.begin(), begun_for_joins.end());
  std::sort(begun.begin(), begun.end());
  return few;
}

void set_edges(Script& script, const Edges& edges) {
  std::vector<std::uint32_t> begin(script.tasks.size() + 1, 0);
  script.waits.assign(script.tasks.size(), 0);
  for (const auto& [before, after] : edges) {
    ++begin[before + 1];
    ++script.waits[after];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (std::size_t task = 0; task < script.tasks.size(); ++task)
    script.tasks[task].successor_begin = begin[task];
  script.successors.resize(edges.size());
  for (const auto& [before, after] : edges) script.successors[begin[before]++] = after;
  for (std::uint32_t task = 0; task < script.tasks.size(); ++task)
    if (script.waits[task] == 0) script.first.push_back(task);
}

}  // namespace

std::size_t Script::bytes() const {
  std::size_t members = 0;
  for (const ScriptStep& step : steps)
    members += step.members.capacity() * sizeof(std::int32_t) + sizeof step;
  return sizeof *this + tasks.capacity() * sizeof(ScriptTask) + members +
         (successors.capacity() + first.capacity() + receives.capacity() + sends.capacity()) * 4 +
         waits.capacity() * 2;
}

Scripts::Scripts(int ranks, std::function<Part(int rank)> part)
    : ranks_(ranks),
      members_(ranks),
      part_(std::move(part)),
      by_rank_(static_cast<std::size_t>(ranks), kUnknown) {}

std::uint32_t Scripts::number_of(int rank) {
  std::uint32_t& number = by_rank_[static_cast<std::size_t>(rank)];
  if (number == kUnknown) number = intern(part_(rank), rank);
  return number;
}

std::int32_t Scripts::name_of(Naming naming, int rank, int other) const {
  switch (naming) {
    case Naming::kShift: return other >= rank ? other - rank : other - rank + ranks_;
    case Naming::kXor: return rank ^ other;
    case Naming::kAbsolute: return other;
  }
  return other;
}

std::uint64_t Scripts::hash_of(const Part& part, int rank, Naming naming) const {
  std::uint64_t hash = static_cast<std::uint64_t>(naming);
  for (const ScriptTask& task : part.tasks) {
    const bool is_message = weft::is_message(task.kind);
    const auto name = static_cast<std::uint32_t>(is_message ? name_of(naming, rank, task.peer) : task.peer);
    hash = mixed(hash, std::uint64_t{name} << 32 | task.label);
    hash = mixed(hash, static_cast<std::uint64_t>(task.kind) << 56 ^ std::uint64_t{task.errand} << 48 ^
                           std::uint64_t{task.lines} << 40 ^ static_cast<std::uint64_t>(task.size.value));
    if (task.is_write) hash = mixed(hash, 1);
    if (task.work > Time(0)) hash = mixed(hash, static_cast<std::uint64_t>(task.work.value));
  }
  for (const ScriptStep& step : part.steps)
    hash = mixed(hash, std::uint64_t{step.members.size()} << 32 | static_cast<std::uint32_t>(step.place));
  for (const auto& [before, after] : part.edges) hash = mixed(hash, std::uint64_t{before} << 32 | after);
  return hash;
}

// Both as the ranks that have them would name them.
bool Scripts::is_same(const Script& script, const Part& part, int rank, int first_rank, Naming naming) const {
  if (script.has_named && script.naming != naming) return false;
  const auto same_name = [&](std::int32_t in_script, int in_part) {
    const std::int32_t own = script.has_named ? in_script : name_of(naming, first_rank, in_script);
    return own == name_of(naming, rank, in_part);
  };
  if (script.part_tasks != part.tasks.size() || script.steps.size() != part.steps.size()) return false;
  for (std::size_t i = 0; i < part.tasks.size(); ++i) {
    const ScriptTask& a = script.tasks[i];
    const ScriptTask& b = part.tasks[i];
    if (a.kind != b.kind || a.errand != b.errand || a.lines != b.lines || a.is_write != b.is_write ||
        a.label != b.label || a.size != b.size || a.work != b.work)
      return false;
    if (is_message(a.kind) ? !same_name(a.peer, b.peer) : a.peer != b.peer) return false;
  }
  for (std::size_t i = 0; i < part.steps.size(); ++i) {
    const ScriptStep& a = script.steps[i];
    const ScriptStep& b = part.steps[i];
    if (a.leader != b.leader || a.place != b.place || a.turn != b.turn || a.waits_for != b.waits_for ||
        a.members.size() != b.members.size())
      return false;
    for (std::size_t m = 0; m < a.members.size(); ++m)
      if (!same_name(a.members[m], b.members[m])) return false;
  }
  return script.edges == part.edges && script.begun == part.begun && script.units == part.units;
}

void Scripts::rename(Script& script, int rank, Naming naming) {
  if (script.has_named) return;
  script.naming = naming;
  script.has_named = true;
  for (ScriptTask& task : script.tasks)
    if (is_message(task.kind)) task.peer = name_of(naming, rank, task.peer);
  for (ScriptStep& step : script.steps)
    for (std::int32_t& member : step.members) member = name_of(naming, rank, member);
  index_messages(script);
}

void Scripts::index_messages(Script& script) {
  script.receives.clear();
  script.sends.clear();
  for (std::uint32_t task = 0; task < script.tasks.size(); ++task) {
    if (script.tasks[task].kind == TaskKind::kRecv) script.receives.push_back(task);
    if (script.tasks[task].kind == TaskKind::kSend && !script.tasks[task].is_write)
      script.sends.push_back(task);
  }
  const auto key = [&](std::uint32_t task) {
    return std::pair(script.tasks[task].peer, script.tasks[task].label);
  };
  for (auto* const list : {&script.receives, &script.sends})
    std::sort(list->begin(), list->end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
}

Script Scripts::script_of(Part part) const {
  Script script;
  script.part_tasks = part.tasks.size();
  for (ScriptStep& step : part.steps)
    for (const std::int32_t member : step.members)
      step.shape =
          mixed(step.shape, static_cast<std::uint64_t>(name_of(Naming::kShift, step.members[0], member)));
  script.tasks = std::move(part.tasks);
  script.steps = std::move(part.steps);
  script.edges = std::move(part.edges);
  script.begun = std::move(part.begun);
  script.units = std::move(part.units);
  set_edges(script, with_few_awaited(script.edges, script.tasks, script.begun));
  for (std::size_t join = script.part_tasks; !script.units.empty() && join < script.tasks.size(); ++join) {
    const auto last = script.successors_of(static_cast<std::uint32_t>(join)).back();
    script.units.push_back(script.units_of(last));
  }
  index_messages(script);
  return script;
}

std::uint32_t Scripts::intern(Part part, int rank) {
  const std::uint64_t by_shift = hash_of(part, rank, Naming::kShift);
  const std::uint64_t by_xor = part.steps.empty() ? hash_of(part, rank, Naming::kXor) : by_shift;
  for (const auto& [naming, hash] : {std::pair(Naming::kShift, by_shift), std::pair(Naming::kXor, by_xor)}) {
    if (naming == Naming::kXor && !part.steps.empty()) continue;
    const auto [begin, end] = by_hash_.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
      const int first = first_ranks_[at->second];
      if (!is_same(scripts_[at->second], part, rank, first, naming)) continue;
      rename(scripts_[at->second], first, naming);
      return at->second;
    }
  }
  const auto number = static_cast<std::uint32_t>(scripts_.size());
  const bool may_xor = part.steps.empty();
  scripts_.push_back(script_of(std::move(part)));
  first_ranks_.push_back(rank);
  by_hash_.emplace(by_shift, number);
  if (may_xor) by_hash_.emplace(by_xor, number);
  return number;
}

std::uint32_t Scripts::other_end(const Script& own, const ScriptTask& task, int rank,
                                 std::uint32_t others_script, int other) const {
  if (task.other_script == others_script) return task.other_task;
  const Script& script = scripts_[others_script];
  const std::vector<std::uint32_t>& list = task.kind == TaskKind::kSend ? script.receives : script.sends;
  const auto wanted = std::pair(name_of(script.naming, other, rank), task.label);
  const auto at = std::lower_bound(list.begin(), list.end(), wanted, [&](std::uint32_t one, const auto& key) {
    return std::pair(script.tasks[one].peer, script.tasks[one].label) < key;
  });
  if (at == list.end() || std::pair(script.tasks[*at].peer, script.tasks[*at].label) != wanted)
    return Script::kNobody;
  // Other ranks that play it have the same answer, unless the two name differently; or there are none, of
  // which that is the peer.
  if (!own.has_named || !script.has_named || own.naming == script.naming) {
    task.other_script = others_script;
    task.other_task = *at;
  }
  return *at;
}

std::size_t Scripts::bytes() const {
  std::size_t sum = by_rank_.capacity() * sizeof(std::uint32_t) + by_hash_.size() * 32;
  for (const Script& script : scripts_) sum += script.bytes();
  return sum;
}

}  // namespace weft::simulator
