// SPDX-License-Identifier: BSD-3-Clause
// ReferenceSimulator: the model of machine.hpp in the plainest way, for schedules that send messages over one
// network, or on nodes whose ranks take turns on its cores: what happens is a list of functions in the order
// of time. It shares nothing with the simulator.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "support/case.hpp"
#include "support/simulated.hpp"

namespace weft::tests {

class ReferenceSimulator {
 public:
  // Within a node, of so many ranks, no adapter is in the way.
  ReferenceSimulator(const std::vector<Schedule>& schedules, const Machine& machine, Bytes signal_bytes,
                     int ranks_per_node = 1)
      : schedules_(schedules),
        per_node_(static_cast<std::size_t>(ranks_per_node)),
        has_cores_(machine.cores > 0),
        switching_(machine.switching),
        nodes_(schedules.size() / per_node_, {std::vector<std::size_t>(machine.cores, kNobody), {}}),
        link_(machine.link(Level::kNetwork)),
        memory_(machine.memory_at(Level::kNode)),
        signal_bytes_(signal_bytes) {}

  // When each rank is through, which begin at 0, or at these times.
  std::vector<Time> finish(const std::vector<Time>& begun = {}) {
    for (const Schedule& schedule : schedules_) {
      Player rank;
      rank.waits.assign(schedule.predecessor_count.begin(), schedule.predecessor_count.end());
      rank.state.resize(schedule.tasks.size());
      ranks_.push_back(std::move(rank));
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      timed(begun.empty() ? Time(0) : begun[r], [this, r] {
        look(r);
        on_core(r, [this, r] {
          std::vector<std::size_t> first;
          for (std::size_t t = 0; t < ranks_[r].waits.size(); ++t)
            if (ranks_[r].waits[t] == 0) first.push_back(t);
          run(r, std::move(first));
          ranks_[r].has_begun = true;
          std::vector<std::size_t> early;
          for (std::size_t t = 0; t < ranks_[r].state.size(); ++t)
            if (ranks_[r].state[t].has_come) early.push_back(t);
          run(r, std::move(early));
        });
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
    bool has_come = false, is_taken_in = false, is_over = false;
  };
  struct Player {
    Time processor, sends, receives, over;
    std::vector<std::uint32_t> waits;
    std::vector<State> state;
    bool has_begun = false, has_core = false, has_worked = false;
    std::vector<std::function<void()>> to_do;  // with a core, once it has one
  };
  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
  struct Node {
    std::vector<std::size_t> idle;  // cores, the longest first: who had them last
    std::vector<std::size_t> line;  // ranks that wait for one
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

  void on_core(std::size_t r, std::function<void()> what) {
    Node& node = nodes_[r / per_node_];
    if (ranks_[r].has_core || !has_cores_) {
      ranks_[r].has_worked = true;
      return what();
    }
    ranks_[r].to_do.push_back(std::move(what));
    if (ranks_[r].to_do.size() == 1) node.line.push_back(r);
    serve(node);
  }
  void serve(Node& node) {
    while (!node.idle.empty() && !node.line.empty()) {
      const std::size_t r = node.line.front();
      node.line.erase(node.line.begin());
      auto core = std::find(node.idle.begin(), node.idle.end(), r);
      if (core == node.idle.end()) core = node.idle.begin();
      Player& rank = ranks_[r];
      rank.processor = now() + (*core == r || *core == kNobody ? Time(0) : switching_);
      node.idle.erase(core);
      rank.has_core = rank.has_worked = true;
      for (const auto& what : std::exchange(rank.to_do, {})) what();
      at_its_end(r);
    }
  }
  void at_its_end(std::size_t r) {
    timed(std::max(ranks_[r].processor, now()), [this, r] {
      // What follows at the same time comes first.
      if (std::exchange(ranks_[r].has_worked, false) || ranks_[r].processor > now()) return at_its_end(r);
      ranks_[r].has_core = false;
      nodes_[r / per_node_].idle.push_back(r);
      serve(nodes_[r / per_node_]);
    });
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
    ranks_[r].state[t].is_over = true;
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
      transfer(r, to, task.size, [=, this] {
        if (ranks_[to].has_begun) on_core(to, [=, this] { come(to, t); });
        else ranks_[to].state[t].has_come = true;
      });
      return true;
    }
    ranks_[r].processor += link_.overhead;  // the request
    timed(ranks_[r].processor + link_.latency, [=, this] {
      ranks_[to].state[t].has_come = true;
      if (ranks_[to].has_begun && ranks_[to].waits[t] == 0) on_core(to, [=, this] { answer(to, t, r, own); });
    });
    return false;
  }

  void answer(std::size_t r, std::size_t t, std::size_t from, std::size_t send) {
    if (std::exchange(ranks_[r].state[t].is_taken_in, true)) return;
    look(r);
    ranks_[r].processor += link_.overhead * 2;
    ranks_[r].over = std::max(ranks_[r].over, ranks_[r].processor);
    const Bytes size = schedules_[r].tasks[t].size;
    const auto take = [=, this] {
      look(r);
      ranks_[r].processor += overhead(size);
      wake(r, t);
    };
    const auto leave = [=, this] {
      look(from);
      wake(from, send);
    };
    const auto give = [=, this] {
      look(from);
      ranks_[from].processor += link_.overhead;
      const Time left = transfer(from, r, size, [=, this] { on_core(r, take); });
      timed(left, [=, this] { on_core(from, leave); });
    };
    timed(ranks_[r].processor + link_.latency, [=, this] { on_core(from, give); });
  }

  // From the sender's processor on: `then` happens when the message has passed the receiver's adapter. When
  // its bytes have left.
  Time transfer(std::size_t r, std::size_t to, Bytes size, const std::function<void()>& then) {
    Player& rank = ranks_[r];
    const Time bytes = bytes_time(link_.per_byte, size);
    rank.processor += overhead(size);
    if (r / per_node_ == to / per_node_) {
      timed(rank.processor + link_.latency + bytes, then);
      return rank.processor + bytes;
    }
    const Time leaves = std::max(rank.processor, rank.sends);
    rank.sends = leaves + link_.gap + bytes;
    timed(leaves + link_.latency + bytes, [=, this] {
      const Time begins = std::max(now() - bytes, ranks_[to].receives);
      ranks_[to].receives = begins + link_.gap + bytes;
      if (begins + bytes == now()) then();
      else timed(begins + bytes, then);
    });
    return leaves + bytes;
  }

  // Whether the task is over.
  bool receive(std::size_t r, std::size_t t) {
    State& state = ranks_[r].state[t];
    const Task& task = schedules_[r].tasks[t];
    const bool is_ready = ranks_[r].waits[t] == 0 && !state.is_over;
    if (!state.has_come || !ranks_[r].has_begun) return false;
    if (task.size <= link_.eager) {
      if (!std::exchange(state.is_taken_in, true)) ranks_[r].processor += overhead(task.size);
      return is_ready;
    }
    const auto from = static_cast<std::size_t>(task.peer);
    if (is_ready) answer(r, t, from, other_end(r, task));
    return false;
  }
  void come(std::size_t r, std::size_t t) {
    look(r);
    ranks_[r].state[t].has_come = true;
    run(r, {t});
  }

  void timed(Time time, std::function<void()> what) {
    at(time, [this, time, what = std::move(what)] {
      now_ = time;
      what();
    });
  }

  const std::vector<Schedule>& schedules_;
  std::size_t per_node_;
  bool has_cores_;
  Time switching_;
  std::vector<Node> nodes_;
  simulator::Link link_;
  simulator::Memory memory_;
  Bytes signal_bytes_;
  std::vector<Player> ranks_;
  std::map<std::pair<Time, int>, std::function<void()>> events_;
  int next_ = 0;
  Time now_;
};

}  // namespace weft::tests
