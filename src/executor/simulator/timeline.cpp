// SPDX-License-Identifier: BSD-3-Clause
#include "executor/simulator/timeline.hpp"

#include <algorithm>

#include "schedule/describe.hpp"

namespace weft::simulator {
namespace {

std::string_view kind_of(const Bar& bar, const ScriptTask& task) {
  if (bar.what == Bar::What::kRequest) return task.kind == TaskKind::kRecv ? "answer" : "request";
  if (task.kind == TaskKind::kRecv) return "receive";
  if (task.is_write) return "put";
  return task.work > Time(0) ? "calc" : name_of(task.kind);
}

// Whether one of a rank's computations, which are in the order of time, is under way at that time.
bool computes_at(const std::vector<Bar>& computations, Time at) {
  const auto behind = std::upper_bound(computations.begin(), computations.end(), at,
                                       [](Time time, const Bar& one) { return time < one.begin; });
  return behind != computations.begin() && at < std::prev(behind)->end;
}

}  // namespace

std::vector<std::vector<Bar>> Timeline::computations() const {
  std::vector<std::vector<Bar>> by_rank(static_cast<std::size_t>(ranks_));
  for (const Bar& bar : bars_)
    if (bar.what == Bar::What::kCompute) by_rank[static_cast<std::size_t>(bar.rank)].push_back(bar);
  return by_rank;
}

// An agent does what begins while its rank computes; the rest of its operations the rank does itself, in MPI.
// To a step of a group the rank may have come just before it computes.
std::vector<Deed> Timeline::deeds(const Setting& setting, std::vector<Scripts>& operations) const {
  const auto computing = computations();
  std::vector<Deed> list;
  list.reserve(bars_.size());
  for (const Bar& bar : bars_) {
    Deed& deed = list.emplace_back();
    if (bar.what == Bar::What::kCompute || bar.what == Bar::What::kWait) {
      deed.kind = bar.what == Bar::What::kCompute ? "compute" : "wait";
      continue;
    }
    const auto slot = static_cast<std::size_t>(bar.operation);
    Scripts& scripts = operations[slot];
    const Script& script = scripts[scripts.number_of(bar.rank)];
    const ScriptTask& task = script.tasks[bar.task];
    deed.kind = kind_of(bar, task);
    deed.size = task.size;
    if (is_message(task.kind)) {
      deed.peer = scripts.named(script, bar.rank, task.peer);
      if (task.size == Bytes(0)) deed.size = setting.signal_bytes;
    }
    const MovedBy mover = setting.movers.empty() ? setting.moved_by : setting.movers[slot];
    const Time begin = is_node_level(task.kind) ? bar.begin - Time(1) : bar.begin;
    const bool is_ranks_own =
        mover == MovedBy::kAgent && !computes_at(computing[static_cast<std::size_t>(bar.rank)], begin);
    deed.by = is_ranks_own ? MovedBy::kHost : mover;
    if (deed.by != MovedBy::kAdapter) deed.cpu = script.units_of(bar.task).cpu;
  }
  return list;
}

}  // namespace weft::simulator
