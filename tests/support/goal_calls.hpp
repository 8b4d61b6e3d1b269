// SPDX-License-Identifier: BSD-3-Clause
// Calls whose schedules a GOAL program can say, by what most differs among algorithms, and how a program of
// one operation is played.
#pragma once

#include <fmt/format.h>
#include <functional>

#include "executor/simulator/simulation.hpp"
#include "schedule/describe.hpp"
#include "support/whole_call.hpp"

namespace weft::tests {

struct GoalForm {
  Collective collective;
  const char* algorithm;
  int radix;
};

inline constexpr GoalForm kGoalForms[] = {
    {Collective::kAllreduce, "recursive_k_ing", 2},
    {Collective::kAllreduce, "recursive_k_ing", 3},
    {Collective::kBarrier, "dissemination", 2},
    {Collective::kBarrier, "dissemination", 4},
    {Collective::kBcast, "k_nomial", 2},
    {Collective::kReduce, "k_nomial", 3},
    {Collective::kGather, "k_nomial", 2},
    {Collective::kAllreduce, "ring", 2},
    {Collective::kAllgather, "ring", 2},
    {Collective::kAlltoall, "pairwise", 2},
};

// Where every message goes at once, and where those of more than eight bytes ask first.
inline constexpr std::string_view kGoalMachines[] = {"loggops:L=2500,o=1500,g=1000,G=6",
                                                     "loggops:L=2500,o=1500,g=1000,G=6,O=3,S=8"};

// The schedules of each, until one fails.
inline void for_each_goal_call(int most_ranks,
                               const std::function<void(const std::vector<Schedule>&)>& check) {
  for (const GoalForm& form : kGoalForms)
    for (int ranks = 1; ranks <= most_ranks; ++ranks)
      for (const std::int64_t bytes : {8, 4096}) {
        Call call{.collective = form.collective, .rank_count = ranks, .bytes = Bytes(bytes)};
        if (form.collective == Collective::kBarrier) call.bytes = Bytes(0);
        if (is_reduction(form.collective)) call.element_bytes = Bytes(8);
        SCOPED_TRACE(fmt::format("{} by {} radix {}", describe(call), form.algorithm, form.radix));
        const auto found = find_algorithm(form.collective, form.algorithm);
        ASSERT_TRUE(found.ok()) << found.error();
        if ((*found)->eligible(call)) check(build_all(call, form.algorithm, form.radix));
        if (::testing::Test::HasFailure()) return;
      }
}

inline simulator::Outcome played(const simulator::Setting& setting, simulator::Scripts scripts,
                                 simulator::Observer* observer = nullptr) {
  std::vector<simulator::Scripts> operations;
  operations.push_back(std::move(scripts));
  const simulator::Program once{
      .steps = {{simulator::Step::Kind::kStart, 0, {}}, {simulator::Step::Kind::kWait, 0, {}}}};
  return simulate(setting, once, operations, observer);
}

}  // namespace weft::tests
