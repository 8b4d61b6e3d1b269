// SPDX-License-Identifier: BSD-3-Clause
#include "transform/critical_path.hpp"

#include <algorithm>
#include <vector>

#include "schedule/rounds.hpp"

namespace weft {
namespace {

struct Place {
  std::size_t rank;
  TaskId task;
};

class Clock {
 public:
  explicit Clock(std::span<const Schedule> schedules) : schedules_(schedules) {
    for (const Schedule& schedule : schedules) {
      waits_for_.push_back(schedule.predecessor_count);
      begin_.emplace_back(schedule.tasks.size(), 0);
      other_.emplace_back(schedule.tasks.size());
    }
    for (const Message& message : rounds_of(schedules).messages) {
      const auto from = static_cast<std::size_t>(message.from.value);
      const auto to = static_cast<std::size_t>(message.to.value);
      other_[from][message.send.value] = {to, message.recv};
      other_[to][message.recv.value] = {from, message.send};
    }
  }

  int run() {
    for (std::size_t rank = 0; rank < schedules_.size(); ++rank)
      for (std::uint32_t task = 0; task < schedules_[rank].tasks.size(); ++task)
        if (waits_for_[rank][task] == 0) ready_.push_back({rank, TaskId(task)});
    while (!ready_.empty()) {
      const Place place = ready_.back();
      ready_.pop_back();
      begin(place);
    }
    return last_;
  }

 private:
  static constexpr std::uint32_t kHasBegun = UINT32_MAX;

  const Task& task_at(Place place) const { return schedules_[place.rank].tasks[place.task.value]; }
  int& begin_of(Place place) { return begin_[place.rank][place.task.value]; }

  void begin(Place place) {
    const Task& task = task_at(place);
    const int now = begin_of(place);
    waits_for_[place.rank][place.task.value] = kHasBegun;
    if (!is_message(task.kind)) return end(place, now + (takes_a_step(place) ? 1 : 0));
    const Place other = other_[place.rank][place.task.value];
    if (waits_for_[other.rank][other.task.value] != kHasBegun) return;
    const int arrival = std::max(now, begin_of(other)) + 1;
    end(place, arrival);
    end(other, arrival);
  }
  bool takes_a_step(Place place) const {
    const Schedule& schedule = schedules_[place.rank];
    const auto next = schedule.successors_of(place.task);
    const bool goes_to_peer = std::any_of(next.begin(), next.end(), [&](TaskId task) {
      return schedule.tasks[task.value].kind == TaskKind::kSend ||
             writes_window(schedule, schedule.tasks[task.value]);
    });
    return task_at(place).kind != TaskKind::kJoin && !goes_to_peer;
  }
  void end(Place place, int time) {
    last_ = std::max(last_, time);
    for (const TaskId next : schedules_[place.rank].successors_of(place.task)) {
      int& begin = begin_[place.rank][next.value];
      begin = std::max(begin, time);
      if (--waits_for_[place.rank][next.value] == 0) ready_.push_back({place.rank, next});
    }
  }

  std::span<const Schedule> schedules_;
  std::vector<std::vector<std::uint32_t>> waits_for_;
  std::vector<std::vector<int>> begin_;
  std::vector<std::vector<Place>> other_;  // of a message: its other end
  std::vector<Place> ready_;
  int last_ = 0;
};

}  // namespace

int critical_path(std::span<const Schedule> raised) { return Clock(raised).run(); }

}  // namespace weft
