// SPDX-License-Identifier: BSD-3-Clause
// A thread beside the program's own, which knows nothing of it: it gets no signals.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <thread>

#include "base/result.hpp"
#include "base/types.hpp"
#include "topology/machine.hpp"

namespace weft::device {

// `cpus`: where it runs; none: where the process does. Fails where the machine has no thread left; `whose`
// says for whom that is.
Result<std::thread> start_quiet_thread(std::string_view whose, const std::optional<CpuSet>& cpus,
                                       std::function<void()> run);

// What a thread that has not ended has taken so far.
Nanoseconds cpu_time_of(std::thread& thread);

}  // namespace weft::device
