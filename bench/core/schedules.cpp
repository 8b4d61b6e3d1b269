// SPDX-License-Identifier: BSD-3-Clause
// How long does it take to build one rank's schedule, and to prove those of all ranks?
//
//   build/allreduce/recursive_k_ing/64     one rank's schedule on 64 ranks; its tasks, and bytes per task
//   verify/allreduce/recursive_k_ing/1024  the schedules of all ranks
//
// Everything that is timed is proved first. At 1,024 ranks this leaves out algorithms in which each rank
// sends to most others, or has a task for each: their millions are proved at 64. Those within a node end at
// 64 ranks.
#include <benchmark/benchmark.h>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "algorithm/build.hpp"
#include "algorithm/catalog.hpp"
#include "executor/verifier/verify.hpp"

namespace {

using namespace weft;

constexpr int kManyMessages = 126;
constexpr std::size_t kManyTasks = 300;
constexpr int kManyOnNode = 64;
bool all_proved = true;

Call call_of(const Algorithm& algorithm, int ranks) {
  const bool reduction = is_reduction(algorithm.collective);
  return {.collective = algorithm.collective,
          .rank_count = ranks,
          .bytes = Bytes(algorithm.collective == Collective::kBarrier ? 0 : 8 * 1024),
          .element_bytes = Bytes(reduction ? 8 : 1)};
}

std::vector<Schedule> build_all(const Algorithm& algorithm, const Call& call) {
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < call.rank_count; ++rank)
    schedules.push_back(build_example(algorithm, call, {}, Rank(rank), false));
  return schedules;
}

bool can_be_proved(const Algorithm& algorithm, const Call& call) {
  if (cost_of(algorithm, call, {}).messages > kManyMessages) return false;
  if (call.rank_count <= kManyOnNode) return true;
  return build_example(algorithm, call, {}, Rank(1), false).tasks.size() <= kManyTasks;
}

void give_up(benchmark::State& state, const Report& report) {
  all_proved = false;
  state.SkipWithError(report.findings.front().message.c_str());
}

void time_build(benchmark::State& state, const Algorithm& algorithm, int ranks) {
  const Call call = call_of(algorithm, ranks);
  // Once: this is called again and again, until the number of iterations is right.
  static std::set<std::tuple<Collective, std::string, int>> proved;
  if (can_be_proved(algorithm, call) &&
      proved.emplace(algorithm.collective, std::string(algorithm.name), ranks).second) {
    const Report report = verify(build_all(algorithm, call));
    if (!report.proved()) return give_up(state, report);
  }
  const Rank self(0);  // the root, which has most to do
  for (auto _ : state) benchmark::DoNotOptimize(build_example(algorithm, call, {}, self, false));
  const auto tasks = static_cast<double>(build_example(algorithm, call, {}, self, false).tasks.size());
  state.counters["tasks"] = tasks;
  state.counters["bytes_per_task"] = sizeof(Task);
  state.counters["per_task"] =
      benchmark::Counter(tasks, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void time_verify(benchmark::State& state, const Algorithm& algorithm, int ranks) {
  const std::vector<Schedule> schedules = build_all(algorithm, call_of(algorithm, ranks));
  for (auto _ : state) {
    const Report report = verify(schedules);
    if (!report.proved()) return give_up(state, report);
    state.counters["messages"] = static_cast<double>(report.messages);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const Algorithm& algorithm : catalog())
    for (const int ranks : {2, 64, 1024}) {
      if (algorithm.within_node && ranks > kManyOnNode) continue;
      const std::string name = std::string(name_of(algorithm.collective)) + "/" +
                               std::string(algorithm.name) + "/" + std::to_string(ranks);
      benchmark::RegisterBenchmark(("build/" + name).c_str(), time_build, algorithm, ranks);
      if (can_be_proved(algorithm, call_of(algorithm, ranks)))
        benchmark::RegisterBenchmark(("verify/" + name).c_str(), time_verify, algorithm, ranks)
            ->Unit(benchmark::kMillisecond);
    }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const bool some_ran = benchmark::RunSpecifiedBenchmarks() > 0;
  benchmark::Shutdown();
  return some_ran && all_proved ? 0 : 1;
}
