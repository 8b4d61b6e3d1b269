// SPDX-License-Identifier: BSD-3-Clause
// Long messages within a node are cut between elements, whatever the size of an element and of a fragment:
// also of one that holds no whole element, or no whole number of them.
#include <gtest/gtest.h>

#include "support/case.hpp"

namespace weft::tests {
namespace {

std::vector<Schedule> schedules_of(const Algorithm& algorithm, const Call& call,
                                   const Parameters& parameters) {
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < call.rank_count; ++rank)
    schedules.push_back(build_example(algorithm, call, parameters, Rank(rank), rank % 2 == 1));
  return schedules;
}

TEST(Fragments, are_cut_between_elements) {
  int proved = 0;
  for (const Algorithm& algorithm : catalog()) {
    if (!algorithm.has_fragments) continue;
    for (const int element : {1, 3, 16, 24, 300})
      for (const int fragment : {1, 64, 100})
        for (const int count : {1, 5, 17})
          for (const int ranks : {2, 3}) {
            const bool reduces = is_reduction(algorithm.collective);
            if (!reduces && element * count / fragment > 40) continue;  // more than are needed
            const Call call{.collective = algorithm.collective,
                            .rank_count = ranks,
                            .root = Rank(is_rooted(algorithm.collective) ? ranks - 1 : 0),
                            .bytes = Bytes(element * count),
                            .element_bytes = Bytes(reduces ? element : 1)};
            const Parameters parameters{.fragment = Bytes(fragment), .in_flight = 2 + count % 3};
            const Report report = verify(schedules_of(algorithm, call, parameters));
            ASSERT_TRUE(report.proved()) << name_of(algorithm.collective) << " " << algorithm.name << ": "
                                         << report.findings.front().message;
            ++proved;
          }
  }
  EXPECT_GT(proved, 0);
}

}  // namespace
}  // namespace weft::tests
