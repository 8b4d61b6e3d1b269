// SPDX-License-Identifier: BSD-3-Clause
// One structure for many sizes: for every size of a class the schedule of the largest is proved once it has
// been resized, and is the same whatever sizes it had before. Where blocks have sizes of their own, it is
// then what would have been built for these blocks, which other tests prove.
#include <algorithm>
#include <array>
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

// One rank's parcels for random others: some empty, with gaps, of so many bytes at most.
std::vector<Parcel> random_parcels(Random& random, int ranks, bool one_for_all, std::int64_t most) {
  std::vector<Parcel> parcels;
  const auto size = [&] {
    return Bytes(
        random.chance(20) ? 0 : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most))));
  };
  const Parcel block{.peer = Rank(0), .offset = Bytes(0), .size = size()};
  for (int peer = 0; peer < ranks; ++peer) {
    if (random.chance(10)) continue;
    const Bytes begin = extent_of(parcels) + Bytes(static_cast<std::int64_t>(random.below(9)));
    if (one_for_all) parcels.push_back({Rank(peer), block.offset, block.size});
    else parcels.push_back({Rank(peer), begin, size()});
  }
  if (random.chance(50)) std::reverse(parcels.begin(), parcels.end());
  return parcels;
}

TEST(EveryParcel, of_a_class_has_the_schedule_that_would_be_built_for_it) {
  int shared = 0;
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 2000; ++seed) {
    Random random(seed);
    const auto collective =
        std::array{Collective::kAlltoallv, Collective::kAlltoallw, Collective::kNeighborAlltoallw,
                   Collective::kNeighborAllgather}[random.below(4)];
    const int ranks = 2 + static_cast<int>(random.below(8));
    const Call call{.collective = collective, .rank_count = ranks};
    const Parameters parameters{.fragment = kLineStride * static_cast<int>(random.below(3)),
                                .pair_fragment = kLineStride * static_cast<int>(random.below(3))};
    const Decision decision = decide(call, **find_algorithm(collective, "delivery"), parameters);
    const Rank self(static_cast<int>(random.below(static_cast<std::uint64_t>(ranks))));
    const auto some = [&](std::int64_t most) {
      Parcels parcels{random_parcels(random, ranks, has_one_for_all(collective), most),
                      random_parcels(random, ranks, false, most)};
      // What a rank has for itself it also gets.
      const auto is_own = [&](const Parcel& parcel) { return parcel.peer == self; };
      std::erase_if(parcels.incoming, is_own);
      const auto own = std::find_if(parcels.outgoing.begin(), parcels.outgoing.end(), is_own);
      if (own != parcels.outgoing.end())
        parcels.incoming.push_back({self, extent_of(parcels.incoming), own->size});
      return parcels;
    };
    const auto class_of = [&](const Parcels& parcels) -> std::optional<Parcels> {
      Parcels of_class;
      const Ways ways = decision.choice.algorithm->ways(call, parameters);
      if (!largest_of_class(call, parcels, self, ways, of_class)) return std::nullopt;
      return of_class;
    };
    const Parcels first = some(seed % 2 == 0 ? 60 : 1500);
    const auto of_class = class_of(first);
    if (!of_class) continue;
    // Others of the class: as long as allowed, as short as allowed, and at other places.
    Parcels others = first;
    for (auto* list : {&others.outgoing, &others.incoming})
      for (Parcel& parcel : *list)
        if (parcel.size > Bytes(1) && !has_one_for_all(collective))
          parcel.size -= Bytes(1), parcel.offset += Bytes(3);
    const Schedule structure = schedule_of(decision, self, false, *of_class);
    Schedule schedule = structure;
    for (const Parcels& parcels : {first, others, first}) {
      if (class_of(parcels) != of_class) continue;
      ++shared;
      resize(schedule, structure, parcels);
      expect_same(schedule, schedule_of(decision, self, false, parcels));
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
  }
  EXPECT_GT(shared, 2000);
}

}  // namespace
}  // namespace weft::tests
