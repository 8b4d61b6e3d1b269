// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/dot.hpp"

#include <fmt/format.h>

#include "base/scanner.hpp"
#include "schedule/describe.hpp"
#include "schedule/rounds.hpp"

namespace weft {
namespace {

std::string_view shape_of(TaskKind kind) {
  if (is_message(kind)) return "cds";
  if (kind == TaskKind::kReduce) return "ellipse";
  if (kind == TaskKind::kJoin) return "point";
  return is_node_level(kind) ? "hexagon" : "box";
}

std::string cluster(const Schedule& schedule, std::size_t rank) {
  std::string out = fmt::format("  subgraph cluster_{0} {{\n    label=\"rank {0}\"\n", rank);
  for (std::size_t t = 0; t < schedule.tasks.size(); ++t)
    out += fmt::format("    r{}t{} [label={} shape={}]\n", rank, t,
                       quote(fmt::format("{}: {}", t, describe(schedule, schedule.tasks[t]))),
                       shape_of(schedule.tasks[t].kind));
  const auto after = predecessors(schedule);
  for (std::size_t t = 0; t < after.size(); ++t)
    for (const TaskId earlier : after[t])
      out += fmt::format("    r{0}t{1} -> r{0}t{2}\n", rank, earlier.value, t);
  return out + "  }\n";
}

}  // namespace

std::string dot(std::span<const Schedule> schedules) {
  std::string out = "digraph weft {\n";
  if (!schedules.empty())
    out += fmt::format("  label={}\n  labelloc=t\n",
                       quote(describe(schedules.front().call) + "\n" + schedules.front().algorithm));
  out += "  node [fontname=\"Helvetica\" fontsize=10]\n  style=rounded\n  color=gray60\n";
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) out += cluster(schedules[rank], rank);
  for (const Message& message : rounds_of(schedules).messages)
    out += fmt::format("  r{}t{} -> r{}t{} [style=dashed color=royalblue label=\"{}\" fontsize=9]\n",
                       message.from.value, message.send.value, message.to.value, message.recv.value,
                       message.size.value);
  return out + "}\n";
}

}  // namespace weft
