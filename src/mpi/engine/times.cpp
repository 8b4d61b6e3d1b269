// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/engine/times.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/clock.hpp"
#include "mpi/engine/engine.hpp"
#include "observe/milestones.hpp"
#include "observe/times.hpp"
#include "weft/weft.h"

namespace weft::mpi {
namespace {

// What the two pointers of observe/ point to while times are taken. Under the engine's lock, as they are.
std::optional<Stopwatch> the_stopwatch;
OperationTimes the_operation_times;

weft_part part_of(Activity part) {
  if (stopwatch == nullptr) return {};
  const PartTime& taken = (*stopwatch)[part];
  // The cost of measuring is subtracted. Where next to nothing happens it may exceed what was measured.
  return {taken.count, static_cast<double>(std::max(taken.time, Nanoseconds()).value)};
}

struct weft_times taken() {
  struct weft_times times {};
  if (operation_times != nullptr) {
    times.operations = operation_times->count;
    times.until_first_data_ns = static_cast<double>(operation_times->until_first_data.value);
    times.after_first_data_ns = static_cast<double>(operation_times->after_first_data.value);
  }
  times.planning = part_of(Activity::kPlanning);
  times.copies = part_of(Activity::kCopies);
  times.reductions = part_of(Activity::kReductions);
  times.posting = part_of(Activity::kPosting);
  times.testing = part_of(Activity::kTesting);
  times.rest = part_of(Activity::kRest);
  return times;
}

}  // namespace

void take_times(int what) {
  const std::lock_guard lock(engine().lock);
  stopwatch = nullptr;
  operation_times = nullptr;
  if (what & WEFT_TIMES_OPERATIONS) {
    the_operation_times = {.clock = elapsed_time, .since = elapsed_time()};
    operation_times = &the_operation_times;
  }
  if (what & WEFT_TIMES_PARTS) {
    const bool on_core = what & WEFT_TIMES_ON_CORE;
    the_stopwatch.emplace(Clocks{.elapsed = elapsed_time, .on_core = on_core ? thread_cpu_time : nullptr});
    stopwatch = &*the_stopwatch;
  }
}

}  // namespace weft::mpi

#define WEFT_PUBLIC extern "C" __attribute__((visibility("default")))

WEFT_PUBLIC int weft_take_times(int what) {
  constexpr int kAll = WEFT_TIMES_OPERATIONS | WEFT_TIMES_PARTS | WEFT_TIMES_ON_CORE;
  const bool on_core_alone = (what & WEFT_TIMES_ON_CORE) && !(what & WEFT_TIMES_PARTS);
  if ((what & ~kAll) != 0 || on_core_alone) return WEFT_ERROR_ARGUMENT;
  weft::mpi::take_times(what);
  return WEFT_SUCCESS;
}

WEFT_PUBLIC int weft_times(struct weft_times* times) {
  if (times == nullptr) return WEFT_ERROR_ARGUMENT;
  const std::lock_guard lock(weft::mpi::engine().lock);
  if (weft::stopwatch == nullptr && weft::operation_times == nullptr) return WEFT_ERROR_NO_TIMES;
  *times = weft::mpi::taken();
  return WEFT_SUCCESS;
}
