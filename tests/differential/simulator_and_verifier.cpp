// SPDX-License-Identifier: BSD-3-Clause
// What the simulator does is what the verifier proves and executors do: each task only after those that it
// waits for in its schedule, and, done with real bytes in the order in which the simulator says that things
// happen, they leave the plain result on every rank. Adapters do the task lists of a schedule, raised again.
#include "support/case.hpp"
#include "support/simulated.hpp"
#include "support/task_lists.hpp"

namespace weft::tests {
namespace {

// Does the tasks of all ranks, each when it is told to.
class Replay {
 public:
  Replay(Case& c, const TaskCounts& done)
      : schedules_(c.schedules), done_(done), network_(static_cast<int>(schedules_.size()), {}) {
    const std::vector<Job> jobs = c.jobs(kChannel);
    for (std::size_t r = 0; r < schedules_.size(); ++r) {
      const Schedule& schedule = schedules_[r];
      ends_.emplace_back(network_, schedule.self);
      pending_.emplace_back(std::make_unique<InProcess::Pending>(schedule));
      combine_ = jobs[r].binding.combine;
      BufferAddresses& addresses = addresses_.emplace_back(schedule.buffers);
      addresses.bind(jobs[r].binding);
      const auto shared =
          schedule.groups.empty() ? std::vector<std::byte*>() : ends_[r].attach(kChannel, schedule);
      const std::vector<BufferId> buffers = shared_buffers(schedule);
      std::size_t next = 0;
      for (std::size_t b = 0; b < schedule.buffers.size(); ++b)
        if (is_shared(schedule.buffers[b].role)) addresses[b] = shared[next++];
      for (const BufferId id : own_exposed(schedule)) {
        const Buffer& buffer = schedule.buffers[id.value];
        ends_[r].expose(*pending_[r], kChannel, id, addresses[buffer.of.value] + buffer.offset.value);
      }
      ready_sets_.emplace_back(schedule).restart();
      is_ready_.emplace_back(schedule.tasks.size(), false);
      arrived_.emplace_back(schedule.tasks.size());
    }
    for (std::size_t r = 0; r < schedules_.size(); ++r) run_ready(r);
  }

  // "" or why it may not be done now.
  std::string run(const Journal::Entry& entry) {
    const auto r = static_cast<std::size_t>(entry.rank);
    const Task& task = schedules_[r].tasks[entry.task];
    const auto error = [&](const char* what) {
      return "rank " + std::to_string(r) + "'s task " + std::to_string(entry.task) + " " + what;
    };
    if (task.kind == TaskKind::kRecv) {
      const auto message = messages_.find({task.peer, entry.rank, task.ordinal});
      if (message == messages_.end()) return error("receives what was not sent");
      arrived_[r][entry.task] = std::make_unique<Data>(std::move(message->second));
      messages_.erase(message);
      if (is_ready_[r][entry.task]) take_in(r, entry.task);
    } else {
      if (!is_ready_[r][entry.task]) return error("is done before what it waits for");
      do_task(r, task);
      ready_sets_[r].complete(TaskId(entry.task));
    }
    run_ready(r);
    return "";
  }

  bool is_over() const {
    return messages_.empty() && std::all_of(ready_sets_.begin(), ready_sets_.end(),
                                            [](const ReadySet& set) { return set.finished(); });
  }

 private:
  static constexpr Channel kChannel = 1;

  // Joins need nobody, nor do errands that another rank does; what has come waits for its place.
  void run_ready(std::size_t r) {
    while (ready_sets_[r].has_ready()) {
      const TaskId id = ready_sets_[r].take();
      const Task& task = schedules_[r].tasks[id.value];
      is_ready_[r][id.value] = true;
      if (!done_.contains({static_cast<int>(r), 0, id.value})) ready_sets_[r].complete(id);
      else if (task.kind == TaskKind::kRecv && arrived_[r][id.value]) take_in(r, id.value);
    }
  }

  void take_in(std::size_t r, std::uint32_t id) {
    const Task& task = schedules_[r].tasks[id];
    const Data& data = *arrived_[r][id];
    std::copy(data.begin(), data.end(), addresses_[r][task.target.value] + task.target_offset.value);
    ready_sets_[r].complete(TaskId(id));
  }

  void do_task(std::size_t r, const Task& task) {
    const auto is_others = [&](BufferId buffer) {
      return schedules_[r].buffers[buffer.value].role == BufferRole::kExposed;
    };
    std::byte* const from = addresses_[r][task.source.value] + task.source_offset.value;
    std::byte* const into = addresses_[r][task.target.value] + task.target_offset.value;
    const auto size = static_cast<std::size_t>(task.size.value);
    if (task.kind == TaskKind::kSend) {
      messages_[{schedules_[r].self.value, task.peer, task.ordinal}] = Data(from, from + size);
    } else if (task.kind == TaskKind::kReduce) {
      if (size > 0) combine_(from, into, task.size);
    } else if (task.kind == TaskKind::kCopy && is_others(task.source)) {
      EXPECT_TRUE(ends_[r].pull(*pending_[r], kChannel, task.source_range(), into));
    } else if (task.kind == TaskKind::kCopy && is_others(task.target)) {
      EXPECT_TRUE(ends_[r].push(*pending_[r], kChannel, from, task.target_range()));
    } else if (task.kind == TaskKind::kCopy && size > 0) {
      std::memcpy(into, from, size);
    }
  }

  const std::vector<Schedule>& schedules_;
  const TaskCounts& done_;
  Network network_;
  Combine combine_;
  std::vector<InProcess> ends_;
  std::vector<std::unique_ptr<InProcess::Pending>> pending_;
  std::vector<BufferAddresses> addresses_;
  std::vector<ReadySet> ready_sets_;
  std::vector<std::vector<bool>> is_ready_;
  std::vector<std::vector<std::unique_ptr<Data>>> arrived_;
  std::map<std::tuple<int, int, std::uint32_t>, Data> messages_;  // on their way: from, to, ordinal
};

// Any cause ends before its effect begins. A step has its effect when it is over.
void sort_by_time(const std::vector<Schedule>& schedules, std::vector<Journal::Entry>& entries) {
  const auto time = [&](const Journal::Entry& entry) {
    const Task& task = schedules[static_cast<std::size_t>(entry.rank)].tasks[entry.task];
    return is_node_level(task.kind) ? entry.end : entry.begin;
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const auto& a, const auto& b) { return time(a) < time(b); });
}

void expect_same_result(Case& c, const Setting& setting, bool by_time) {
  Journal journal;
  std::vector<Scripts> operations;
  operations.push_back(scripts_of(c.schedules, setting.machine));
  const Outcome outcome = simulate(setting, one_operation(), operations, &journal);
  ASSERT_EQ(outcome.problem, "");
  if (by_time) sort_by_time(c.schedules, journal.entries);
  const TaskCounts done = counts_of(journal);
  Replay replay(c, done);
  for (const auto& entry : journal.entries) ASSERT_EQ(replay.run(entry), "");
  ASSERT_TRUE(replay.is_over());
  ASSERT_EQ(c.check(), "");
}

// Windows, fragments and limits of messages so short that they matter.
Parameters some_parameters(Random& random, const Hierarchy* hierarchy) {
  return {.radix = 2 + static_cast<int>(random.below(3)),
          .window = 1 + static_cast<int>(random.below(4)),
          .fragment = Bytes(static_cast<std::int64_t>(32 << random.below(4))),
          .pair_fragment = random.chance(50) ? kLineStride : Bytes(0),
          .single_copy_from = Bytes(random.chance(30) ? 100 : 0),
          .leaders = static_cast<int>(random.below(3)),
          .leader_fragment = Bytes(1 << random.below(7)),
          .hierarchy = hierarchy,
          .leader = random.chance(75) ? Leader::kLast : Leader::kFixed};
}

Setting some_setting(Random& random, const Topology* topology) {
  Setting setting{.machine = random_machine(random), .topology = topology, .seed = random.next()};
  setting.machine.adapter_per_node = random.chance(50);
  if (random.chance(40))
    for (auto& link : setting.machine.links) link.eager = Bytes(static_cast<std::int64_t>(random.below(300)));
  if (random.chance(20)) setting.machine = {};
  setting.moved_by = random.chance(70) ? MovedBy::kHost : MovedBy::kAgent;
  if (random.chance(30))
    setting.noise = simulator::Noise::regular(Time(900'000), Time(300'000), random.next());
  setting.skew = some_ns(random, 20000);
  return setting;
}

class SimulatedCases : public testing::TestWithParam<const Algorithm*> {};

TEST_P(SimulatedCases, done_in_the_order_of_the_simulator_give_the_plain_result) {
  const Algorithm& algorithm = *GetParam();
  const Topology whole = *Topology::parse("node:3 socket:2 core:3");
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 60; ++seed) {
    Random random(seed);
    const int ranks = 1 + static_cast<int>(random.below(18));
    const bool commutative = random.chance(70) || !is_reduction(algorithm.collective);
    const Bytes element = is_reduction(algorithm.collective) ? element_of(commutative) : Bytes(1);
    const Call call{
        .collective = algorithm.collective,
        .rank_count = ranks,
        .root = Rank(is_rooted(algorithm.collective) ? static_cast<int>(random.below(17)) % ranks : 0),
        .bytes = algorithm.collective == Collective::kBarrier
                     ? Bytes(0)
                     : element * static_cast<std::int64_t>(random.below(60)),
        .element_bytes = element,
        .commutative = commutative};
    if (!algorithm.eligible(call)) continue;
    const Topology topology =
        algorithm.within_node ? *Topology::parse("node:1 core:18") : *whole.with_ranks(ranks);
    const Hierarchy hierarchy = *Hierarchy::make(
        *topology.with_ranks(ranks), std::array{"node", "socket+node"}[algorithm.within_node ? 0 : seed % 2]);
    const Parameters parameters =
        some_parameters(random, algorithm.follows_hierarchy && !random.chance(20) ? &hierarchy : nullptr);
    const bool is_plain = algorithm.collective == Collective::kBarrier ||
                          algorithm.collective == Collective::kBcast || is_neighborly(algorithm.collective);
    Case c(algorithm, call, parameters, is_plain || seed % 2 == 0 ? InPlace::kNobody : InPlace::kEverybody,
           seed);
    SCOPED_TRACE(c.name());
    Setting setting = some_setting(random, &topology);
    if (random.chance(40) && !has_groups(c.schedules)) {
      setting.moved_by = MovedBy::kAdapter;
      const std::vector<Lowering> lowerings = some_lowerings(seed);
      c.schedules = raise_all(lower_all(c.schedules, lowerings[random.below(lowerings.size())]));
    }
    expect_same_result(c, setting, random.chance(50));
    ASSERT_FALSE(HasFailure());
  }
}

std::vector<const Algorithm*> all_algorithms() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : catalog()) all.push_back(&algorithm);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalog, SimulatedCases, testing::ValuesIn(all_algorithms()),
                         [](const testing::TestParamInfo<const Algorithm*>& info) {
                           return std::string(name_of(info.param->collective)) + "_" +
                                  std::string(info.param->name);
                         });

}  // namespace
}  // namespace weft::tests
