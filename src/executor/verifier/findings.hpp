// SPDX-License-Identifier: BSD-3-Clause
// Findings: what the checks have found so far, worded alike: "rank 1, task 3 (recv 0 -> output[0+8]): …".
#pragma once

#include <array>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "executor/verifier/report.hpp"

namespace weft::verifier {

class Findings {
 public:
  explicit Findings(std::span<const Schedule> schedules) : schedules_(schedules) {}

  template <class... Parts>
  void add(Rule rule, Rank rank, std::optional<TaskId> task, fmt::format_string<Parts...> format,
           Parts&&... parts) {
    if (count_of(rule)++ >= kListed) return;
    list_.push_back(
        {rule, rank, task, where(rank, task) + fmt::format(format, std::forward<Parts>(parts)...)});
  }

  bool any() const { return !list_.empty(); }
  bool any_of(Rule rule) const { return counts_[static_cast<std::size_t>(rule)] != 0; }

  // "task 3 (recv 0 -> output[0+8])".
  std::string name(Rank rank, TaskId task) const;

  // The list; where a rule was broken more often than is listed, its last entry says how often.
  std::vector<Finding> take();

 private:
  static constexpr int kListed = 64;  // per rule: one mistake in a builder shows on every rank

  int& count_of(Rule rule) { return counts_[static_cast<std::size_t>(rule)]; }
  std::string where(Rank rank, std::optional<TaskId> task) const;

  std::span<const Schedule> schedules_;
  std::array<int, static_cast<std::size_t>(Rule::kMalformed) + 1> counts_{};
  std::vector<Finding> list_;
};

}  // namespace weft::verifier
