// SPDX-License-Identifier: BSD-3-Clause
// Whoever executes a call's task lists, in whatever order events come, does what the schedule does that they
// were made from: the same bytes on every rank, also where addition rounds.
#include "support/task_lists.hpp"

#include <gtest/gtest.h>
#include <span>

#include "device/adapter.hpp"
#include "support/lists_by_agents.hpp"

namespace weft::tests {
namespace {

struct FloatSum {
  float operator()(float left, float right) const { return left + right; }
};
// Four bytes as the other sums of these tests; any bits but those of special values.
constexpr Combine kFloatSum{combine_elements<float, FloatSum>, nullptr};

// A call with what each rank brings, and where results go.
struct ListCase {
  ListCase(const Algorithm& algorithm, const Call& call, const Parameters& parameters, std::uint64_t seed)
      : whole(algorithm, call, parameters, InPlace::kSome, seed) {
    jobs = whole.jobs(1);
    for (std::size_t rank = 0; rank < jobs.size(); ++rank) {
      if (is_reduction(call.collective) && call.commutative) {
        jobs[rank].binding.combine = kFloatSum;
        make_finite(rank);
      }
      before.push_back(whole.outputs[rank]);
    }
  }

  void make_finite(std::size_t rank) {
    const auto halve_exponents = [](std::byte* data, std::size_t size) {
      for (std::size_t at = 3; at < size; at += 4) data[at] &= std::byte{0xbf};
    };
    const Schedule& schedule = whole.schedules[rank];
    halve_exponents(whole.outputs[rank].data(), whole.outputs[rank].size());
    halve_exponents(static_cast<std::byte*>(const_cast<void*>(jobs[rank].binding.input)),
                    static_cast<std::size_t>(schedule.buffers[kInput.value].size.value));
  }

  // What all ranks have after `run`, from the same beginning.
  template <class Run>
  std::vector<Data> after(Run run) {
    for (std::size_t rank = 0; rank < before.size(); ++rank)
      std::copy(before[rank].begin(), before[rank].end(), whole.outputs[rank].begin());
    EXPECT_EQ(run(), "") << whole.name();
    return whole.outputs;
  }
  std::vector<Binding> bindings() const {
    std::vector<Binding> bindings;
    for (const Job& job : jobs) bindings.push_back(job.binding);
    return bindings;
  }

  Case whole;
  std::vector<Job> jobs;
  std::vector<Data> before;
};

std::string by_turns(ListCase& c, const std::vector<Schedule>& schedules, std::uint64_t seed) {
  std::vector<Job> jobs = c.jobs;
  for (std::size_t rank = 0; rank < jobs.size(); ++rank) jobs[rank].schedule = &schedules[rank];
  Network network(static_cast<int>(jobs.size()),
                  {.seed = seed, .rendezvous_percent = 50, .longest_delay = 3});
  return Runner(network, jobs).take_turns(seed);
}

class ListsRun : public testing::TestWithParam<const Algorithm*> {};

TEST_P(ListsRun, as_the_schedules_that_they_were_made_from) {
  const Algorithm& algorithm = *GetParam();
  Random random(base_seed());
  for (int turn = 0; turn < 12; ++turn) {
    const int ranks = 1 + static_cast<int>(random.below(17));
    for (const Call& call : list_calls(algorithm.collective, ranks)) {
      const std::uint64_t seed = random.next();
      if (!algorithm.eligible(call)) continue;
      ListCase c(algorithm, call, list_parameters(algorithm, seed), seed);
      if (has_groups(c.whole.schedules)) continue;
      const auto wanted = c.after([&] { return by_turns(c, c.whole.schedules, seed); });
      for (const Lowering& lowering : some_lowerings(seed)) {
        SCOPED_TRACE(c.whole.name() + " " + name_of(lowering));
        const auto lists = lower_all(c.whole.schedules, lowering);
        const auto raised = raise_all(lists);
        EXPECT_EQ(c.after([&] { return by_turns(c, raised, seed); }), wanted);
        const auto adapter = device::Adapter::make(lists);
        ASSERT_TRUE(adapter) << adapter.error();
        for (int again = 0; again < 3; ++again)
          ASSERT_EQ(c.after([&] { return (*adapter)->run(c.bindings(), random.next()); }), wanted);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, ListsRun, testing::ValuesIn(catalog_pointers()), name_of_list_algorithm);

class ListsRunByAgents : public OverEachCarrier {};
INSTANTIATE_TEST_SUITE_P(Carriers, ListsRunByAgents, each_carrier(), carrier_of_test);

TEST_P(ListsRunByAgents, give_the_bytes_of_the_schedules) {
  std::uint64_t seed = base_seed();
  for (const auto& [collective, name] :
       {std::pair(Collective::kAllreduce, "recursive_k_ing"), std::pair(Collective::kAllreduce, "k_nomial"),
        std::pair(Collective::kReduceScatterBlock, "ring"), std::pair(Collective::kAlltoall, "bruck"),
        std::pair(Collective::kBarrier, "dissemination")})
    for (const int ranks : {2, 5}) {
      ++seed;
      const Algorithm& algorithm = **find_algorithm(collective, name);
      ListCase c(algorithm, list_calls(collective, ranks)[0], list_parameters(algorithm, seed), seed);
      const auto wanted = c.after([&] { return by_turns(c, c.whole.schedules, seed); });
      for (const Lowering& lowering : some_lowerings(seed)) {
        const auto lists = lower_all(c.whole.schedules, lowering);
        for (const bool with_triggers : {false, true})
          EXPECT_EQ(c.after([&] {
            return by_agents(lists, c.bindings(), carriers(ranks, kListsJob), with_triggers);
          }),
                    wanted)
              << c.whole.name();
      }
    }
}

}  // namespace
}  // namespace weft::tests
