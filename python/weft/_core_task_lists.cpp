// SPDX-License-Identifier: BSD-3-Clause
// Task lists in weft._core: lowered, drawn, counted, and proved as raised from what they are.
#include <algorithm>
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "_core.hpp"
#include "executor/verifier/verify.hpp"
#include "schedule/epoch.hpp"
#include "schedule/task_list_svg.hpp"
#include "schedule/task_list_text.hpp"
#include "transform/critical_path.hpp"
#include "transform/raise.hpp"

namespace weft {
namespace {

const TaskList& list_at(const TaskLists& all, int rank) {
  if (rank < 0 || rank >= static_cast<int>(all.lists.size()))
    refuse(fmt::format("rank {}: the ranks are from 0 to {}", rank, all.lists.size() - 1));
  return all.lists[static_cast<std::size_t>(rank)];
}

std::string svg_of_lists(const TaskLists& all, const std::vector<int>& ranks) {
  std::vector<TaskList> drawn;
  drawn.reserve(ranks.size());
  for (const int rank : ranks) drawn.push_back(list_at(all, rank));
  return svg(drawn);
}

// The most that any rank needs of each.
ListCounts most_of(const TaskLists& all) {
  ListCounts most;
  const auto raise_to = [](auto& at, auto value) { at = std::max(at, value); };
  for (const TaskList& list : all.lists) {
    const ListCounts counts = counts_of(list);
    raise_to(most.tasks, counts.tasks);
    raise_to(most.lists, counts.lists);
    raise_to(most.connections, counts.connections);
    raise_to(most.calcs, counts.calcs);
    raise_to(most.writes, counts.writes);
    raise_to(most.loop_backs, counts.loop_backs);
    raise_to(most.waits, counts.waits);
    raise_to(most.longest_list, counts.longest_list);
    raise_to(most.deepest_queue, counts.deepest_queue);
    raise_to(most.mailboxes, counts.mailboxes);
    raise_to(most.mailbox_bytes, counts.mailbox_bytes);
  }
  return most;
}

}  // namespace

QueueForm form_named(const std::string& name) {
  for (const QueueForm form : {QueueForm::kWaitsInSendQueues, QueueForm::kManagementQueue})
    if (name == name_of(form)) return form;
  refuse(fmt::format("there is no form \"{}\": choose {} or {}", name, name_of(QueueForm::kWaitsInSendQueues),
                     name_of(QueueForm::kManagementQueue)));
}

TaskLists task_lists_of(const Schedules& all, const std::string& form,
                        std::optional<std::uint32_t> most_tasks, std::int64_t longest_mailbox) {
  need_all_ranks(all);
  Lowering lowering{.form = form_named(form), .longest_mailbox = Bytes(longest_mailbox)};
  if (most_tasks) lowering.most_tasks = *most_tasks;
  TaskLists made;
  for (const Schedule& schedule : all.schedules) {
    made.lists.push_back(value_or_refuse(lower(schedule, lowering)));
    made.raised.push_back(value_or_refuse(raise(made.lists.back())));
  }
  return made;
}

void bind_task_lists(nb::module_& m) {
  m.def(
      "epoch",
      [](const Call& call, bool to_neighbors) {
        const PutsTo whom = to_neighbors ? PutsTo::kNeighbors : PutsTo::kNext;
        return Schedules{value_or_refuse(example_epoch(whom, call.rank_count, call.bytes))};
      },
      "call"_a, nb::kw_only(), "to_neighbors"_a = false, WithoutGil());
  nb::class_<TaskLists>(m, "TaskLists")
      .def(
          "draw", [](const TaskLists& t, int rank) { return draw(list_at(t, rank)); }, "rank"_a, WithoutGil())
      .def("svg", svg_of_lists, "ranks"_a, WithoutGil())
      .def(
          "json", [](const TaskLists& t, int indent) { return json(t.lists, indent); }, "indent"_a = 2,
          WithoutGil())
      .def(
          "most", [](const TaskLists& t) { return describe(most_of(t)); }, WithoutGil())
      .def(
          "steps", [](const TaskLists& t) { return critical_path(t.raised); }, WithoutGil())
      .def(
          "verify", [](const TaskLists& t) { return verify(t.raised); }, WithoutGil());
}

}  // namespace weft
