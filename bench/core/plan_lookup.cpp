// SPDX-License-Identifier: BSD-3-Clause
// How long does a call look for its plan, when the communicator has 16 of them?
#include <array>
#include <benchmark/benchmark.h>

#include "planner/plan_cache.hpp"

namespace {

using namespace weft;

struct NumberedPlan {
  std::size_t number;
  bool is_idle() const { return true; }
};

// Mixed as a solver's calls are: reductions of a few sizes, bcasts from a few roots, a barrier.
std::array<PlanKey, 16> sixteen_shapes() {
  std::array<PlanKey, 16> shapes;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Call& call = shapes[i].call;
    call.rank_count = 64;
    call.collective = i == 0 ? Collective::kBarrier : i < 12 ? Collective::kAllreduce : Collective::kBcast;
    call.bytes = Bytes(i == 0 ? 0 : 8 * static_cast<std::int64_t>(i));
    call.element_bytes = Bytes(i > 0 && i < 12 ? 8 : 1);
    if (i >= 12) call.root = Rank(static_cast<int>(i) - 12);
  }
  return shapes;
}

void plan_lookup(benchmark::State& state) {
  const auto shapes = sixteen_shapes();
  PlanCache<NumberedPlan> cache;
  std::size_t made = 0;
  const auto make = [&] { return std::make_unique<NumberedPlan>(NumberedPlan{made++}); };
  const auto nothing = [] {};  // no plan has to go for another one
  for (const PlanKey& shape : shapes) cache.find_or_make(shape, make, nothing);
  std::size_t next = 0;
  bool right = made == shapes.size();
  for (auto _ : state) {
    const std::size_t number = next++ % shapes.size();
    right &= cache.find_or_make(shapes[number], make, nothing).number == number;
  }
  if (!right) state.SkipWithError("a lookup found another shape's plan");
}

BENCHMARK(plan_lookup)->Iterations(1'000'000);

}  // namespace
