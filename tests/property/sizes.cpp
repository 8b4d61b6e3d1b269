// SPDX-License-Identifier: BSD-3-Clause
// One structure for many sizes: for every size of a class the schedule of the largest is proved once it has
// been resized, and is the same whatever sizes it had before.
#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <set>

#include "executor/verifier/verify.hpp"
#include "planner/decision.hpp"
#include "schedule/describe.hpp"
#include "support/case.hpp"
#include "support/planner_calls.hpp"
#include "support/same_schedule.hpp"
#include "transform/size_class.hpp"
#include "transform/sized_schedule.hpp"

namespace weft::tests {
namespace {

std::vector<Schedule> schedules_of(const Decision& decision, bool in_place) {
  std::vector<Schedule> all;
  for (int rank = 0; rank < decision.call.rank_count; ++rank)
    all.push_back(schedule_of(decision, Rank(rank), in_place));
  return all;
}

bool may_be_in_place(Collective collective) {
  return collective != Collective::kBarrier && collective != Collective::kBcast;
}

TEST(EveryClass, has_itself_for_its_largest) {
  for (const Collective collective :
       {Collective::kAllreduce, Collective::kScan, Collective::kReduceScatterBlock})
    for (int element = 1; element <= 100; ++element)
      for (std::int64_t elements = 1; elements < 20'000'000 / element; elements += 1 + elements / 7) {
        Call call{.collective = collective,
                  .rank_count = 3,
                  .bytes = Bytes(elements * element),
                  .element_bytes = Bytes(element)};
        const std::optional<Bytes> largest = largest_of_class(call);
        if (!largest) continue;
        ASSERT_GE(*largest, call.bytes);
        ASSERT_EQ(largest->value % element, 0);
        call.bytes = *largest;
        ASSERT_EQ(largest_of_class(call), largest) << elements << " elements of " << element;
      }
}

class EverySize : public testing::TestWithParam<const Algorithm*> {};

TEST_P(EverySize, of_a_class_is_proved) {
  const Algorithm& algorithm = *GetParam();
  for (const int ranks : {2, 3, 4, 5, 8, 9, 16, 17})
    for (const int root : std::set<int>{0, is_rooted(algorithm.collective) ? ranks - 1 : 0})
      for (const auto& [largest, element] : {std::pair{8, 1},
                                             {32, 4},
                                             {56, 1},
                                             {56, 8},
                                             {48, 12},
                                             {64, 1},
                                             {64, 8},
                                             {1024, 4},
                                             {4096, 1},
                                             {4096, 8},
                                             {81920, 4},
                                             {98304, 12}})
        for (const int fragment : {std::max(largest, 1024), largest / 3})
          for (const bool commutative : {true, false})
            for (const bool in_place : {false, true}) {
              if (fragment < largest && (largest < 1024 || !algorithm.has_fragments)) continue;
              if (!commutative && !is_reduction(algorithm.collective)) continue;
              if (in_place && !may_be_in_place(algorithm.collective)) continue;
              const Parameters parameters{
                  .radix = 3, .bcast_radix = 2, .window = 3, .fragment = Bytes(fragment)};
              const Call structure{.collective = algorithm.collective,
                                   .rank_count = ranks,
                                   .root = Rank(root),
                                   .bytes = Bytes(largest),
                                   .element_bytes = Bytes(element),
                                   .commutative = commutative};
              if (!algorithm.eligible(structure) || !algorithm.scales(structure, parameters)) continue;
              Decision decision = decide(structure, algorithm, parameters);
              const std::vector<Schedule> structures = schedules_of(decision, in_place);
              std::deque<SizedSchedule> again;
              for (const Schedule& one : structures) again.emplace_back(one);
              for (const int bytes :
                   {largest - element, largest / 2 / element * element + element, element, largest}) {
                decision.call.bytes = Bytes(bytes);
                const std::vector<Schedule> resized = schedules_of(decision, in_place);
                const Report report = verify(resized);
                ASSERT_TRUE(report.proved())
                    << describe(decision.call) << ": " << report.findings.front().message;
                for (std::size_t rank = 0; rank < again.size(); ++rank) {
                  again[rank].resize(Bytes(bytes));
                  expect_same(again[rank].schedule(), resized[rank]);
                  ASSERT_FALSE(HasFailure()) << describe(decision.call) << ", rank " << rank;
                }
              }
            }
}

std::vector<const Algorithm*> all_of_them() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : catalog())
    if (algorithm.scales != never && !has_parcels(algorithm.collective)) all.push_back(&algorithm);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalog, EverySize, testing::ValuesIn(all_of_them()), [](const auto& info) {
  return std::string(name_of(info.param->collective)) + "_" + std::string(info.param->name);
});

}  // namespace
}  // namespace weft::tests
