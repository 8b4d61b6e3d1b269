// SPDX-License-Identifier: BSD-3-Clause
// GoalOrder: what `requires` and `irequires` of one rank mean together: an order in which its tasks can run,
// and who waits for whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace weft::simulator {

struct Requirement {
  std::uint32_t before = 0, after = 0;
  bool is_begun_enough = false;  // irequires: `after` may begin once `before` has begun,
  bool is_elsewhere = false;     // which another processor does

  bool operator==(const Requirement&) const = default;
};

struct GoalOrder {
  std::vector<std::uint32_t> tasks;  // by their old numbers, each behind those that it requires
  // Further tasks behind them, which do nothing and that others wait for: on whose processor.
  std::vector<std::uint32_t> joins;
  // By the new numbers, the second waits for the first, in `begun` for its beginning only; ascending.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges, begun;
  // Or else tasks of which each requires the next, and the last the first.
  std::vector<std::uint32_t> circle;
};

// The order of the text is kept where the requirements leave a choice.
GoalOrder order_of(std::size_t tasks, std::vector<Requirement> requirements);

}  // namespace weft::simulator
