// SPDX-License-Identifier: BSD-3-Clause
// One structure for many blocks that differ in size. Where every rank has all sizes, the schedule of the
// largest is proved once it has been resized, and is the same whatever sizes it had before. Where no rank
// has, it is then what would have been built for these blocks, but for copies of nothing, and proved.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>

#include "executor/verifier/verify.hpp"
#include "node/steps.hpp"
#include "planner/decision.hpp"
#include "support/case.hpp"
#include "support/planner_calls.hpp"
#include "support/same_schedule.hpp"
#include "transform/size_class.hpp"
#include "transform/sized_schedule.hpp"

namespace weft::tests {
namespace {

std::vector<TaskId> deliver_steps(const Schedule& schedule) {
  std::vector<TaskId> steps;
  for (std::uint32_t t = 0; t < schedule.tasks.size(); ++t)
    if (schedule.tasks[t].kind == TaskKind::kDeliver) steps.emplace_back(t);
  return steps;
}

// Steps that have taken a bound schedule's parcels say, expect and need what those of the fresh one do.
void expect_same_steps(node::Steps& taken, const Schedule& bound, const Schedule& fresh) {
  taken.take_parcels(bound);
  const node::Steps own(fresh);
  EXPECT_EQ(taken.usage().room, own.usage().room);
  EXPECT_EQ(taken.usage().lines, own.usage().lines);
  EXPECT_EQ(taken.usage().steps, own.usage().steps);
  const std::vector<TaskId> those = deliver_steps(bound), these = deliver_steps(fresh);
  ASSERT_EQ(those.size(), these.size());
  for (std::size_t i = 0; i < these.size(); ++i) {
    EXPECT_EQ(taken.of(those[i]).marks, own.of(these[i]).marks);
    EXPECT_EQ(taken.of(those[i]).expected, own.of(these[i]).expected);
    EXPECT_EQ(taken.of(those[i]).waited_for, own.of(these[i]).waited_for);
  }
}

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

void expect_chain(const Schedule& schedule) {
  ASSERT_EQ(schedule.predecessor_count.size(), schedule.tasks.size());
  for (std::uint32_t t = 0; t + 1 < schedule.tasks.size(); ++t) {
    const auto next = schedule.successors_of(TaskId(t));
    EXPECT_TRUE(next.size() == 1 && next.front() == TaskId(t + 1)) << "task " << t;
  }
}

// The same in every field, but for copies of nothing; in both the tasks follow one another.
void expect_same_work(const Schedule& bound, const Schedule& fresh) {
  expect_chain(bound);
  expect_chain(fresh);
  EXPECT_EQ(bound.self, fresh.self);
  EXPECT_EQ(bound.in_place, fresh.in_place);
  EXPECT_EQ(bound.algorithm, fresh.algorithm);
  EXPECT_EQ(bound.call, fresh.call);
  EXPECT_EQ(bound.parcels, fresh.parcels);
  EXPECT_EQ(bound.buffers, fresh.buffers);
  EXPECT_EQ(bound.groups, fresh.groups);
  std::vector<Task> tasks;
  for (const Task& task : bound.tasks)
    if (task.kind != TaskKind::kCopy || task.size > Bytes(0)) tasks.push_back(task);
  ASSERT_EQ(tasks.size(), fresh.tasks.size());
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    tasks[t].successor_begin = fresh.tasks[t].successor_begin;
    expect_same(tasks[t], fresh.tasks[t], t);
  }
}

TEST(EveryParcel, of_a_class_has_the_schedule_that_would_be_built_for_it) {
  int shared = 0;
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 2000; ++seed) {
    Random random(seed);
    const auto collective =
        std::array{Collective::kAlltoallv, Collective::kAlltoallw, Collective::kNeighborAlltoallw,
                   Collective::kNeighborAllgather}[random.below(4)];
    const int ranks = random.chance(30) ? 2 : 2 + static_cast<int>(random.below(8));
    const Call call{.collective = collective, .rank_count = ranks};
    const Parameters parameters{.fragment = kLineStride * static_cast<int>(random.below(3)),
                                .pair_fragment = kLineStride * static_cast<int>(random.below(3)),
                                .single_copy_from = Bytes(static_cast<int>(random.below(3)) * 200)};
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
    const Ways ways = decision.choice.algorithm->ways(call, parameters);
    // Others, mostly of the class: a little shorter and at other places, and through other places or empty.
    Parcels shorter = first, others = first;
    for (auto* list : {&shorter.outgoing, &shorter.incoming})
      for (Parcel& parcel : *list)
        if (parcel.size > Bytes(1) && !has_one_for_all(collective))
          parcel.size -= Bytes(1), parcel.offset += Bytes(3);
    const auto other_size = [&] {
      const auto most = static_cast<std::uint64_t>(ways.at_once[random.below(4)].value);
      return Bytes(random.chance(30) ? 0 : static_cast<std::int64_t>(random.below(most + 1)));
    };
    const Bytes for_all = other_size();
    const bool one_for_all = has_one_for_all(collective);
    for (auto* list : {&others.outgoing, &others.incoming})
      for (Parcel& parcel : *list) {
        const bool is_the_one = one_for_all && (list == &others.outgoing || parcel.peer == self);
        if (ways.fits(parcel.size) && (is_the_one || parcel.peer != self))
          parcel.size = is_the_one ? for_all : other_size();
      }
    const Schedule structure = schedule_of(decision, self, false, *of_class);
    const std::vector<NearerPlace> nearer = nearer_places(decision, self, *of_class, ways);
    SizedSchedule sized(structure, nearer);
    node::Steps steps(structure);
    for (const Parcels& parcels : {first, shorter, others, first}) {
      const bool is_of_class = class_of(parcels) == of_class;
      EXPECT_EQ(are_of_class(parcels, structure, ways), is_of_class) << "seed " << seed;
      if (!is_of_class) continue;
      ++shared;
      sized.resize(parcels);
      const Schedule fresh = schedule_of(decision, self, false, parcels);
      expect_same_work(sized.schedule(), fresh);
      expect_same_steps(steps, sized.schedule(), fresh);
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
  }
  EXPECT_GT(shared, 2000);
}

// What each rank has for each other in an alltoallv, of so many bytes at most, every fifth block empty.
std::vector<Parcels> random_exchange(Random& random, int ranks, std::int64_t most) {
  std::vector<Parcels> all(static_cast<std::size_t>(ranks));
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to) {
      auto& outgoing = all[static_cast<std::size_t>(from)].outgoing;
      auto& incoming = all[static_cast<std::size_t>(to)].incoming;
      const Bytes size(random.chance(20)
                           ? 0
                           : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most + 1))));
      outgoing.push_back({Rank(to), extent_of(outgoing), size});
      incoming.push_back({Rank(from), extent_of(incoming), size});
    }
  return all;
}

TEST(EveryParcel, that_goes_at_once_is_of_one_class_and_proved) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 100; ++seed) {
    Random random(seed);
    const int ranks = 2 + static_cast<int>(random.below(9));
    const Call call{.collective = Collective::kAlltoallv, .rank_count = ranks};
    const Parameters parameters{.fragment = kLineStride * static_cast<int>(random.below(5)),
                                .pair_fragment = kLineStride * static_cast<int>(random.below(3))};
    const Decision decision = decide(call, alltoallv::delivery, parameters);
    const Ways ways = alltoallv::delivery.ways(call, parameters);
    const bool has_turns = ways.fragment > Bytes(0);
    const std::int64_t most = ways.at_once.back().value, in_turns = has_turns ? most * 3 : most;
    std::vector<Schedule> structures(static_cast<std::size_t>(ranks));
    std::vector<std::unique_ptr<SizedSchedule>> bound(structures.size());
    int made = 0;
    for (const std::int64_t longest : {most, std::int64_t{0}, most / 9, most, most / 50, in_turns}) {
      const std::vector<Parcels> parcels = random_exchange(random, ranks, longest);
      std::vector<Schedule> all;
      for (std::size_t rank = 0; rank < structures.size(); ++rank) {
        const Rank self(static_cast<int>(rank));
        Parcels of_class;
        ASSERT_TRUE(largest_of_class(call, parcels[rank], self, ways, of_class));
        if (bound[rank] == nullptr || of_class != structures[rank].parcels) {
          structures[rank] = schedule_of(decision, self, false, of_class);
          const auto nearer = nearer_places(decision, self, of_class, ways);
          bound[rank] = std::make_unique<SizedSchedule>(structures[rank], nearer);
          ++made;
        }
        bound[rank]->resize(parcels[rank]);
        all.push_back(bound[rank]->schedule());
      }
      EXPECT_TRUE(made == ranks || longest > most) << "seed " << seed;
      const Report report = verify(all);
      ASSERT_TRUE(report.proved()) << "seed " << seed << ", " << ranks << " ranks, at most " << longest
                                   << " bytes: " << report.findings.front().message;
    }
  }
}

// Every rank's parcels of a call in which all have all sizes, of so many elements at most.
std::vector<Parcels> random_known_parcels(Random& random, const Call& call, std::int64_t most,
                                          const std::vector<bool>& in_place) {
  std::vector<Bytes> sizes;
  const std::int64_t least = random.chance(50) ? most / 2 : 0;
  for (int rank = 0; rank < call.rank_count; ++rank) {
    const auto apart = random.below(static_cast<std::uint64_t>(most - least + 1));
    const std::int64_t elements = random.chance(15) ? 0 : least + static_cast<std::int64_t>(apart);
    sizes.push_back(call.element_bytes * elements);
  }
  std::vector<Parcels> all(sizes.size());
  for (std::size_t self = 0; self < all.size(); ++self) {
    const bool gathers = call.collective == Collective::kAllgatherv;
    std::vector<Parcel> blocks;
    for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
      const auto gap = static_cast<std::int64_t>(gathers ? random.below(9) : 0);
      blocks.push_back({Rank(static_cast<int>(rank)), extent_of(blocks) + Bytes(gap), sizes[rank]});
    }
    const Rank own(static_cast<int>(self));
    if (!gathers) {
      all[self] = {blocks, {{own, Bytes(0), sizes[self]}}};
      continue;
    }
    all[self].incoming = blocks;
    const Bytes offset = in_place[self] ? blocks[self].offset : Bytes(0);
    for (const Parcel& to : blocks) all[self].outgoing.push_back({to.peer, offset, sizes[self]});
  }
  return all;
}

Placement random_node(Random& random) {
  const bool reaches = random.chance(50);
  return {.one_node = true,
          .rank_bytes = Bytes(random.chance(10) ? 0 : std::int64_t{1} << (8 + random.below(11))),
          .larger_fragments = random.chance(50) ? 4 : 1,
          .single_copy = reaches,
          .kernel_is_faster = reaches && random.chance(70),
          .single_copy_from = Bytes(reaches ? 1 << (7 + random.below(8)) : 0)};
}

TEST(EveryParcel, that_all_know_has_the_schedule_of_its_class) {
  int shared = 0, others = 0;
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 1500; ++seed) {
    Random random(seed);
    const int ranks = 2 + static_cast<int>(random.below(11));
    const bool reduces = random.chance(50);
    Call call{.collective = reduces ? Collective::kReduceScatter : Collective::kAllgatherv,
              .rank_count = ranks,
              .element_bytes = Bytes(reduces ? std::array{1, 4, 8, 12}[random.below(4)] : 1),
              .commutative = !reduces || random.chance(50)};
    const Placement placement = random_node(random);
    std::vector<bool> in_place;
    for (int rank = 0; rank < ranks; ++rank) in_place.push_back(random.chance(50));
    std::vector<Schedule> structures;  // the plans of a class, from call to call
    std::vector<std::unique_ptr<SizedSchedule>> bound;
    const std::int64_t most = std::int64_t{1} << random.below(reduces ? 11 : 13);
    for (int again = 0; again < 3; ++again) {
      const auto parcels = random_known_parcels(random, call, most, in_place);
      call.bytes = Bytes(0);
      for (const Parcel& block : all_blocks(call.collective, parcels.front())) call.bytes += block.size;
      const Decision decision = decide(call, placement, {}, parcels.front());
      std::vector<Schedule> fresh;
      for (int rank = 0; rank < ranks; ++rank) {
        const auto r = static_cast<std::size_t>(rank);
        fresh.push_back(schedule_of(decision, Rank(rank), in_place[r], parcels[r]));
        EXPECT_LE(shared_by(fresh.back()), placement.rank_bytes * ranks) << "seed " << seed;
      }
      const Report report = verify(fresh);
      ASSERT_TRUE(report.proved()) << "seed " << seed << ": " << report.findings.front().message;
      const std::optional<Bytes> largest = largest_of_class(call, parcels.front());
      Call of_class = call;
      Parcels rounded;
      if (largest) {
        of_class.bytes = *largest;
        take_largest_of_class(call, parcels.front(), Rank(0), in_place.front(), *largest, rounded);
      }
      if (!largest || !decide(of_class, placement, {}, rounded).serves_class) {
        ++others;
        continue;
      }
      structures.resize(fresh.size());
      bound.resize(fresh.size());
      for (std::size_t rank = 0; rank < fresh.size(); ++rank) {
        const Rank self(static_cast<int>(rank));
        take_largest_of_class(call, parcels[rank], self, in_place[rank], *largest, rounded);
        const bool is_new = structures[rank].call != of_class || structures[rank].parcels != rounded;
        const bool is_there = !structures[rank].buffers.empty();
        EXPECT_TRUE(!is_there || are_of_class(parcels[rank], structures[rank], {}) == !is_new)
            << "seed " << seed;
        if (is_new) {
          structures[rank] =
              schedule_of(decide(of_class, placement, {}, rounded), self, in_place[rank], rounded);
          bound[rank] = std::make_unique<SizedSchedule>(structures[rank]);
        }
        bound[rank]->resize(parcels[rank]);
        expect_same(bound[rank]->schedule(), fresh[rank]);
        node::Steps steps(structures[rank]);
        expect_same_steps(steps, bound[rank]->schedule(), fresh[rank]);
        ASSERT_FALSE(HasFailure()) << "seed " << seed << ", rank " << rank << ", " << sentence(decision);
      }
      ++shared;
    }
  }
  EXPECT_GT(shared, 2000);
  EXPECT_GT(others, 200);
}

}  // namespace
}  // namespace weft::tests
