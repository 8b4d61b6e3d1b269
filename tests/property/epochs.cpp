// SPDX-License-Identifier: BSD-3-Clause
// Access epochs: as schedules and as task lists of any form they are proved, and whatever order the adapter
// takes events in, and whatever carries them between agents, every rank gets the bytes that were put there.
#include <gtest/gtest.h>

#include "device/adapter.hpp"
#include "schedule/epoch.hpp"
#include "support/case.hpp"
#include "support/lists_by_agents.hpp"
#include "support/task_lists.hpp"

namespace weft::tests {
namespace {

struct Epoch {
  Call call;
  std::vector<Parcels> parcels;
  std::vector<Schedule> schedules;
  std::string name;
};

Epoch epoch_of_all(Collective collective, int ranks, Bytes bytes = Bytes(42)) {
  Epoch epoch{.call = {.collective = collective, .rank_count = ranks, .bytes = bytes},
              .parcels = {},
              .schedules = {},
              .name = std::string(name_of(collective)) + " on " + std::to_string(ranks)};
  for (int rank = 0; rank < ranks; ++rank)
    epoch.parcels.push_back(example_parcels(epoch.call, Rank(rank), false));
  for (int rank = 0; rank < ranks; ++rank) {
    auto schedule = epoch_of(epoch.call, epoch.parcels, Rank(rank));
    EXPECT_TRUE(schedule) << schedule.error();
    epoch.schedules.push_back(std::move(*schedule));
  }
  return epoch;
}

template <class Visit>
void for_some_epochs(Visit visit) {
  for (const Collective collective :
       {Collective::kNeighborAlltoall, Collective::kNeighborAlltoallv, Collective::kNeighborAllgatherv,
        Collective::kAlltoallv, Collective::kAllgatherv, Collective::kScatterv, Collective::kGatherv})
    for (const int ranks : {1, 2, 3, 4, 5, 6, 9, 12, 17}) {
      const Epoch epoch = epoch_of_all(collective, ranks);
      SCOPED_TRACE(epoch.name);
      visit(epoch);
    }
}

TEST(Epochs, are_proved_as_schedules_and_as_lists) {
  std::uint64_t seed = base_seed();
  for_some_epochs([&](const Epoch& epoch) {
    EXPECT_EQ(findings_of(epoch.schedules), "");
    for (const Lowering& lowering : some_lowerings(++seed))
      EXPECT_EQ(findings_of(raise_all(lower_all(epoch.schedules, lowering))), "") << name_of(lowering);
  });
}

// What is not written stays as it was.
std::vector<Data> after_the_epoch(const Epoch& epoch, const std::vector<Data>& inputs,
                                  std::vector<Data> outputs) {
  std::vector<const Parcels*> all;
  for (const Parcels& parcels : epoch.parcels) all.push_back(&parcels);
  const Pairing pairing(all);
  for (std::size_t rank = 0; rank < outputs.size(); ++rank)
    for (std::size_t i = 0; i < epoch.parcels[rank].incoming.size(); ++i) {
      const Parcel& to = epoch.parcels[rank].incoming[i];
      const Parcel* const from = pairing.origin(Rank(static_cast<int>(rank)), i);
      const auto source = inputs[static_cast<std::size_t>(to.peer.value)].begin() + from->offset.value;
      std::copy(source, source + to.size.value, outputs[rank].begin() + to.offset.value);
    }
  return outputs;
}

// What each rank has before, and its memory in the epoch.
struct Memory {
  Memory(const Epoch& epoch, Random& random) {
    for (const Schedule& schedule : epoch.schedules) {
      inputs.push_back(random_data(random, schedule.buffers[kInput.value].size));
      before.push_back(random_data(random, schedule.buffers[kOutput.value].size));
    }
  }
  std::vector<Binding> bindings() {
    outputs = before;
    std::vector<Binding> all;
    for (std::size_t rank = 0; rank < inputs.size(); ++rank)
      all.push_back({.input = inputs[rank].data(), .output = outputs[rank].data()});
    return all;
  }
  std::vector<Data> inputs, before, outputs;
};

TEST(Epochs, bring_the_bytes_in_any_order_of_events) {
  Random random(base_seed());
  for_some_epochs([&](const Epoch& epoch) {
    Memory memory(epoch, random);
    for (const Lowering& lowering : some_lowerings(random.next())) {
      const auto lists = lower_all(epoch.schedules, lowering);
      const auto adapter = device::Adapter::make(lists);
      ASSERT_TRUE(adapter) << adapter.error();
      for (int again = 0; again < 3; ++again) {
        ASSERT_EQ((*adapter)->run(memory.bindings(), random.next()), "") << name_of(lowering);
        ASSERT_EQ(memory.outputs, after_the_epoch(epoch, memory.inputs, memory.before)) << name_of(lowering);
      }
    }
  });
}

class EpochsOnWires : public OverEachCarrier {};
INSTANTIATE_TEST_SUITE_P(Carriers, EpochsOnWires, each_carrier(), carrier_of_test);

// Short blocks, and some that are longer than a frame.
TEST_P(EpochsOnWires, bring_the_bytes) {
  Random random(base_seed());
  for (const Collective collective : {Collective::kNeighborAlltoall, Collective::kAlltoallv})
    for (const int ranks : {2, 5})
      for (const Bytes bytes : {Bytes(42), Bytes(150'001)}) {
        const Epoch epoch = epoch_of_all(collective, ranks, bytes);
        Memory memory(epoch, random);
        for (const Lowering& lowering : some_lowerings(random.next())) {
          const auto lists = lower_all(epoch.schedules, lowering);
          ASSERT_EQ(by_agents(lists, memory.bindings(), carriers(ranks, kListsJob)), "") << epoch.name;
          ASSERT_EQ(memory.outputs, after_the_epoch(epoch, memory.inputs, memory.before)) << epoch.name;
        }
      }
}

}  // namespace
}  // namespace weft::tests
