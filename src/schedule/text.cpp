// SPDX-License-Identifier: BSD-3-Clause
//   schedule allreduce rank 3 of 9 bytes 8 element 8
//     algorithm "recursive_k_ing radix=3"
//     buffer input 8
//     buffer output 8
//     buffer scratch.0 16
//     0: recv 4 -> scratch.0[0+8]
//     1: send input[0+8] -> 4
//     2: reduce scratch.0[0+8] -> output[0+8]  after 0 1
//   end
// A v-, w- or neighbour form also has its rank's parcels, before the buffers: outgoing 4 [0+8], incoming 3
// [8+16]. A range is buffer[offset+size]. An exposed buffer says whose it is, and the owner's schedule what
// it is: "buffer exposed.1 8 group 0 owner 3 is input[0+8]". window.3 is the output of rank 3. What has its
// usual value is not written: root, element, the ordinal of a message that is simply the next one with its
// peer.
#include "schedule/text.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/scanner.hpp"
#include "schedule/describe.hpp"
#include "schedule/usual_ordinals.hpp"

namespace weft {
namespace {

std::string header(const Schedule& schedule) {
  const Call& call = schedule.call;
  std::string line = fmt::format("schedule {} rank {} of {}", name_of(call.collective), schedule.self.value,
                                 call.rank_count);
  if (is_rooted(call.collective) || call.root.value != 0) line += fmt::format(" root {}", call.root.value);
  line += fmt::format(" bytes {}", call.bytes.value);
  if (is_reduction(call.collective) || call.element_bytes != Bytes(1))
    line += fmt::format(" element {}", call.element_bytes.value);
  if (!call.commutative) line += " non_commutative";
  if (call.user_defined) line += " user_defined";
  if (schedule.in_place) line += " in_place";
  return line + "\n";
}

std::string buffers_and_groups(const Schedule& schedule) {
  std::string text;
  for (std::size_t b = 0; b < schedule.buffers.size(); ++b) {
    const Buffer& buffer = schedule.buffers[b];
    text += fmt::format("  buffer {} {}", buffer_name(schedule, BufferId(static_cast<std::uint8_t>(b))),
                        buffer.size.value);
    if (has_group(buffer.role) || buffer.group.value != 0)
      text += fmt::format(" group {}", buffer.group.value);
    if (buffer.role == BufferRole::kExposed) {
      text += fmt::format(" owner {}", buffer.owner.value);
      if (buffer.owner == schedule.self)
        text += " is " + describe(schedule, Range{buffer.of, buffer.offset, buffer.size});
    }
    text += '\n';
  }
  for (std::size_t g = 0; g < schedule.groups.size(); ++g) {
    text += fmt::format("  group {}:", g);
    for (const Rank member : schedule.groups[g].members) text += fmt::format(" {}", member.value);
    text += '\n';
  }
  return text;
}

std::string parcels_text(const Schedule& schedule) {
  std::string text;
  const auto list = [&](const char* direction, const std::vector<Parcel>& parcels) {
    for (const Parcel& parcel : parcels)
      text += fmt::format("  {} {} [{}+{}]\n", direction, parcel.peer.value, parcel.offset.value,
                          parcel.size.value);
  };
  list("outgoing", schedule.parcels.outgoing);
  list("incoming", schedule.parcels.incoming);
  return text;
}

std::string tasks(const Schedule& schedule) {
  UsualOrdinals usual;
  std::vector<std::string> what;
  std::size_t width = 0;
  for (const Task& task : schedule.tasks) {
    what.push_back(describe(schedule, task));
    if (is_message(task.kind) && usual.next(task) != task.ordinal)
      what.back() += fmt::format(" ordinal {}", task.ordinal);
    width = std::max(width, what.back().size());
  }
  const std::vector<std::vector<TaskId>> after = predecessors(schedule);
  const std::size_t digits = std::to_string(schedule.tasks.size()).size();
  std::string text;
  for (std::size_t task = 0; task < what.size(); ++task) {
    if (after[task].empty()) {
      text += fmt::format("  {:>{}}: {}\n", task, digits, what[task]);
      continue;
    }
    text += fmt::format("  {:>{}}: {:<{}}  after", task, digits, what[task], width);
    for (const TaskId earlier : after[task]) text += fmt::format(" {}", earlier.value);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string print_schedule(const Schedule& schedule) {
  std::string text = header(schedule);
  if (!schedule.algorithm.empty()) text += fmt::format("  algorithm {}\n", quote(schedule.algorithm));
  return text + parcels_text(schedule) + buffers_and_groups(schedule) + tasks(schedule) + "end\n";
}

}  // namespace weft
