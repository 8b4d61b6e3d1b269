// SPDX-License-Identifier: BSD-3-Clause
// v-, w- and neighbour forms with parcels that nobody thought of: random sizes and places, random graphs in
// which ranks are neighbours several times and their own.
#include <array>
#include <gtest/gtest.h>

#include "algorithm/build.hpp"
#include "executor/verifier/verify.hpp"
#include "support/case.hpp"

namespace weft::tests {
namespace {

// Appends a parcel behind what there is, with a random gap.
void append(Random& random, std::vector<Parcel>& parcels, int peer, Bytes size) {
  const Bytes end = extent_of(parcels);
  parcels.push_back({Rank(peer), end + Bytes(static_cast<std::int64_t>(random.below(4))), size});
}

Bytes random_size(Random& random) {
  return Bytes(random.chance(30) ? 0 : static_cast<std::int64_t>(random.below(600)));
}

std::vector<Parcels> random_graph(Random& random, int ranks) {
  std::vector<Parcels> all(static_cast<std::size_t>(ranks));
  for (std::uint64_t edges = random.below(4 * static_cast<std::uint64_t>(ranks) + 1); edges > 0; --edges) {
    const auto from = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
    const auto to = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
    const Bytes size = random_size(random);
    append(random, all[static_cast<std::size_t>(from)].outgoing, to, size);
    append(random, all[static_cast<std::size_t>(to)].incoming, from, size);
  }
  return all;
}

std::vector<Parcels> random_matrix(Random& random, int ranks) {
  std::vector<Parcels> all(static_cast<std::size_t>(ranks));
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to) {
      const Bytes size = random_size(random);
      append(random, all[static_cast<std::size_t>(from)].outgoing, to, size);
      append(random, all[static_cast<std::size_t>(to)].incoming, from, size);
    }
  return all;
}

Call call_with_parcels(Collective collective, int ranks) {
  return {.collective = collective, .rank_count = ranks};
}

// By messages; and within a node, where a pair's share is so small that much goes in turns or by messages.
void expect_right(const Call& call, const std::vector<Parcels>& parcels, int window, std::uint64_t seed) {
  for (const char* algorithm : {"linear", "delivery"}) {
    const Parameters parameters{.window = window,
                                .fragment = kLineStride * static_cast<int>(seed % 3),
                                .pair_fragment = kLineStride * static_cast<int>(seed / 3 % 3)};
    Case c(**find_algorithm(call.collective, algorithm), call, parameters, parcels, seed);
    ASSERT_EQ(findings_of(c), "") << c.name();
    Network network(call.rank_count, {.seed = seed, .rendezvous_percent = 50, .longest_delay = 3});
    ASSERT_EQ(Runner(network, c.jobs(1)).take_turns(seed), "") << c.name();
    ASSERT_EQ(c.check(), "") << c.name();
  }
}

TEST(Parcels, of_random_graphs_and_matrices_arrive_with_any_window) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 300; ++seed) {
    Random random(seed);
    const int ranks = 1 + static_cast<int>(random.below(9));
    const int window = 1 + static_cast<int>(random.below(4));
    expect_right(call_with_parcels(Collective::kNeighborAlltoallw, ranks), random_graph(random, ranks),
                 window, seed);
    expect_right(call_with_parcels(Collective::kAlltoallw, ranks), random_matrix(random, ranks), window,
                 seed);
    ASSERT_FALSE(HasFailure());
  }
}

// Some pairs at once, some in turns, some by messages: nobody waits for who has nothing more for it in turns.
TEST(Parcels, may_be_longer_than_what_goes_in_turns) {
  const Bytes fragment{16 << 20};
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 200; ++seed) {
    Random random(seed);
    const int ranks = 2 + static_cast<int>(random.below(4));
    std::vector<Parcels> all(static_cast<std::size_t>(ranks));
    for (int from = 0; from < ranks; ++from)
      for (int to = 0; to < ranks; ++to) {
        const Bytes size{static_cast<std::int64_t>(random.below(100)) << 20};
        append(random, all[static_cast<std::size_t>(from)].outgoing, to, size);
        append(random, all[static_cast<std::size_t>(to)].incoming, from, size);
      }
    const Call call = call_with_parcels(Collective::kAlltoallv, ranks);
    const Parameters parameters{.fragment = fragment, .pair_fragment = fragment};
    std::vector<Schedule> schedules;
    for (int rank = 0; rank < ranks; ++rank)
      schedules.push_back(build(**find_algorithm(call.collective, "delivery"), call, parameters, Rank(rank),
                                false, all[static_cast<std::size_t>(rank)]));
    const Report report = verify(schedules);
    ASSERT_TRUE(report.proved()) << "seed " << seed << ": " << report.findings.front().message;
  }
}

// MPI-4.1, example 8.10: what is sent below arrives as from above, and the other way round, also where both
// are the same rank.
TEST(CartesianNeighbors, what_is_sent_one_way_arrives_as_from_the_other) {
  for (const auto& dimensions : {std::vector<Dimension>{{1, true}},
                                 {{2, true}},
                                 {{3, true}},
                                 {{3, false}},
                                 {{2, true}, {1, true}},
                                 {{2, true}, {2, true}, {3, false}}}) {
    int ranks = 1;
    for (const Dimension& dimension : dimensions) ranks *= dimension.size;
    std::vector<Parcels> all;
    for (int rank = 0; rank < ranks; ++rank) {
      const Neighbors neighbors = cartesian_neighbors(dimensions, rank);
      Parcels& own = all.emplace_back();
      for (const Neighbor& to : neighbors.destinations)
        if (to.rank >= 0) own.outgoing.push_back({Rank(to.rank), Bytes(8 * to.block), Bytes(8)});
      for (const Neighbor& from : neighbors.sources)
        if (from.rank >= 0) own.incoming.push_back({Rank(from.rank), Bytes(8 * from.block), Bytes(8)});
    }
    std::vector<const Parcels*> pointers;
    for (const Parcels& parcels : all) pointers.push_back(&parcels);
    const Pairing pairing(pointers);
    EXPECT_TRUE(pairing.untaken().empty());
    for (int rank = 0; rank < ranks; ++rank)
      for (std::size_t i = 0; i < all[static_cast<std::size_t>(rank)].incoming.size(); ++i) {
        const std::int64_t block = all[static_cast<std::size_t>(rank)].incoming[i].offset / Bytes(8);
        ASSERT_NE(pairing.origin(Rank(rank), i), nullptr);
        EXPECT_EQ(pairing.origin(Rank(rank), i)->offset / Bytes(8), block ^ 1);
      }
    expect_right(call_with_parcels(Collective::kNeighborAlltoall, ranks), all, 1, base_seed());
  }
}

TEST(CartesianNeighbors, are_those_of_mpi_cart_shift_in_row_major_order) {
  const std::array<Dimension, 2> grid{Dimension{2, false}, Dimension{3, true}};
  const auto ranks = [](const std::vector<Neighbor>& neighbors) {
    std::vector<int> ranks;
    for (const Neighbor& neighbor : neighbors) ranks.push_back(neighbor.rank);
    return ranks;
  };
  EXPECT_EQ(ranks(cartesian_neighbors(grid, 0).destinations), (std::vector<int>{-1, 3, 2, 1}));
  EXPECT_EQ(ranks(cartesian_neighbors(grid, 5).destinations), (std::vector<int>{2, -1, 4, 3}));
  EXPECT_EQ(ranks(cartesian_neighbors(grid, 5).sources), (std::vector<int>{-1, 2, 3, 4}));
}

// Which messages travel must not depend on where a rank has its blocks, or whether in place: a part of the
// ranks may do it one way and a part the other.
TEST(Parcels, messages_are_the_same_wherever_blocks_lie) {
  for (const Algorithm& algorithm : catalog()) {
    if (!has_parcels(algorithm.collective) || is_neighborly(algorithm.collective)) continue;
    for (const int ranks : {2, 3, 5, 8}) {
      Call call{.collective = algorithm.collective, .rank_count = ranks, .bytes = Bytes(80)};
      if (is_reduction(call.collective)) call.element_bytes = Bytes(8);
      for (int rank = 0; rank < ranks; ++rank) {
        const auto messages = [&](bool in_place) {
          std::vector<std::array<std::int64_t, 3>> list;
          const Schedule schedule = build_example(algorithm, call, {}, Rank(rank), in_place);
          for (const Task& task : schedule.tasks)
            if (is_message(task.kind))
              list.push_back({static_cast<std::int64_t>(task.kind), task.peer, task.size.value});
          return list;
        };
        EXPECT_EQ(messages(false), messages(true)) << name_of(call.collective) << " " << algorithm.name;
      }
    }
  }
}

}  // namespace
}  // namespace weft::tests
