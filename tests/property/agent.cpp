// SPDX-License-Identifier: BSD-3-Clause
// The agent: operations that are handed over end by themselves, with the plain results, while nobody drives
// them.
#include "device/agent.hpp"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <span>
#include <thread>
#include <utility>

#include "executor/processor/operation.hpp"
#include "support/carriers.hpp"
#include "support/case.hpp"
#include "support/eventually.hpp"
#include "transport/over_wire.hpp"

namespace weft::tests {
namespace {

constexpr wire::JobKey kJob{5, 6};

class HandedOver : public device::Work {
 public:
  HandedOver(const Schedule& schedule, OverWire& transport) : operation_(schedule), transport_(transport) {}
  Progress start(const Binding& binding) { return operation_.start(transport_, binding); }
  void start_later(const Binding& binding) { later_ = &binding; }
  Progress move() override {
    const Binding* const later = std::exchange(later_, nullptr);
    return later == nullptr ? operation_.progress(transport_) : start(*later);
  }
  void ask_whether_it_concerns_others() { asks_ = true; }
  bool concerns_others() const override { return !asks_ || operation_.pending().concerns_others(); }

 private:
  const Binding* later_ = nullptr;
  bool asks_ = false;
  Operation<OverWire> operation_;
  OverWire& transport_;
};

// One process: what it has handed over, and its agent, which goes first.
struct Process {
  std::unique_ptr<OverWire> transport;
  std::vector<std::unique_ptr<HandedOver>> works;
  std::unique_ptr<device::Agent> agent;
};

std::vector<Process> processes_with_agents(Carriers ends, std::span<const int> by_rank,
                                           const device::AgentCores& cores = {}) {
  std::vector<Process> all(ends.size());
  for (std::size_t self = 0; self < ends.size(); ++self) {
    auto wire = std::make_unique<wire::Wire>(kJob, static_cast<int>(self), std::move(ends[self]));
    auto made = device::Agent::make(std::move(wire), std::move(*device::Bell::make()), cores);
    EXPECT_TRUE(made) << made.error();
    all[self].agent = std::move(*made);
    all[self].transport = std::make_unique<OverWire>(all[self].agent->wire(), 1, by_rank);
    const auto lock = all[self].agent->lock();
    all[self].transport->join(0);
  }
  return all;
}

void expect_the_end_of_all(std::span<const Process> processes) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (const Process& process : processes)
    for (const auto& work : process.works) {
      while (work->progress() == Progress::kPending && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_EQ(work->progress(), Progress::kDone);
    }
}

Case case_of(Collective collective, std::string_view algorithm, int ranks, std::int64_t bytes,
             std::uint64_t seed) {
  const bool reduces = is_reduction(collective);
  const Call call{.collective = collective,
                  .rank_count = ranks,
                  .bytes = collective == Collective::kBarrier ? Bytes(0) : Bytes(bytes),
                  .element_bytes = reduces ? element_of(true) : Bytes(1),
                  .commutative = true};
  return Case(**find_algorithm(collective, algorithm), call, Parameters{}, InPlace::kNobody, seed);
}

class Agents : public OverEachCarrier {};
INSTANTIATE_TEST_SUITE_P(Carriers, Agents, each_carrier(), carrier_of_test);

TEST_P(Agents, ends_what_is_handed_over_while_nobody_drives_it) {
  constexpr int kProcesses = 4;
  const std::vector<int> by_rank{0, 1, 2, 3};
  std::vector<Process> processes = processes_with_agents(carriers(kProcesses, kJob), by_rank);
  std::vector<Case> cases;
  for (std::uint64_t turn = 0; turn < 10; ++turn) {
    cases.push_back(case_of(Collective::kAllreduce, "recursive_k_ing", kProcesses, 48, base_seed() + turn));
    cases.push_back(case_of(Collective::kBarrier, "dissemination", kProcesses, 0, base_seed() + turn));
    cases.push_back(case_of(Collective::kAllgather, "ring", kProcesses, 100'000, base_seed() + turn));
  }
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (Process& process : processes) {
      const auto rank = static_cast<std::size_t>(&process - processes.data());
      const Channel channel = process.transport->next_channel(0);
      const Job job = cases[i].jobs(channel)[rank];
      process.works.push_back(std::make_unique<HandedOver>(*job.schedule, *process.transport));
      const auto lock = process.agent->lock();
      process.transport->begin(channel);
      const Progress progress = process.works.back()->start(job.binding);
      ASSERT_NE(progress, Progress::kFailed);
      if (progress == Progress::kPending) process.agent->begin(*process.works.back());
    }
  expect_the_end_of_all(processes);
  for (const Case& c : cases) EXPECT_EQ(c.check(), "") << c.name();
}

// A rank that starts something waits for nobody, whatever the agent is doing.
TEST_P(Agents, are_handed_what_starts_later_while_their_lock_is_taken) {
  constexpr int kProcesses = 3;
  const std::vector<int> by_rank{0, 1, 2};
  std::vector<Process> processes = processes_with_agents(carriers(kProcesses, kJob), by_rank);
  std::vector<Case> cases;
  std::vector<std::vector<Job>> jobs;
  for (std::uint64_t turn = 0; turn < 20; ++turn) {
    cases.push_back(case_of(Collective::kAllreduce, "recursive_k_ing", kProcesses, 48, base_seed() + turn));
    jobs.push_back(cases.back().jobs(turn + 1));
  }
  for (Process& process : processes) {
    const auto rank = static_cast<std::size_t>(&process - processes.data());
    const auto lock = process.agent->lock();
    for (const std::vector<Job>& turn : jobs) {
      process.works.push_back(std::make_unique<HandedOver>(*turn[rank].schedule, *process.transport));
      process.works.back()->start_later(turn[rank].binding);
      process.agent->hand_over(*process.works.back());
    }
    EXPECT_EQ(process.works.back()->progress(), Progress::kPending);
  }
  expect_the_end_of_all(processes);
  for (const Case& c : cases) EXPECT_EQ(c.check(), "") << c.name();
}

// Where there are fewer cores than ranks an agent comes when its rank has gone away.
TEST_P(Agents, come_a_bit_later_where_cores_are_too_few) {
  constexpr int kProcesses = 3;
  const std::vector<int> by_rank{0, 1, 2};
  std::vector<Process> processes =
      processes_with_agents(carriers(kProcesses, kJob), by_rank, {.cpus = {}, .are_too_few = true});
  for (std::uint64_t turn = 0; turn < 20; ++turn) {
    Case c = case_of(Collective::kAllreduce, "recursive_k_ing", kProcesses, 48, base_seed() + turn);
    const std::vector<Job> jobs = c.jobs(turn + 1);
    for (std::size_t rank = 0; rank < processes.size(); ++rank) {
      processes[rank].works.push_back(
          std::make_unique<HandedOver>(*jobs[rank].schedule, *processes[rank].transport));
      processes[rank].works.back()->start_later(jobs[rank].binding);
      processes[rank].agent->hand_over(*processes[rank].works.back());
    }
    // They look once and go away, or wait, or have gone away at once.
    if (turn % 3 == 0)
      for (const Process& process : processes) process.agent->drive();
    const bool ranks_wait = turn % 3 == 1;
    for (const Process& process : processes)
      EXPECT_TRUE(eventually([&] {
        for (const Process& any : processes)
          if (ranks_wait) any.agent->drive();
        return process.works.back()->progress() == Progress::kDone;
      }));
    EXPECT_EQ(c.check(), "") << c.name();
  }
}

TEST_P(Agents, fails_what_waits_for_a_process_that_is_gone) {
  const std::vector<int> by_rank{0, 1};
  std::vector<Process> processes = processes_with_agents(carriers(2, kJob), by_rank);
  Case c = case_of(Collective::kAllreduce, "recursive_k_ing", 2, 48, base_seed());
  const Job job = c.jobs(processes[0].transport->next_channel(0))[0];
  HandedOver work(*job.schedule, *processes[0].transport);
  {
    const auto lock = processes[0].agent->lock();
    ASSERT_EQ(work.start(job.binding), Progress::kPending);
    processes[0].agent->begin(work);
  }
  processes[1].agent.reset();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (work.progress() == Progress::kPending && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(work.progress(), Progress::kFailed);
}

// A rank has sent its value, and only the other one's is to come: that is there when the rank asks for it.
// Before it has sent anything it is woken.
TEST_P(Agents, sleep_on_when_what_comes_is_for_their_own_rank_alone) {
  if (GetParam() == CarriedBy::kFabric) GTEST_SKIP() << "has to be driven for whatever comes";
  if (GetParam() == CarriedBy::kTcpOnDemand)
    GTEST_SKIP() << "what is sent first has to wait for a connection";
  const std::vector<int> by_rank{0, 1};
  std::vector<Process> processes = processes_with_agents(carriers(2, kJob), by_rank);
  Case c = case_of(Collective::kAllreduce, "recursive_k_ing", 2, 48, base_seed());
  const std::vector<Job> jobs = c.jobs(processes[0].transport->next_channel(0));
  std::vector<std::unique_ptr<HandedOver>> works;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    Process& process = processes[rank];
    works.push_back(std::make_unique<HandedOver>(*jobs[rank].schedule, *process.transport));
    works[rank]->ask_whether_it_concerns_others();
    const auto lock = process.agent->lock();
    EXPECT_TRUE(works[rank]->concerns_others());
    if (rank == 1) continue;
    ASSERT_EQ(works[rank]->start(jobs[rank].binding), Progress::kPending);
    EXPECT_FALSE(works[rank]->concerns_others());
    process.agent->begin(*works[rank]);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // its agent has heard that it is to watch
  const std::uint64_t before = processes[0].agent->wakes();
  {
    const auto lock = processes[1].agent->lock();
    Progress progress = works[1]->start(jobs[1].binding);
    for (int turn = 0; turn < 1000 && progress == Progress::kPending; ++turn) {
      processes[1].agent->wire().drive();
      progress = works[1]->move();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    ASSERT_EQ(progress, Progress::kDone);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(processes[0].agent->wakes(), before);
  EXPECT_EQ(works[0]->progress(), Progress::kPending);
  processes[0].agent->drive();
  EXPECT_EQ(works[0]->progress(), Progress::kDone);
  EXPECT_EQ(c.check(), "");
}

// Short messages that are many together are taken in by the agent.
TEST_P(Agents, are_needed_where_taking_in_takes_long) {
  if (GetParam() != CarriedBy::kTcp) GTEST_SKIP() << "what is sent first may have to wait";
  constexpr int kProcesses = 4;
  const std::vector<int> by_rank{0, 1, 2, 3};
  std::vector<Process> processes = processes_with_agents(carriers(kProcesses, kJob), by_rank);
  for (const auto& [bytes, are_needed] : {std::pair(8 << 10, false), std::pair(16 << 10, true)}) {
    Case c = case_of(Collective::kAlltoall, "scattered", kProcesses, bytes, base_seed());
    const std::vector<Job> jobs = c.jobs(processes[0].transport->next_channel(0));
    for (std::size_t rank = 0; rank < processes.size(); ++rank) {
      Process& process = processes[rank];
      process.works.push_back(std::make_unique<HandedOver>(*jobs[rank].schedule, *process.transport));
      HandedOver& work = *process.works.back();
      work.ask_whether_it_concerns_others();
      const auto lock = process.agent->lock();
      const Progress progress = work.start(jobs[rank].binding);
      EXPECT_NE(progress, Progress::kFailed);
      if (rank == 0) EXPECT_EQ(work.concerns_others(), are_needed);  // for others all may have come
      if (progress == Progress::kPending) process.agent->begin(work);
    }
    for (const Process& process : processes)
      EXPECT_TRUE(eventually([&] {
        process.agent->drive();
        return process.works.back()->progress() != Progress::kPending;
      }));
    EXPECT_EQ(c.check(), "");
  }
}

// Memory that others may write to, while nothing of its own process is of interest to them.
struct Word final : public wire::Exposed {
  std::byte* place(const wire::MessageAddress&, Bytes) override { return nullptr; }
  void arrived(const wire::MessageAddress&, Bytes) override { has_come = true; }
  bool needs(int) const override { return false; }
  std::atomic<bool> has_come{false};
};

TEST_P(Agents, wake_for_what_others_say_about_exposed_memory) {
  if (GetParam() == CarriedBy::kFabric) GTEST_SKIP() << "has to be driven for whatever comes";
  const std::vector<int> by_rank{0, 1};
  std::vector<Process> processes = processes_with_agents(carriers(2, kJob), by_rank);
  Case c = case_of(Collective::kBcast, "k_nomial", 2, 48, base_seed());
  const std::vector<Job> jobs = c.jobs(processes[0].transport->next_channel(0));
  HandedOver receives(*jobs[1].schedule, *processes[1].transport);
  receives.ask_whether_it_concerns_others();
  Word word;
  const auto say_something = [&] {
    const auto lock = processes[0].agent->lock();
    processes[0].agent->wire().send_to_exposed(9, 1, {}, nullptr, Bytes(0), nullptr, TaskId{});
  };
  {
    const auto lock = processes[1].agent->lock();
    processes[1].agent->wire().expose(9, word);
  }
  say_something();  // which connects them
  EXPECT_TRUE(eventually([&] { return word.has_come.load(); }));
  {
    const auto lock = processes[1].agent->lock();
    ASSERT_EQ(receives.start(jobs[1].binding), Progress::kPending);
    ASSERT_FALSE(receives.concerns_others());
    processes[1].agent->expect_others(+1);
    processes[1].agent->begin(receives);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // it has heard that it is to watch
  const std::uint64_t before = processes[1].agent->wakes();
  say_something();
  EXPECT_TRUE(eventually([&] { return processes[1].agent->wakes() > before; }));
  HandedOver sends(*jobs[0].schedule, *processes[0].transport);
  sends.start_later(jobs[0].binding);
  processes[0].agent->hand_over(sends);
  EXPECT_TRUE(eventually([&] { return sends.progress() == Progress::kDone; }));
  EXPECT_TRUE(eventually([&] { return receives.progress() == Progress::kDone; }));
  const auto lock = processes[1].agent->lock();
  processes[1].agent->wire().conceal(9);
}

// Others would wait for the one who sleeps.
TEST(AgentsOnDemand, answer_a_call_while_they_sleep_on) {
  const std::vector<int> by_rank{0, 1};
  std::vector<Process> processes = processes_with_agents(carriers_on_demand(2, kJob), by_rank);
  Case c = case_of(Collective::kBcast, "k_nomial", 2, 48, base_seed());
  const std::vector<Job> jobs = c.jobs(processes[0].transport->next_channel(0));
  HandedOver receives(*jobs[1].schedule, *processes[1].transport);
  receives.ask_whether_it_concerns_others();
  const auto agent_1_wakes = [&] { return processes[1].agent->wakes(); };
  {
    const auto lock = processes[1].agent->lock();
    ASSERT_EQ(receives.start(jobs[1].binding), Progress::kPending);
    ASSERT_FALSE(receives.concerns_others());
    processes[1].agent->begin(receives);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it has heard that it is to watch
  const std::uint64_t before = agent_1_wakes();
  HandedOver sends(*jobs[0].schedule, *processes[0].transport);
  sends.start_later(jobs[0].binding);
  processes[0].agent->hand_over(sends);
  EXPECT_TRUE(eventually([&] { return agent_1_wakes() > before; }));
  EXPECT_TRUE(eventually([&] { return sends.progress() == Progress::kDone; }));
  EXPECT_TRUE(eventually([&] {
    processes[1].agent->drive();
    return receives.progress() == Progress::kDone;
  }));
}

// Every now and then an agent with something under way looks nevertheless.
TEST_P(Agents, end_what_their_rank_never_asks_for) {
  const std::vector<int> by_rank{0, 1};
  std::vector<Process> processes = processes_with_agents(carriers(2, kJob), by_rank);
  Case c = case_of(Collective::kAllreduce, "recursive_k_ing", 2, 48, base_seed());
  const std::vector<Job> jobs = c.jobs(processes[0].transport->next_channel(0));
  for (std::size_t rank = 0; rank < 2; ++rank) {
    Process& process = processes[rank];
    process.works.push_back(std::make_unique<HandedOver>(*jobs[rank].schedule, *process.transport));
    process.works[0]->ask_whether_it_concerns_others();
    process.works[0]->start_later(jobs[rank].binding);
    process.agent->hand_over(*process.works[0]);
  }
  expect_the_end_of_all(processes);
  EXPECT_EQ(c.check(), "");
}

// Its end comes through memory, where nobody rings.
struct EndsByMemory : device::Work {
  std::atomic<bool> has_come{false};
  Progress move() override { return has_come ? Progress::kDone : Progress::kPending; }
};

// Who waits for each operation at once, time after time, spares others the ringing; but may always go away.
TEST_P(Agents, look_by_themselves_at_what_a_loop_leaves_to_them) {
  const std::vector<int> by_rank{0, 1};
  const std::vector<Process> processes = processes_with_agents(carriers(2, kJob), by_rank);
  device::Agent& agent = *processes[0].agent;
  EndsByMemory work;
  const auto begin = [&] {
    const auto lock = agent.lock();
    const bool need_not_ring = agent.looks_by_itself();
    work.has_come = false;
    agent.begin(work);
    agent.expect_to_be_left();
    return need_not_ring;
  };
  EXPECT_FALSE(begin());
  bool need_not_ring = false;
  EXPECT_TRUE(eventually([&] {
    for (int turn = 0; turn < 100 && !need_not_ring; ++turn) {
      agent.drive();
      work.has_come = true;
      while (work.progress() == Progress::kPending) agent.drive();
      need_not_ring = begin();
    }
    return need_not_ring;
  }));
  work.has_come = true;
  EXPECT_TRUE(eventually([&] { return work.progress() == Progress::kDone; }));
  EXPECT_TRUE(eventually([&] { return !agent.is_in_a_loop(); }));  // nobody has waited for it
}

TEST_P(Agents, sleeps_where_nothing_comes) {
  const std::vector<int> by_rank{0, 1};
  const std::vector<Process> processes = processes_with_agents(carriers(2, kJob), by_rank);
  const auto wakes_in_50_ms = [&] {
    const std::uint64_t before = processes[0].agent->wakes();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return processes[0].agent->wakes() - before;
  };
  if (GetParam() == CarriedBy::kFabric) wakes_in_50_ms();  // the end of the meeting
  EXPECT_EQ(wakes_in_50_ms(), 0U);
}

}  // namespace
}  // namespace weft::tests
