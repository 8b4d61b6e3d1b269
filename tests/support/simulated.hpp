// SPDX-License-Identifier: BSD-3-Clause
// What tests of the simulator have in common: machines, operations and programs to simulate, and an observer
// that counts.
#pragma once

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <tuple>

#include "algorithm/build.hpp"
#include "algorithm/catalog.hpp"
#include "base/random.hpp"
#include "executor/simulator/simulation.hpp"

namespace weft {

template <class Unit>
void PrintTo(const Quantity<Unit>& amount, std::ostream* out) {
  *out << amount.value;
}

}  // namespace weft

namespace weft::tests {

using simulator::Machine;
using simulator::MovedBy;
using simulator::Outcome;
using simulator::Program;
using simulator::Scripts;
using simulator::Setting;
using simulator::Time;

inline Machine machine(std::string_view text) {
  auto parsed = Machine::parse(text);
  EXPECT_TRUE(parsed) << parsed.error();
  return parsed ? *parsed : Machine();
}

inline Time some_ns(Random& random, std::uint64_t most) {
  return Time(static_cast<std::int64_t>(random.below(most * 1000 + 1)));
}

// Whatever its parts are, o below and above g, bytes that cost parts of a ns; nearer levels are not always
// faster.
inline Machine random_machine(Random& random) {
  Machine machine;
  for (auto& link : machine.links)
    link = {.latency = some_ns(random, 3000),
            .overhead = some_ns(random, 1500),
            .gap = some_ns(random, 3000),
            .per_byte = some_ns(random, 7),
            .overhead_per_byte = some_ns(random, 2)};
  for (auto& memory : machine.memory)
    memory = {.line = some_ns(random, 200),
              .copy_per_byte = some_ns(random, 1),
              .reduce_per_byte = some_ns(random, 1)};
  machine.adapter = {.post = some_ns(random, 300),
                     .poll = some_ns(random, 100),
                     .task = some_ns(random, 200),
                     .loop_back = some_ns(random, 900),
                     .calc = some_ns(random, 300),
                     .calc_per_byte = some_ns(random, 1)};
  machine.wake = some_ns(random, 5000);
  machine.start = some_ns(random, 400);
  machine.test = some_ns(random, 100);
  machine.switching = some_ns(random, 2000);
  return machine;
}

// What a message costs, for formulas: o stands for o + b O, d for g + b G, what an adapter needs for it, and
// h = 2 o + L + b G for the way from processor to processor.
struct Letters {
  Time o, d, h, latency, bytes;

  Letters(const Machine& machine, Bytes size) {
    const simulator::Link& link = machine.link(Level::kNetwork);
    const std::int64_t paid = std::max<std::int64_t>(size.value - 1, 0);
    o = link.overhead + link.overhead_per_byte * paid;
    bytes = link.per_byte * paid;
    d = link.gap + bytes;
    latency = link.latency;
    h = 2 * o + latency + bytes;
  }
};

inline Scripts scripts_of(std::vector<Schedule> schedules, const Machine& machine) {
  const int ranks = static_cast<int>(schedules.size());
  return {ranks, [schedules = std::move(schedules), eager = machine.eager()](int rank) {
            return simulator::part_of(schedules[static_cast<std::size_t>(rank)], eager);
          }};
}

inline std::vector<Schedule> schedules_of(Collective collective, std::string_view name, const Call& call,
                                          const Parameters& parameters) {
  const Algorithm& algorithm = **find_algorithm(collective, name);
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < call.rank_count; ++rank)
    schedules.push_back(build_example(algorithm, call, parameters, Rank(rank), false));
  return schedules;
}

using Kind = simulator::Step::Kind;
inline simulator::Step compute(Time time) { return {.kind = Kind::kCompute, .operation = 0, .time = time}; }
inline simulator::Step start(int operation = 0) {
  return {.kind = Kind::kStart, .operation = operation, .time = {}};
}
inline simulator::Step wait_for(int operation = 0) {
  return {.kind = Kind::kWait, .operation = operation, .time = {}};
}
inline Program one_operation() { return {.steps = {start(), wait_for()}, .repetitions = 1}; }

// What was done, as an Observer is told.
class Journal : public simulator::Observer {
 public:
  struct Entry {
    int rank, operation;
    std::uint32_t task;
    Time begin, end;
  };
  void did(int rank, int operation, std::uint32_t task, Time begin, Time end) override {
    EXPECT_LE(begin, end);
    entries.push_back({rank, operation, task, begin, end});
  }
  void computed(int rank, Time begin, Time end) override { computations.push_back({rank, 0, 0, begin, end}); }
  void waited(int rank, int operation, Time begin, Time end) override {
    waits.push_back({rank, operation, 0, begin, end});
  }

  std::vector<Entry> entries, computations, waits;
};

using TaskCounts = std::map<std::tuple<int, int, std::uint32_t>, int>;  // by rank, operation, task
inline TaskCounts counts_of(const Journal& journal) {
  TaskCounts counts;
  for (const auto& entry : journal.entries) ++counts[{entry.rank, entry.operation, entry.task}];
  return counts;
}

// "" or which task of operation 0 was not done as often as it has to be, errands left out.
inline std::string counts_trouble(const std::vector<Schedule>& schedules, const TaskCounts& counts,
                                  int times = 1) {
  for (std::size_t r = 0; r < schedules.size(); ++r)
    for (std::uint32_t t = 0; t < schedules[r].tasks.size(); ++t) {
      const Task& task = schedules[r].tasks[t];
      if (task.is_errand()) continue;
      const auto at = counts.find({static_cast<int>(r), 0, t});
      const int done = at == counts.end() ? 0 : at->second;
      if (done != (task.kind == TaskKind::kJoin ? 0 : times))
        return "rank " + std::to_string(r) + " did its task " + std::to_string(t) + " " +
               std::to_string(done) + " times";
    }
  return "";
}

}  // namespace weft::tests
