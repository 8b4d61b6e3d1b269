// SPDX-License-Identifier: BSD-3-Clause
// weft._core: the compiled core for Python. It only passes on: what an algorithm does, whether it is right
// and how it is drawn is decided in C++. Errors become ValueError with the core's message. Long calls release
// the GIL.
#pragma once

#include <memory>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <vector>

#include "algorithm/catalog.hpp"
#include "base/config.hpp"
#include "base/result.hpp"
#include "explain/site.hpp"
#include "planner/decision.hpp"
#include "schedule/task_list.hpp"
#include "transform/lower.hpp"

namespace weft {

namespace nb = nanobind;
using namespace nb::literals;

using WithoutGil = nb::call_guard<nb::gil_scoped_release>;

[[noreturn]] inline void refuse(const std::string& message) { throw nb::value_error(message.c_str()); }

template <class T>
T value_or_refuse(Result<T> result) {
  if (!result) refuse(result.error());
  return std::move(*result);
}

// What rank 0 of a job would use that started here and now.
inline Settings settings_here() { return value_or_refuse(settings_of_rank_0()); }

// The schedules of one call: all ranks in order, or a single one.
struct Schedules {
  std::vector<Schedule> schedules;

  bool has_all_ranks() const {
    return static_cast<int>(schedules.size()) == schedules.front().call.rank_count;
  }
};
inline void need_all_ranks(const Schedules& all) {
  if (!all.has_all_ranks()) refuse("this needs the schedules of all ranks");
}

// The task lists of all ranks of one call, and what was raised from them.
struct TaskLists {
  std::vector<TaskList> lists;
  std::vector<Schedule> raised;
};
inline constexpr const char* kUsualForm = "waits-in-send-queues";
QueueForm form_named(const std::string& name);
TaskLists task_lists_of(const Schedules& all, const std::string& form,
                        std::optional<std::uint32_t> most_tasks, std::int64_t longest_mailbox);

// What an algorithm may have beside its name.
struct Options {
  int radix;
  int bcast_radix;  // 0: the radix
  int window;
  std::optional<std::int64_t> fragment;  // none: as the planner decides
  std::string leader;                    // last, fixed; empty: as the planner decides
};

inline constexpr Parameters kUsual;
const Algorithm& algorithm_for(const Call& call, const std::string& name);
// A hierarchy is for algorithms that follow one, and these need one.
Parameters make_parameters(const Algorithm& algorithm, const Call& call, const Options& options,
                           const Hierarchy* hierarchy);

// What the library would do with the call on this machine; without one, where the settings say that the ranks
// are.
struct Decided {
  Site site;
  Decision decision;  // refers to the site
  int round_trip = 0;
};
std::unique_ptr<Decided> decide_here(const Call& call, const Topology* machine,
                                     const std::optional<std::string>& depth, bool by_rounds);

// Collectives, algorithms, settings.
void bind_catalog(nb::module_& m);
// Topologies, hierarchies, this machine.
void bind_topology(nb::module_& m);
// What libfabric offers here.
void bind_fabric(nb::module_& m);
// What is told about schedules.
void bind_reports(nb::module_& m);
// Task lists, and what an adapter needs for them.
void bind_task_lists(nb::module_& m);
// Who moves operations: ranks or agents.
void bind_device(nb::module_& m);
// How long operations take on a machine.
void bind_simulator(nb::module_& m);

}  // namespace weft
