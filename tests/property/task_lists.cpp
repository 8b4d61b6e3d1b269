// SPDX-License-Identifier: BSD-3-Clause
// Task lists of the whole catalog: whatever they are lowered with, what is raised from them is proved.
#include "support/task_lists.hpp"

#include <gtest/gtest.h>

#include "schedule/task_list.hpp"
#include "support/case.hpp"
#include "transform/by_rounds.hpp"
#include "transform/raise.hpp"

namespace weft::tests {
namespace {

std::vector<Schedule> rounds_of_all(const std::vector<Schedule>& schedules) {
  std::vector<Schedule> all;
  for (const Schedule& schedule : schedules) all.push_back(by_rounds(schedule));
  return all;
}

// Sanitizers cost a factor of ten.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kRanksApart = 4;
#else
constexpr int kRanksApart = 1;
#endif

class ListsOf : public testing::TestWithParam<const Algorithm*> {};

TEST_P(ListsOf, every_call_are_proved) {
  const Algorithm& algorithm = *GetParam();
  std::uint64_t seed = base_seed();
  for (int ranks = 1; ranks <= 33; ranks += kRanksApart)
    for (const Call& call : list_calls(algorithm.collective, ranks)) {
      if (!algorithm.eligible(call)) continue;
      ++seed;
      const Case c(algorithm, call, list_parameters(algorithm, seed), InPlace::kSome, seed);
      if (has_groups(c.schedules)) continue;
      const auto schedules = seed % 5 == 0 ? rounds_of_all(c.schedules) : c.schedules;
      for (const Lowering& lowering : some_lowerings(seed)) {
        const auto raised = raise_all(lower_all(schedules, lowering));
        ASSERT_EQ(findings_of(raised), "") << c.name() << " " << name_of(lowering);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Catalog, ListsOf, testing::ValuesIn(catalog_pointers()), name_of_list_algorithm);

}  // namespace
}  // namespace weft::tests
