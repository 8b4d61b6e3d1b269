// SPDX-License-Identifier: BSD-3-Clause
// Task lists of all ranks, run by an agent each over one of the carriers.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "device/agent.hpp"
#include "device/list_operation.hpp"
#include "device/trigger.hpp"
#include "support/carriers.hpp"
#include "transport/over_wire.hpp"

namespace weft::tests {

class ListsHandedOver : public device::Work {
 public:
  // `trigger`: null where the end of a list begins the next.
  ListsHandedOver(const TaskList& list, device::Agent& agent, device::Trigger* trigger,
                  std::span<const int> processes)
      : operation_(list, trigger != nullptr),
        ends_(trigger),
        agent_(agent),
        transport_(agent.wire(), 1, processes) {
    const auto lock = agent_.lock();
    transport_.join(0);
  }
  ~ListsHandedOver() override {
    const auto lock = agent_.lock();
    agent_.withdraw(*this);
    ends_.leave();
    transport_.leave();
  }
  ListsHandedOver(const ListsHandedOver&) = delete;

  // False if that failed.
  bool start(Binding binding) {
    const auto lock = agent_.lock();
    binding.channel = transport_.next_channel(0);
    transport_.begin(binding.channel);
    const Progress progress =
        ends_.go_on(operation_, transport_, *this, operation_.start(transport_, binding));
    if (progress == Progress::kPending) agent_.begin(*this);
    return progress != Progress::kFailed;
  }
  Progress move() override {
    return ends_.go_on(operation_, transport_, *this, operation_.progress(transport_));
  }

 private:
  device::ListOperation<OverWire> operation_;
  device::ListsEnds ends_;
  device::Agent& agent_;
  OverWire transport_;
};

inline constexpr wire::JobKey kListsJob{7, 8};

// An agent per rank, while nobody drives them; and a thread of each that begins lists, which wakes up where
// there are several.
inline std::string by_agents(const std::vector<TaskList>& lists, const std::vector<Binding>& bindings,
                             Carriers ends, bool with_triggers = false) {
  const auto ranks = lists.size();
  std::vector<int> processes;
  for (std::size_t rank = 0; rank < ranks; ++rank) processes.push_back(static_cast<int>(rank));
  std::vector<std::unique_ptr<device::Agent>> agents;
  std::vector<std::unique_ptr<device::Trigger>> triggers(ranks);
  std::vector<std::unique_ptr<ListsHandedOver>> works;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    auto agent = device::Agent::make(
        std::make_unique<wire::Wire>(kListsJob, static_cast<int>(rank), std::move(ends[rank])),
        std::move(*device::Bell::make()));
    if (!agent) return agent.error();
    agents.push_back(std::move(*agent));
    if (with_triggers) {
      auto trigger = device::Trigger::make(*agents[rank]);
      if (!trigger) return trigger.error();
      triggers[rank] = std::move(*trigger);
    }
    works.push_back(
        std::make_unique<ListsHandedOver>(lists[rank], *agents[rank], triggers[rank].get(), processes));
  }
  for (std::size_t rank = 0; rank < ranks; ++rank)
    if (!works[rank]->start(bindings[rank])) return "a start failed";
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (const auto& work : works)
    while (work->progress() != Progress::kDone) {
      if (work->progress() == Progress::kFailed) return "an operation failed";
      if (std::chrono::steady_clock::now() > end) return "an operation does not end";
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  for (std::size_t rank = 0; rank < ranks; ++rank)
    if (with_triggers && (triggers[rank]->wakes() > 0) != (lists[rank].ends.size() > 1))
      return "a trigger's thread has not woken up at the end of a list, or elsewhere";
  return "";
}

}  // namespace weft::tests
