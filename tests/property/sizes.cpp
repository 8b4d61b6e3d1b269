// SPDX-License-Identifier: BSD-3-Clause
// One structure for many sizes: for every size of a class the schedule of the largest is proved once it has
// been resized, and is the same whatever sizes it had before.
#include <gtest/gtest.h>
#include <set>

#include "executor/verifier/verify.hpp"
#include "planner/decision.hpp"
#include "schedule/describe.hpp"
#include "support/case.hpp"
#include "support/same_schedule.hpp"
#include "transform/resize.hpp"

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

class EverySize : public testing::TestWithParam<const Algorithm*> {};

TEST_P(EverySize, of_a_class_is_proved) {
  const Algorithm& algorithm = *GetParam();
  const Parameters parameters{.radix = 3, .bcast_radix = 2, .window = 3, .fragment = Bytes(1024)};
  for (const int ranks : {2, 3, 4, 5, 8, 9, 16, 17})
    for (const int root : std::set<int>{0, is_rooted(algorithm.collective) ? ranks - 1 : 0})
      for (const auto& [largest, element] :
           {std::pair{8, 1}, {32, 4}, {64, 1}, {64, 8}, {4096, 1}, {4096, 8}})
        for (const bool commutative : {true, false})
          for (const bool in_place : {false, true}) {
            if (!commutative && !is_reduction(algorithm.collective)) continue;
            if (in_place && !may_be_in_place(algorithm.collective)) continue;
            const Call structure{.collective = algorithm.collective,
                                 .rank_count = ranks,
                                 .root = Rank(root),
                                 .bytes = Bytes(largest),
                                 .element_bytes = Bytes(element),
                                 .commutative = commutative};
            if (!algorithm.eligible(structure) || !algorithm.scales(structure, parameters)) continue;
            Decision decision = decide(structure, algorithm, parameters);
            const std::vector<Schedule> structures = schedules_of(decision, in_place);
            std::vector<Schedule> again = structures;
            for (const int bytes : {largest - element, largest / 2 + element, largest}) {
              decision.call.bytes = Bytes(bytes);
              const std::vector<Schedule> resized = schedules_of(decision, in_place);
              const Report report = verify(resized);
              ASSERT_TRUE(report.proved())
                  << describe(decision.call) << ": " << report.findings.front().message;
              for (std::size_t rank = 0; rank < again.size(); ++rank) {
                resize(again[rank], structures[rank], Bytes(bytes));
                expect_same(again[rank], resized[rank]);
                ASSERT_FALSE(HasFailure()) << describe(decision.call) << ", rank " << rank;
              }
            }
          }
}

std::vector<const Algorithm*> all_of_them() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : catalog())
    if (algorithm.scales != never) all.push_back(&algorithm);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalog, EverySize, testing::ValuesIn(all_of_them()), [](const auto& info) {
  return std::string(name_of(info.param->collective)) + "_" + std::string(info.param->name);
});

}  // namespace
}  // namespace weft::tests
