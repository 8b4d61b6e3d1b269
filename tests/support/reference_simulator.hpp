// SPDX-License-Identifier: BSD-3-Clause
// ReferenceSimulator: the model of machine.hpp in the plainest way, for schedules that send messages over one
// network: what happens is a list of functions in the order of time. It shares nothing with the simulator.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "support/case.hpp"
#include "support/simulated.hpp"

namespace weft::tests {

class ReferenceSimulator {
 public:
  ReferenceSimulator(const std::vector<Schedule>& schedules, const Machine& machine, Bytes signal_bytes)
      : schedules_(schedules),
        link_(machine.link(Level::kNetwork)),
        memory_(machine.memory_at(Level::kNode)),
        signal_bytes_(signal_bytes) {}

  // When each rank is through, all of which begin at 0.
  std::vector<Time> finish() {
    for (const Schedule& schedule : schedules_) {
      Player rank;
      rank.waits.assign(schedule.predecessor_count.begin(), schedule.predecessor_count.end());
      rank.state.resize(schedule.tasks.size());
      ranks_.push_back(std::move(rank));
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      at(Time(0), [this, r] {
        std::vector<std::size_t> first;
        for (std::size_t t = 0; t < ranks_[r].waits.size(); ++t)
          if (ranks_[r].waits[t] == 0) first.push_back(t);
        run(r, std::move(first));
      });
    while (!events_.empty()) {
      const auto event = events_.extract(events_.begin());
      event.mapped()();
    }
    std::vector<Time> all;
    for (const Player& rank : ranks_) all.push_back(rank.over);
    return all;
  }

 private:
  struct State {
    bool has_come = false, is_taken_in = false;
  };
  struct Player {
    Time processor, sends, receives, over;
    std::vector<std::uint32_t> waits;
    std::vector<State> state;
  };

  void at(Time time, std::function<void()> what) {
    events_.emplace(std::pair(time, next_++), std::move(what));
  }
  Time bytes_time(Time per_byte, Bytes size) const {
    const std::int64_t sent = size > Bytes(0) ? size.value : signal_bytes_.value;
    return per_byte * (sent > 0 ? sent - 1 : 0);
  }
  Time overhead(Bytes size) const { return link_.overhead + bytes_time(link_.overhead_per_byte, size); }
  std::size_t other_end(std::size_t r, const Task& task) const {
    const std::vector<Task>& tasks = schedules_[static_cast<std::size_t>(task.peer)].tasks;
    const TaskKind kind = task.kind == TaskKind::kSend ? TaskKind::kRecv : TaskKind::kSend;
    for (std::size_t t = 0; t < tasks.size(); ++t)
      if (tasks[t].kind == kind && tasks[t].peer == static_cast<int>(r) && tasks[t].ordinal == task.ordinal)
        return t;
    ADD_FAILURE() << "no other end";
    return 0;
  }

  // The processor of the rank does these one after the other, with all that becomes possible.
  void run(std::size_t r, std::vector<std::size_t> ready) {
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const std::size_t t = ready[i];
      const Task& task = schedules_[r].tasks[t];
      if (task.kind == TaskKind::kSend   ? send(r, task)
          : task.kind == TaskKind::kRecv ? receive(r, t)
                                         : work(r, task))
        complete(r, t, ready);
    }
    ranks_[r].over = std::max(ranks_[r].over, ranks_[r].processor);
  }
  void complete(std::size_t r, std::size_t t, std::vector<std::size_t>& ready) {
    for (const TaskId next : schedules_[r].successors_of(TaskId(static_cast<std::uint32_t>(t))))
      if (--ranks_[r].waits[next.value] == 0) ready.push_back(next.value);
  }
  void wake(std::size_t r, std::size_t t) {
    std::vector<std::size_t> ready;
    complete(r, t, ready);
    run(r, std::move(ready));
  }
  void look(std::size_t r) { ranks_[r].processor = std::max(ranks_[r].processor, now()); }
  Time now() const { return now_; }

  bool work(std::size_t r, const Task& task) {
    if (task.kind == TaskKind::kCopy) ranks_[r].processor += memory_.copy_per_byte * task.size.value;
    if (task.kind == TaskKind::kReduce) ranks_[r].processor += memory_.reduce_per_byte * task.size.value;
    return true;
  }

  bool send(std::size_t r, const Task& task) {
    const auto to = static_cast<std::size_t>(task.peer);
    const std::size_t t = other_end(r, task);
    const std::size_t own = other_end(to, schedules_[to].tasks[t]);
    if (task.size <= link_.eager) {
      transfer(r, to, task.size, [=, this] { come(to, t); });
      return true;
    }
    ranks_[r].processor += link_.overhead;  // the request
    timed(ranks_[r].processor + link_.latency, [=, this] {
      ranks_[to].state[t].has_come = true;
      if (ranks_[to].waits[t] == 0) answer(to, t, r, own);
    });
    return false;
  }

  void answer(std::size_t r, std::size_t t, std::size_t from, std::size_t send) {
    look(r);
    ranks_[r].processor += link_.overhead * 2;
    ranks_[r].over = std::max(ranks_[r].over, ranks_[r].processor);
    const Bytes size = schedules_[r].tasks[t].size;
    timed(ranks_[r].processor + link_.latency, [=, this] {
      look(from);
      ranks_[from].processor += link_.overhead;
      const Time left = transfer(from, r, size, [=, this] {
        look(r);
        ranks_[r].processor += overhead(size);
        wake(r, t);
      });
      timed(left, [=, this] {
        look(from);
        wake(from, send);
      });
    });
  }

  // From the sender's processor on: `then` happens when the message has passed the receiver's adapter. When
  // its bytes have left.
  Time transfer(std::size_t r, std::size_t to, Bytes size, const std::function<void()>& then) {
    Player& rank = ranks_[r];
    const Time bytes = bytes_time(link_.per_byte, size);
    rank.processor += overhead(size);
    const Time leaves = std::max(rank.processor, rank.sends);
    rank.sends = leaves + link_.gap + bytes;
    timed(leaves + link_.latency + bytes, [=, this] {
      const Time begins = std::max(now() - bytes, ranks_[to].receives);
      ranks_[to].receives = begins + link_.gap + bytes;
      timed(begins + bytes, then);
    });
    return leaves + bytes;
  }

  // Whether the task is over.
  bool receive(std::size_t r, std::size_t t) {
    const State& state = ranks_[r].state[t];
    const Task& task = schedules_[r].tasks[t];
    if (task.size <= link_.eager) return state.is_taken_in;
    const auto from = static_cast<std::size_t>(task.peer);
    if (state.has_come) answer(r, t, from, other_end(r, task));
    return false;
  }
  void come(std::size_t r, std::size_t t) {
    look(r);
    ranks_[r].state[t] = {true, true};
    ranks_[r].processor += overhead(schedules_[r].tasks[t].size);
    ranks_[r].over = std::max(ranks_[r].over, ranks_[r].processor);
    if (ranks_[r].waits[t] == 0) wake(r, t);
  }

  void timed(Time time, std::function<void()> what) {
    at(time, [this, time, what = std::move(what)] {
      now_ = time;
      what();
    });
  }

  const std::vector<Schedule>& schedules_;
  simulator::Link link_;
  simulator::Memory memory_;
  Bytes signal_bytes_;
  std::vector<Player> ranks_;
  std::map<std::pair<Time, int>, std::function<void()>> events_;
  int next_ = 0;
  Time now_;
};

}  // namespace weft::tests
