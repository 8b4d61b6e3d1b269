// SPDX-License-Identifier: BSD-3-Clause
#include "explain/movers.hpp"

#include <algorithm>

#include "device/copies.hpp"
#include "planner/room.hpp"
#include "planner/within_node.hpp"
#include "transform/lower.hpp"
#include "transport/wire/sequence.hpp"

namespace weft {
namespace {

bool needs_node(const Schedule& schedule) {
  return std::any_of(schedule.tasks.begin(), schedule.tasks.end(),
                     [](const Task& task) { return is_node_level(task.kind); });
}

Bytes longest_message_of(const Schedule& schedule) {
  Bytes longest;
  for (const Task& task : schedule.tasks)
    if (is_message(task.kind)) longest = std::max(longest, task.size);
  return longest;
}

// What every rank leaves is left at once, or climbs from group to group by whoever comes last.
bool is_short(const Call& call, const Placement& placement) {
  return is_short_in_node(call, placement) || climbs_groups(call, placement);
}

Bytes longest_short_like(Call call, const Placement& placement) {
  constexpr Bytes kLongest{std::int64_t{1} << 30};
  Bytes longest;
  for (call.bytes = call.element_bytes; call.bytes <= kLongest && is_short(call, placement);
       call.bytes = call.bytes * 2)
    longest = call.bytes;
  return longest;
}

// Messages from device to device are the host's.
bool leaves_device(const Schedule& schedule, const std::vector<int>& device_of) {
  const auto device = [&](int rank) { return device_of[static_cast<std::size_t>(rank)]; };
  return !device_of.empty() &&
         std::any_of(schedule.tasks.begin(), schedule.tasks.end(), [&](const Task& task) {
           return is_message(task.kind) && device(task.peer) != device(schedule.self.value);
         });
}

void take_sender(Movers& movers, const Schedule& schedule, const std::vector<int>& device_of) {
  ++movers.senders;
  movers.longest_message = std::max(movers.longest_message, longest_message_of(schedule));
  if (!movers.takes_wire) return;
  if (leaves_device(schedule, device_of)) {
    ++movers.by_ranks;
    return;
  }
  if (needs_node(schedule)) return;
  const Result<TaskList> list = lower(schedule, {});
  if (!list) {
    if (movers.why_no_list.empty()) movers.why_no_list = list.error();
    return;
  }
  ++movers.by_list;
  movers.longest_list = std::max(movers.longest_list, static_cast<std::uint32_t>(list->tasks.size()));
}

void take_mate(Movers& movers, const Schedule& schedule) {
  ++movers.in_memory;
  const Bytes copied = copied_bytes(schedule);
  movers.most_copied = std::max(movers.most_copied, copied);
  movers.copied_by_agents += movers.has_agents && !movers.takes_times && copied >= movers.copies_from;
}

}  // namespace

Movers movers_of(std::span<const Schedule> schedules, const Site& site, const Settings& settings) {
  const Call& call = schedules.front().call;
  Movers movers{.has_agents = settings.shared.device == "agent",
                .takes_times = settings.local.take_times,
                .shares_memory = site.on_one_node && site.memory.exists,
                .most_unasked = wire::Sequence::kMostUnasked,
                .copies_from = device::agent_copies_from(settings, false),
                .copies_in_a_crowd = device::copies_in_a_crowd(settings)};
  movers.takes_wire = movers.has_agents && !movers.shares_memory;
  for (const Schedule& schedule : schedules) {
    if (message_count(schedule) > 0) take_sender(movers, schedule, site.device_of);
    else if (needs_node(schedule)) take_mate(movers, schedule);
  }
  if (!movers.shares_memory) return movers;
  const Placement placement = site.placement(settings.shared);
  movers.is_short = is_short(call, placement);
  if (call.bytes > Bytes(0)) movers.longest_short = longest_short_like(call, placement);
  return movers;
}

}  // namespace weft
