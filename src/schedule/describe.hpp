// SPDX-License-Identifier: BSD-3-Clause
// Names and one-line descriptions of what a schedule consists of: the words that text, SVG, DOT and JSON
// share. Damaged schedules have them as well: an unknown buffer is "buffer.9", a bad edge is left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedule/schedule.hpp"

namespace weft {

// "send", "recv", "copy", "reduce", "join", "exchange", "deliver", "prefix", "fan_in", "fan_out".
std::string_view name_of(TaskKind kind);

// "input", "output", "scratch", "exposed", "shared", "lines".
std::string_view name_of(BufferRole role);

// "input", "output", "scratch.0", "exposed.0", "shared.0", "lines.0", …
std::string buffer_name(const Schedule& schedule, BufferId buffer);

// "scratch.0[16+8]": buffer, offset, size.
std::string describe(const Schedule& schedule, Range range);

// "send output[0+8] -> 4", "recv 4 -> scratch.0[0+8]", … without the edges.
std::string describe(const Schedule& schedule, const Task& task);

// "allreduce of 8 bytes on 9 ranks", with root, operand size and order where they matter.
std::string describe(const Call& call);

// For every task, the tasks it waits for, in ascending order.
std::vector<std::vector<TaskId>> predecessors(const Schedule& schedule);

}  // namespace weft
