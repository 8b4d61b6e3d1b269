// SPDX-License-Identifier: BSD-3-Clause
// Same plan, same bits: whoever runs a schedule, in whatever order events come, in place or not, every rank
// ends with the same result to the last bit, also where addition rounds.
#include <gtest/gtest.h>

#include "support/case.hpp"

namespace weft::tests {
namespace {

struct RoundingSum {
  double operator()(double left, double right) const { return left + right; }
};
constexpr Combine kRoundingSum{combine_elements<double, RoundingSum>, nullptr};

// Values of very different size, so that another bracket gives other bits.
std::vector<Data> rounding_inputs(const Call& call) {
  std::vector<Data> inputs;
  Random random(base_seed());
  for (int rank = 0; rank < call.rank_count; ++rank) {
    Data data(static_cast<std::size_t>(call.bytes.value));
    for (std::size_t at = 0; at < data.size(); at += sizeof(double)) {
      const double scale = static_cast<double>(std::uint64_t{1} << random.below(60));
      const double value = (static_cast<double>(random.below(1000)) - 500.0) / 7.0 * scale;
      std::memcpy(data.data() + at, &value, sizeof value);
    }
    inputs.push_back(std::move(data));
  }
  return inputs;
}

enum class Drive { kTurns, kThreads };

std::vector<Data> run(const Algorithm& algorithm, const Call& call, int radix, InPlace in_place,
                      Disturbance disturbance, Drive drive) {
  const std::vector<Data> inputs = rounding_inputs(call);
  std::vector<Data> outputs = inputs;  // right for those in place; the others overwrite it
  std::vector<Schedule> schedules;
  std::vector<Job> jobs;
  Random random(disturbance.seed);
  for (int rank = 0; rank < call.rank_count; ++rank) {
    const bool here = in_place == InPlace::kEverybody || (in_place == InPlace::kSome && random.chance(50));
    schedules.push_back(build(algorithm, call, {.radix = radix}, Rank(rank), here));
  }
  for (std::size_t r = 0; r < schedules.size(); ++r)
    jobs.push_back(
        {&schedules[r], {.input = inputs[r].data(), .output = outputs[r].data(), .combine = kRoundingSum}});
  Network network(call.rank_count, disturbance);
  Runner runner(network, jobs);
  EXPECT_EQ(
      drive == Drive::kTurns ? runner.take_turns(disturbance.seed) : runner.run_threads(disturbance.seed),
      "");
  return outputs;
}

TEST(SamePlan, gives_the_same_bits_on_every_rank_and_in_every_order_of_events) {
  for (const Algorithm& algorithm : catalog()) {
    if (algorithm.collective != Collective::kAllreduce) continue;
    for (const int ranks : {2, 3, 5, 8, 11, 16})
      for (const int radix : {2, 3}) {
        const Call call{.collective = Collective::kAllreduce,
                        .rank_count = ranks,
                        .bytes = Bytes(8 * 41),
                        .element_bytes = Bytes(8)};
        const Data first = run(algorithm, call, radix, InPlace::kNobody, {}, Drive::kTurns).front();
        for (std::uint64_t seed = 1; seed < 9; ++seed) {
          const Disturbance disturbance{.seed = seed, .rendezvous_percent = 50, .longest_delay = 4};
          const auto in_place = static_cast<InPlace>(seed % 3);
          const Drive drive = seed % 4 == 0 ? Drive::kThreads : Drive::kTurns;
          for (const Data& output : run(algorithm, call, radix, in_place, disturbance, drive))
            ASSERT_EQ(output, first) << algorithm.name << " radix " << radix << " on " << ranks
                                     << " ranks, seed " << seed;
        }
      }
  }
}

// The test above is worth something only if brackets show.
TEST(SamePlan, differs_from_another_plan_where_addition_rounds) {
  const Call call{.collective = Collective::kAllreduce,
                  .rank_count = 11,
                  .bytes = Bytes(8 * 41),
                  .element_bytes = Bytes(8)};
  const Algorithm& k_ing = **find_algorithm(Collective::kAllreduce, "recursive_k_ing");
  EXPECT_NE(run(k_ing, call, 2, InPlace::kNobody, {}, Drive::kTurns).front(),
            run(k_ing, call, 3, InPlace::kNobody, {}, Drive::kTurns).front());
}

// Algorithms of one collective agree exactly where arithmetic is exact.
TEST(EveryAlgorithm, of_a_collective_gives_the_same_bytes) {
  for (const Collective collective : {Collective::kAllreduce, Collective::kAllgather})
    for (const int ranks : {2, 5, 8, 13}) {
      const Call call{.collective = collective,
                      .rank_count = ranks,
                      .bytes = Bytes(4 * 19),
                      .element_bytes = Bytes(is_reduction(collective) ? 4 : 1)};
      std::vector<Data> first;
      for (const Algorithm& algorithm : catalog()) {
        if (algorithm.collective != collective) continue;
        Case c(algorithm, call, {.radix = 3}, InPlace::kNobody, base_seed());
        Network network(ranks);
        ASSERT_EQ(Runner(network, c.jobs(0)).take_turns(1), "") << c.name();
        if (first.empty()) first = c.outputs;
        EXPECT_EQ(c.outputs, first) << c.name();
      }
    }
}

}  // namespace
}  // namespace weft::tests
