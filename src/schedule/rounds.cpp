// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/rounds.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "schedule/describe.hpp"
#include "schedule/errands.hpp"

namespace weft {
namespace {

struct Place {
  std::size_t rank;
  std::uint32_t task;
  auto operator<=>(const Place&) const = default;
};

class RoundLayout {
 public:
  explicit RoundLayout(std::span<const Schedule> schedules) : schedules_(schedules) {
    for (const Schedule& schedule : schedules) {
      rounds_.start.emplace_back(schedule.tasks.size(), kNever);
      finish_.emplace_back(schedule.tasks.size(), kNever);
      ready_.emplace_back(schedule.tasks.size(), kNever);
      predecessors_.push_back(predecessors(schedule));
      waiting_for_.emplace_back();
      for (const auto& list : predecessors_.back()) waiting_for_.back().push_back(list.size());
    }
    match_messages();
    match_meetings();
  }

  Rounds run() {
    for (std::size_t rank = 0; rank < schedules_.size(); ++rank)
      for (std::uint32_t task = 0; task < schedules_[rank].tasks.size(); ++task)
        if (waiting_for_[rank][task] == 0) become_ready({rank, task}, 0);
    while (!queue_.empty()) {
      const Place place = queue_.front();
      queue_.pop_front();
      release_successors(place);
    }
    for (Message& message : rounds_.messages)
      message.round = finish_[message.from.value][message.send.value] == kNever
                          ? kNever
                          : finish_[message.from.value][message.send.value] - 1;
    for (const auto& times : finish_)
      for (const int time : times) rounds_.count = std::max(rounds_.count, time);
    return std::move(rounds_);
  }

 private:
  const Task& task(Place place) const { return schedules_[place.rank].tasks[place.task]; }

  template <class Visit>
  void for_tasks(Visit visit) {
    for (std::size_t rank = 0; rank < schedules_.size(); ++rank)
      for (std::uint32_t task = 0; task < schedules_[rank].tasks.size(); ++task) visit(Place{rank, task});
  }

  void match_messages() {
    std::map<std::tuple<std::int64_t, std::int64_t, std::uint32_t>, Place> recvs;  // from, to, ordinal
    for_tasks([&](Place p) {
      if (task(p).kind == TaskKind::kRecv)
        recvs.emplace(std::tuple(task(p).peer, static_cast<std::int64_t>(p.rank), task(p).ordinal), p);
    });
    for_tasks([&](Place p) {
      if (task(p).kind != TaskKind::kSend) return;
      const auto recv = recvs.find({static_cast<std::int64_t>(p.rank), task(p).peer, task(p).ordinal});
      if (recv == recvs.end()) return;
      const Place to = recv->second;
      recvs.erase(recv);
      rounds_.messages.push_back({Rank(static_cast<int>(p.rank)), TaskId(p.task),
                                  Rank(static_cast<int>(to.rank)), TaskId(to.task), task(p).size, kNever});
      partner_[p] = to;
      partner_[to] = p;
    });
  }

  // The n-th node-level task of each member on groups of the same members.
  void match_meetings() {
    std::map<std::pair<std::vector<Rank>, std::size_t>, Meeting> meetings;
    for (std::size_t rank = 0; rank < schedules_.size(); ++rank) {
      std::map<std::vector<Rank>, std::size_t> seen;
      const Schedule& schedule = schedules_[rank];
      for (std::uint32_t t = 0; t < schedule.tasks.size(); ++t) {
        const std::uint32_t group = schedule.tasks[t].ordinal;
        if (!is_node_level(schedule.tasks[t].kind) || group >= schedule.groups.size()) continue;
        const std::vector<Rank>& members = schedule.groups[group].members;
        meetings[{members, seen[members]++}].tasks.emplace_back(static_cast<int>(rank), t);
      }
    }
    for (auto& [key, meeting] : meetings) {
      const auto& [first, step] = meeting.tasks.front();
      const bool some_come = is_later_round(task({static_cast<std::size_t>(first.value), step.value}));
      if (!some_come && meeting.tasks.size() != key.first.size()) continue;  // somebody never comes
      for (const auto& [rank, id] : meeting.tasks)
        meeting_[{static_cast<std::size_t>(rank.value), id.value}] = rounds_.meetings.size();
      rounds_.meetings.push_back(std::move(meeting));
    }
  }

  void become_ready(Place place, int time) {
    ready_[place.rank][place.task] = time;
    if (is_message(task(place).kind)) {
      const auto partner = partner_.find(place);
      if (partner == partner_.end()) return;
      const int other = ready_[partner->second.rank][partner->second.task];
      if (other == kNever) return;
      happen(place, std::max(time, other), 1);
      happen(partner->second, std::max(time, other), 1);
    } else if (is_node_level(task(place).kind)) {
      const auto meeting = meeting_.find(place);
      if (meeting != meeting_.end()) meet(rounds_.meetings[meeting->second]);
    } else {
      happen(place, time, 0);
    }
  }

  // Whoever has all that it waits for goes on: everybody (exchange, deliver, prefix), the leader (fan-in),
  // the others (fan-out).
  void meet(const Meeting& meeting) {
    int latest = 0;
    bool complete = true;
    for (const auto& [rank, id] : meeting.tasks) {
      const int time = ready_[rank.value][id.value];
      complete = complete && time != kNever;
      latest = std::max(latest, time);
    }
    for (const auto& [rank, id] : meeting.tasks) {
      const Place place{static_cast<std::size_t>(rank.value), id.value};
      const int own = ready_[place.rank][place.task];
      if (own == kNever || finish_[place.rank][place.task] != kNever) continue;
      const std::vector<Rank>& members = schedules_[place.rank].groups[task(place).ordinal].members;
      const TaskKind kind = task(place).kind;
      if (waits_for_some(kind)) {
        receive(place, own, meeting);
        continue;
      }
      const int leader = task(place).peer;
      if (leader < 0 || static_cast<std::size_t>(leader) >= members.size()) continue;
      const bool leads = members[leader].value == rank.value;
      const bool only_gives = (kind == TaskKind::kFanIn && !leads) || (kind == TaskKind::kFanOut && leads);
      if (only_gives) happen(place, own, 0);
      else if (kind == TaskKind::kFanOut) follow(place, own, meeting, members[leader]);
      else if (complete) happen(place, latest, 0);
    }
  }

  void follow(Place place, int own, const Meeting& meeting, Rank leader) {
    for (const auto& [rank, id] : meeting.tasks)
      if (rank == leader && ready_[rank.value][id.value] != kNever)
        happen(place, std::max(own, ready_[rank.value][id.value]), 0);
  }

  void receive(Place place, int own, const Meeting& meeting) {
    int latest = own;
    const Schedule& schedule = schedules_[place.rank];
    for (const Rank member : schedule.groups[task(place).ordinal].members) {
      if (member == schedule.self || !waits_for(schedule, task(place), member)) continue;
      const auto come = std::find_if(meeting.tasks.begin(), meeting.tasks.end(),
                                     [&](const auto& one) { return one.first == member; });
      const int time = come == meeting.tasks.end() ? kNever : ready_[member.value][come->second.value];
      if (time == kNever) return;
      latest = std::max(latest, time);
    }
    happen(place, latest, 0);
  }

  void happen(Place place, int time, int duration) {
    rounds_.start[place.rank][place.task] = time;
    finish_[place.rank][place.task] = time + duration;
    queue_.push_back(place);
  }

  void release_successors(Place place) {
    const Schedule& schedule = schedules_[place.rank];
    for (const TaskId next : schedule.successors_of(TaskId(place.task))) {
      if (next.value >= schedule.tasks.size() || --waiting_for_[place.rank][next.value] != 0) continue;
      become_ready({place.rank, next.value}, latest_before({place.rank, next.value}));
    }
  }

  int latest_before(Place place) const {
    int latest = 0;
    for (const TaskId earlier : predecessors_[place.rank][place.task])
      latest = std::max(latest, finish_[place.rank][earlier.value]);
    return latest;
  }

  std::span<const Schedule> schedules_;
  Rounds rounds_;
  std::vector<std::vector<int>> ready_, finish_;
  std::vector<std::vector<std::size_t>> waiting_for_;
  std::map<Place, Place> partner_;
  std::map<Place, std::size_t> meeting_;
  std::vector<std::vector<std::vector<TaskId>>> predecessors_;
  std::deque<Place> queue_;
};

}  // namespace

Rounds rounds_of(std::span<const Schedule> schedules) {
  return RoundLayout(with_some_last_arrivers(schedules)).run();
}

}  // namespace weft
