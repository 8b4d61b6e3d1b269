// SPDX-License-Identifier: BSD-3-Clause
#include "executor/simulator/goal_order.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace weft::simulator {
namespace {

constexpr std::uint32_t kNobody = 0xffffffff;

struct Edge {
  std::uint32_t before, after;
  bool is_begun_enough = false;

  auto operator<=>(const Edge&) const = default;
};
using Edges = std::vector<Edge>;

bool are_between_the_same(const Edge& a, const Edge& b) { return a.before == b.before && a.after == b.after; }

// The first of those that can be next comes next. What stands in a circle, or behind one, is left out.
std::vector<std::uint32_t> sorted(std::size_t tasks, const std::vector<Requirement>& requirements) {
  std::vector<std::uint32_t> waits(tasks, 0), begin(tasks + 1, 0), successors(requirements.size());
  for (const Requirement& one : requirements) {
    ++waits[one.after];
    ++begin[one.before];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (const Requirement& one : requirements) successors[--begin[one.before]] = one.after;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t task = 0; task < tasks; ++task)
    if (waits[task] == 0) ready.push(task);
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    const std::uint32_t task = ready.top();
    ready.pop();
    order.push_back(task);
    for (std::uint32_t s = begin[task]; s < begin[task + 1]; ++s)
      if (--waits[successors[s]] == 0) ready.push(successors[s]);
  }
  return order;
}

// Whoever cannot run requires somebody who cannot either: going on from one to the next ends in a circle.
std::vector<std::uint32_t> circle_in(std::size_t tasks, const std::vector<Requirement>& requirements,
                                     const std::vector<std::uint32_t>& order) {
  std::vector<bool> can_run(tasks, false), is_passed(tasks, false);
  for (const std::uint32_t task : order) can_run[task] = true;
  std::vector<std::uint32_t> required(tasks, kNobody);
  for (const Requirement& one : requirements)
    if (!can_run[one.before] && !can_run[one.after]) required[one.after] = one.before;
  auto at = static_cast<std::uint32_t>(std::find(can_run.begin(), can_run.end(), false) - can_run.begin());
  for (; !is_passed[at]; at = required[at]) is_passed[at] = true;
  std::vector<std::uint32_t> circle{at};
  for (std::uint32_t next = required[at]; next != at; next = required[next]) circle.push_back(next);
  return circle;
}

// Task by task, so that what a task waits for is known to those who may begin once it has begun. These wait
// for the same; if that is much, it is said once, by a join, so that edges are no more than a few times as
// many as requirements.
class Edging {
 public:
  explicit Edging(std::size_t tasks) : tasks_(tasks), begin_(tasks + 1, 0) {}

  // `requirements` in the order of `after`, each of which is behind its `before`.
  void add_all(const std::vector<Requirement>& requirements) {
    std::vector<bool> has_followers(tasks_, false);
    for (const Requirement& one : requirements)
      if (one.is_begun_enough && !one.is_elsewhere) has_followers[one.before] = true;
    auto at = requirements.begin();
    for (std::uint32_t task = 0; task < tasks_; ++task) {
      begin_[task] = edges_.size();
      for (; at != requirements.end() && at->after == task; ++at) {
        if (at->is_begun_enough && !at->is_elsewhere) wait_as(at->before, task);
        else edges_.push_back({at->before, task, at->is_begun_enough});
      }
      const auto own = edges_.begin() + static_cast<std::ptrdiff_t>(begin_[task]);
      std::sort(own, edges_.end());  // the strictest of the same first
      edges_.erase(std::unique(own, edges_.end(), are_between_the_same), edges_.end());
      if (has_followers[task] && edges_.size() - begin_[task] > kMuch) join(task);
      begin_[task + 1] = edges_.size();
    }
  }

  void finish(GoalOrder& order) {
    edges_.insert(edges_.end(), to_joins_.begin(), to_joins_.end());
    std::sort(edges_.begin(), edges_.end());
    for (const auto& [before, after, is_begun_enough] : edges_) {
      order.edges.emplace_back(before, after);
      if (is_begun_enough) order.begun.emplace_back(before, after);
    }
    order.joins = std::move(joins_);
  }

 private:
  static constexpr std::size_t kMuch = 16;

  void wait_as(std::uint32_t other, std::uint32_t task) {
    for (std::size_t e = begin_[other]; e < begin_[other + 1]; ++e) {
      const Edge edge = edges_[e];
      edges_.push_back({edge.before, task, edge.is_begun_enough});
    }
  }
  void join(std::uint32_t task) {
    const auto made = static_cast<std::uint32_t>(tasks_ + joins_.size());
    joins_.push_back(task);
    for (std::size_t e = begin_[task]; e < edges_.size(); ++e)
      to_joins_.push_back({edges_[e].before, made, edges_[e].is_begun_enough});
    edges_.erase(edges_.begin() + static_cast<std::ptrdiff_t>(begin_[task]), edges_.end());
    edges_.push_back({made, task});
  }

  std::size_t tasks_;
  std::vector<std::uint32_t> joins_;
  std::vector<std::size_t> begin_;  // into edges_, by task
  Edges edges_, to_joins_;
};

}  // namespace

GoalOrder order_of(std::size_t tasks, std::vector<Requirement> requirements) {
  GoalOrder order;
  const bool is_sorted = std::all_of(requirements.begin(), requirements.end(),
                                     [](const Requirement& one) { return one.before < one.after; });
  if (is_sorted) {
    order.tasks.resize(tasks);
    std::iota(order.tasks.begin(), order.tasks.end(), 0u);
  } else {
    order.tasks = sorted(tasks, requirements);
    if (order.tasks.size() < tasks) {
      order.circle = circle_in(tasks, requirements, order.tasks);
      return order;
    }
    std::vector<std::uint32_t> place(tasks);
    for (std::uint32_t p = 0; p < tasks; ++p) place[order.tasks[p]] = p;
    for (Requirement& one : requirements) {
      one.before = place[one.before];
      one.after = place[one.after];
    }
  }
  std::stable_sort(requirements.begin(), requirements.end(),
                   [](const Requirement& a, const Requirement& b) { return a.after < b.after; });
  Edging edging(tasks);
  edging.add_all(requirements);
  edging.finish(order);
  return order;
}

}  // namespace weft::simulator
