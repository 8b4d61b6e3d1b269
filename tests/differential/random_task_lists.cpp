// SPDX-License-Identifier: BSD-3-Clause
// Task lists of schedules that no algorithm would write: ranges that overlap in every way, places that are
// used again and again. Lists of them are ordered, come to their end, and do what the schedules do.
#include <gtest/gtest.h>
#include <memory>

#include "device/adapter.hpp"
#include "support/task_lists.hpp"

namespace weft::tests {
namespace {

constexpr Bytes kWhole{64};
constexpr Bytes kElement{8};

// Neither commutative nor associative: operands and their order show.
struct Mix {
  std::uint64_t operator()(std::uint64_t left, std::uint64_t right) const { return 3 * left + 5 * right + 1; }
};
constexpr Combine kMix{combine_elements<std::uint64_t, Mix>, nullptr};

Range random_range(Random& random, BufferId buffer, Bytes size) {
  const auto places = static_cast<std::uint64_t>((kWhole - size) / kElement) + 1;
  return {buffer, kElement * static_cast<std::int64_t>(random.below(places)), size};
}

// All ranks' programs, written in one order for all, so that they come to an end.
std::vector<Schedule> random_schedules(int ranks, Random& random) {
  const Call call{
      .collective = Collective::kAllreduce, .rank_count = ranks, .bytes = kWhole, .element_bytes = kElement};
  std::vector<std::unique_ptr<Builder>> builders;
  std::vector<BufferId> scratch;
  for (int rank = 0; rank < ranks; ++rank) {
    builders.push_back(std::make_unique<Builder>(call, Rank(rank), false));
    const Range memory = builders.back()->scratch(kWhole);
    scratch.push_back(memory.buffer);
    builders.back()->copy(builders.back()->input(), memory);
    builders.back()->copy(builders.back()->input(), builders.back()->output());
  }
  for (std::uint64_t left = 5 + random.below(30); left > 0; --left) {
    const auto rank = static_cast<std::size_t>(random.below(static_cast<std::uint64_t>(ranks)));
    const Bytes size =
        random.chance(80) ? kElement : kElement * (1 + static_cast<std::int64_t>(random.below(3)));
    const auto target_of = [&](std::size_t whose) {
      return random_range(random, random.chance(50) ? kOutput : scratch[whose], size);
    };
    const Range from = random.chance(20) ? random_range(random, kInput, size) : target_of(rank);
    const auto kind = random.below(100);
    if (kind < 55) {
      const auto other = (rank + 1 + random.below(static_cast<std::uint64_t>(ranks - 1))) % builders.size();
      const Range into = target_of(other);
      builders[rank]->send(static_cast<int>(other), from);
      builders[other]->recv(static_cast<int>(rank), into);
    } else if (kind < 95) {
      const Range into = target_of(rank);
      if (into.buffer == from.buffer) continue;
      if (kind < 70) builders[rank]->copy(from, into);
      else builders[rank]->reduce(from, into);
    } else {
      builders[rank]->join();
    }
  }
  std::vector<Schedule> schedules;
  for (const auto& builder : builders) schedules.push_back(std::move(*builder).finish("at random"));
  return schedules;
}

// What is wrong beside the result, which nobody asked for.
std::string disorder(const std::vector<Schedule>& schedules) {
  for (const Finding& finding : verify(schedules).findings)
    if (finding.rule != Rule::kWrongResult && finding.rule != Rule::kOrderBroken &&
        finding.rule != Rule::kBracketDiffers)
      return finding.message;
  return "";
}

TEST(ListsOfRandomSchedules, are_in_order_and_do_the_same) {
  Random random(base_seed());
  for (int turn = 0; turn < 500; ++turn) {
    const std::uint64_t seed = random.next();
    SCOPED_TRACE("WEFT_TEST_SEED=" + std::to_string(base_seed()) + " turn " + std::to_string(turn));
    Random own(seed);
    const auto schedules = random_schedules(2 + static_cast<int>(own.below(3)), own);
    const Data input = random_data(own, kWhole);
    std::vector<Data> outputs(schedules.size(), Data(input.size()));
    std::vector<Binding> bindings;
    std::vector<Job> jobs;
    for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
      bindings.push_back({.input = input.data(), .output = outputs[rank].data(), .combine = kMix});
      jobs.push_back({&schedules[rank], bindings.back()});
    }
    Network network(static_cast<int>(schedules.size()), {.seed = seed});
    ASSERT_EQ(Runner(network, jobs).take_turns(seed), "");
    const auto wanted = outputs;
    for (Lowering lowering : some_lowerings(seed)) {
      if (seed % 3 == 0) lowering.longest_mailbox = kElement;
      const auto lists = lower_all(schedules, lowering);
      ASSERT_EQ(disorder(raise_all(lists)), "") << name_of(lowering);
      const auto adapter = device::Adapter::make(lists);
      ASSERT_TRUE(adapter) << adapter.error();
      for (Data& output : outputs) std::fill(output.begin(), output.end(), std::byte{0});
      ASSERT_EQ((*adapter)->run(bindings, seed), "") << name_of(lowering);
      ASSERT_EQ(outputs, wanted) << name_of(lowering);
    }
  }
}

}  // namespace
}  // namespace weft::tests
