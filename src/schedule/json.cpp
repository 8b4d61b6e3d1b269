// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/json.hpp"

#include <nlohmann/json.hpp>

#include "schedule/describe.hpp"

namespace weft {
namespace {

using nlohmann::ordered_json;

ordered_json call_json(const Call& call) {
  return {{"collective", name_of(call.collective)},
          {"ranks", call.rank_count},
          {"root", call.root.value},
          {"bytes", call.bytes.value},
          {"element_bytes", call.element_bytes.value},
          {"commutative", call.commutative},
          {"user_defined", call.user_defined}};
}

ordered_json range_json(const Schedule& schedule, Range range) {
  const std::string name = describe(schedule, range);
  return {{"buffer", name.substr(0, name.find('['))},
          {"offset", range.offset.value},
          {"bytes", range.size.value}};
}

ordered_json task_json(const Schedule& schedule, std::size_t id, const std::vector<TaskId>& after) {
  const Task& task = schedule.tasks[id];
  ordered_json json = {{"task", id}, {"kind", name_of(task.kind)}};
  if (reads_source(task.kind) || is_node_level(task.kind))
    json["source"] = range_json(schedule, task.source_range());
  if (writes_target(task.kind)) json["target"] = range_json(schedule, task.target_range());
  if (is_message(task.kind)) {
    json["peer"] = task.peer;
    json["ordinal"] = task.ordinal;
  }
  if (is_node_level(task.kind)) json["group"] = task.ordinal;
  if (task.kind == TaskKind::kDeliver && task.peer != 0) json["beyond"] = moved_before(task).value;
  if (has_leader(task.kind)) {
    if (task.peer == kLast) json["leader"] = "last";
    else json["leader"] = task.peer;
  }
  if (task.is_errand()) json["errand"] = buffer_name(schedule, task.errand);
  json["after"] = ordered_json::array();
  for (const TaskId earlier : after) json["after"].push_back(earlier.value);
  return json;
}

ordered_json parcels_json(const std::vector<Parcel>& parcels) {
  ordered_json list = ordered_json::array();
  for (const Parcel& parcel : parcels)
    list.push_back(
        {{"peer", parcel.peer.value}, {"offset", parcel.offset.value}, {"bytes", parcel.size.value}});
  return list;
}

ordered_json schedule_json(const Schedule& schedule) {
  ordered_json json = {{"rank", schedule.self.value},     {"in_place", schedule.in_place},
                       {"algorithm", schedule.algorithm}, {"buffers", ordered_json::array()},
                       {"groups", ordered_json::array()}, {"tasks", ordered_json::array()}};
  if (!schedule.parcels.empty()) {
    json["outgoing"] = parcels_json(schedule.parcels.outgoing);
    json["incoming"] = parcels_json(schedule.parcels.incoming);
  }
  for (std::size_t b = 0; b < schedule.buffers.size(); ++b) {
    const Buffer& buffer = schedule.buffers[b];
    ordered_json entry = {{"name", buffer_name(schedule, BufferId(static_cast<std::uint8_t>(b)))},
                          {"role", name_of(buffer.role)},
                          {"bytes", buffer.size.value}};
    if (has_group(buffer.role)) entry["group"] = buffer.group.value;
    if (buffer.role == BufferRole::kExposed || buffer.role == BufferRole::kWindow)
      entry["owner"] = buffer.owner.value;
    if (buffer.role == BufferRole::kExposed && buffer.owner == schedule.self)
      entry["is"] = range_json(schedule, {buffer.of, buffer.offset, buffer.size});
    json["buffers"].push_back(std::move(entry));
  }
  for (const Group& group : schedule.groups) {
    ordered_json members = ordered_json::array();
    for (const Rank member : group.members) members.push_back(member.value);
    json["groups"].push_back(std::move(members));
  }
  const auto after = predecessors(schedule);
  for (std::size_t task = 0; task < schedule.tasks.size(); ++task)
    json["tasks"].push_back(task_json(schedule, task, after[task]));
  return json;
}

}  // namespace

std::string json(std::span<const Schedule> schedules, int indent) {
  ordered_json all = {{"call", nullptr}, {"schedules", ordered_json::array()}};
  if (!schedules.empty()) all["call"] = call_json(schedules.front().call);
  for (const Schedule& schedule : schedules) all["schedules"].push_back(schedule_json(schedule));
  return all.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace weft
