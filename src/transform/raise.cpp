// SPDX-License-Identifier: BSD-3-Clause
#include "transform/raise.hpp"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <optional>

#include "schedule/describe.hpp"

namespace weft {
namespace {

// Executes the lists in the order in which that would be possible if all messages came at once, and writes
// down what had to come before each task.
class Raiser {
 public:
  explicit Raiser(const TaskList& list)
      : list_(list), queues_(list.queues.size()), completed_(2 * list.queues.size()) {
    schedule_ = identity_of(list);
  }

  Result<Schedule> take() {
    if (const std::string reason = malformed(); !reason.empty()) return Error{reason};
    for (std::size_t part = 0; part < list_.ends.size(); ++part) {
      if (part > 0) begin_next_list();
      post(list_.begin_of(part), list_.ends[part]);
      while (run_all()) {}
      if (const auto stuck = first_in_the_way())
        return Error{where(*stuck) + "can never begin: " +
                     (list_.tasks[*stuck].kind == ListTaskKind::kWait ? "nothing completes that often"
                                                                      : "nothing enables it in its list")};
    }
    if (in_flight_) schedule_.buffers[in_flight_->value].size = in_flight_bytes_;
    set_edges(schedule_, edges_);
    return std::move(schedule_);
  }

 private:
  // What has to come before the next task of a queue: one wait per queue that held it up.
  class Gates {
   public:
    void close(std::uint32_t queue, TaskId wait) {
      for (auto& [by, gate] : gates_)
        if (by == queue) {
          gate = wait;
          return;
        }
      gates_.emplace_back(queue, wait);
    }
    void add(const Gates& others) {
      for (const auto& [by, gate] : others.gates_) close(by, gate);
    }
    void clear() { gates_.clear(); }
    const std::vector<std::pair<std::uint32_t, TaskId>>& all() const { return gates_; }

   private:
    std::vector<std::pair<std::uint32_t, TaskId>> gates_;
  };
  // The first so many tasks of a half may begin, after these gates.
  struct Enabling {
    std::uint32_t count;
    Gates gates;
  };
  // The sends or the receives of a queue.
  struct Half {
    std::deque<std::uint32_t> waiting;  // posted, and not begun
    std::uint32_t begun = 0;
    std::deque<Enabling> enablings;  // that may still matter
    Gates gates;

    // Of the next one; null if nothing has enabled it.
    const Enabling* enabling() const {
      const auto found = std::find_if(enablings.begin(), enablings.end(),
                                      [&](const Enabling& enabling) { return enabling.count > begun; });
      return found == enablings.end() ? nullptr : &*found;
    }
    // The next one begins.
    void begin(bool disabled) {
      if (disabled) gates.add(enabling()->gates);
      waiting.pop_front();
      ++begun;
      while (!enablings.empty() && enablings.front().count <= begun) enablings.pop_front();
    }
  };
  struct Queue {
    Half sends, recvs;
    std::vector<std::uint32_t> waited;  // per completion queue: for how many
    std::vector<TaskId> writes;         // their arrivals
  };

  std::string where(std::uint32_t task) const {
    return fmt::format("rank {}, task {} of its list ({}): ", list_.self.value, task,
                       describe(list_, list_.tasks[task]));
  }

  bool is_within(Range range) const {
    return range.buffer.value < list_.buffers.size() && range.offset >= Bytes(0) && range.size >= Bytes(0) &&
           range.offset + range.size <= list_.buffers[range.buffer.value].size;
  }
  bool is_at_the_other_end(const ListTask& write) const {
    const ListQueue& queue = list_.queues[write.queue];
    const Buffer& window = list_.buffers[write.target.value];
    return queue.kind == QueueKind::kPeer && window.role == BufferRole::kWindow && window.owner == queue.peer;
  }
  std::string malformed() const {
    std::uint32_t last = 0;
    for (const std::uint32_t end : list_.ends) {
      if (end < last) return fmt::format("rank {}: a list ends before it begins", list_.self.value);
      last = end;
    }
    if (last != list_.tasks.size())
      return fmt::format("rank {}: {} of {} tasks are in no list", list_.self.value,
                         list_.tasks.size() - last, list_.tasks.size());
    for (std::uint32_t id = 0; id < list_.tasks.size(); ++id) {
      const ListTask& task = list_.tasks[id];
      const auto limit = list_.queues.size() * (task.kind == ListTaskKind::kWait ? 2 : 1);
      if (task.queue >= list_.queues.size() || task.other >= limit)
        return fmt::format("rank {}, task {} of its list: there is no such queue", list_.self.value, id);
      const QueueKind kind = list_.queues[task.queue].kind;
      if ((kind == QueueKind::kManagement && (is_sent(task.kind) || task.kind == ListTaskKind::kPostRecv)) ||
          (kind == QueueKind::kLoopBack && task.kind == ListTaskKind::kPostRecv))
        return where(id) + "no peer is at the other end of its queue";
      const bool has_target = task.kind == ListTaskKind::kPostRecv || task.kind == ListTaskKind::kCalc ||
                              task.kind == ListTaskKind::kWrite ||
                              (task.kind == ListTaskKind::kSend && kind == QueueKind::kLoopBack);
      if ((is_sent(task.kind) && !is_within(task.source_range())) ||
          (has_target && !is_within(task.target_range())))
        return where(id) + "reaches beyond its buffer";
      if (task.kind == ListTaskKind::kWrite && list_.buffers.size() > kMostBuffers)
        return where(id) + "there is no buffer left for what is in flight";
      if (task.kind == ListTaskKind::kWrite && !is_at_the_other_end(task))
        return where(id) + "writes to what is no window of the rank at the other end of its queue";
    }
    return "";
  }

  void post(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t id = begin; id < end; ++id) {
      Queue& queue = queues_[list_.tasks[id].queue];
      (list_.tasks[id].kind == ListTaskKind::kPostRecv ? queue.recvs : queue.sends).waiting.push_back(id);
    }
  }

  bool run_all() {
    bool any = false;
    for (Queue& queue : queues_) {
      while (begin_recv(queue.recvs)) any = true;
      while (begin_next(queue)) any = true;
    }
    return any;
  }

  bool begin_recv(Half& recvs) {
    if (recvs.waiting.empty()) return false;
    const ListTask& task = list_.tasks[recvs.waiting.front()];
    if (task.disabled && recvs.enabling() == nullptr) return false;
    recvs.begin(task.disabled);
    completed_[arrivals_of(task.queue)].push_back(add(message_of(list_, task), recvs.gates));
    return true;
  }

  // Of what stands in the send queue.
  bool begin_next(Queue& queue) {
    if (queue.sends.waiting.empty()) return false;
    const ListTask& task = list_.tasks[queue.sends.waiting.front()];
    if (is_sent(task.kind)) {
      if (task.disabled && queue.sends.enabling() == nullptr) return false;
      queue.sends.begin(task.disabled);
      if (task.kind == ListTaskKind::kWrite) write(task, queue);
      else send(task, queue);
      return true;
    }
    if (task.kind == ListTaskKind::kWait && completed_[task.other].size() < task.count) return false;
    queue.sends.waiting.pop_front();
    if (task.kind == ListTaskKind::kWait) wait(task, queue);
    else enable(task, queue.sends.gates);
    return true;
  }

  // The source is free once it is in flight; only later messages of the queue say that it has arrived.
  void write(const ListTask& task, Queue& queue) {
    if (!in_flight_) {
      in_flight_ = BufferId(static_cast<std::uint8_t>(schedule_.buffers.size()));
      schedule_.buffers.push_back({.role = BufferRole::kScratch});
    }
    const TaskId fetched = add({.kind = TaskKind::kCopy,
                                .source = task.source,
                                .target = *in_flight_,
                                .source_offset = task.source_offset,
                                .target_offset = in_flight_bytes_,
                                .size = task.size},
                               queue.sends.gates);
    const TaskId arrived = add({.kind = TaskKind::kCopy,
                                .source = *in_flight_,
                                .target = task.target,
                                .source_offset = in_flight_bytes_,
                                .target_offset = task.target_offset,
                                .size = task.size},
                               {});
    in_flight_bytes_ += task.size;
    edges_.emplace_back(fetched, arrived);
    completed_[sends_of(task.queue)].push_back(fetched);
    queue.writes.push_back(arrived);
  }

  void send(const ListTask& task, Queue& queue) {
    const Gates& gates = queue.sends.gates;
    const bool is_local = list_.queues[task.queue].kind == QueueKind::kLoopBack;
    std::optional<TaskId> local;
    if (is_local || task.kind == ListTaskKind::kCalc)
      local = add({.kind = task.kind == ListTaskKind::kCalc ? TaskKind::kReduce : TaskKind::kCopy,
                   .source = task.source,
                   .target = task.target,
                   .source_offset = task.source_offset,
                   .target_offset = task.target_offset,
                   .size = task.size},
                  gates);
    if (is_local) return completed_[arrivals_of(task.queue)].push_back(*local);
    const TaskId sent = add(message_of(list_, task), gates);
    if (local) edges_.emplace_back(*local, sent);
    for (const TaskId arrived : queue.writes) edges_.emplace_back(arrived, sent);
    completed_[sends_of(task.queue)].push_back(sent);
  }

  void enable(const ListTask& task, const Gates& gates) {
    Queue& enabled = queues_[task.other];
    (task.kind == ListTaskKind::kEnableSend ? enabled.sends : enabled.recvs)
        .enablings.push_back({task.count, gates});
  }

  void wait(const ListTask& task, Queue& queue) {
    const TaskId join = add({}, queue.sends.gates);
    queue.waited.resize(completed_.size());
    for (std::uint32_t& waited = queue.waited[task.other]; waited < task.count; ++waited)
      edges_.emplace_back(completed_[task.other][waited], join);
    queue.sends.gates.clear();
    queue.sends.gates.close(task.queue, join);
  }

  // Every task of the next list follows all waits so far.
  void begin_next_list() {
    Gates all;
    for (std::uint32_t queue = 0; queue < queues_.size(); ++queue) {
      for (const auto& [by, gate] : queues_[queue].sends.gates.all())
        if (by == queue || by == kListEnd) all.close(queue, gate);
    }
    if (all.all().empty()) return;
    const TaskId join = add({}, all);
    for (Queue& queue : queues_)
      for (Gates* gates : {&queue.sends.gates, &queue.recvs.gates}) {
        gates->clear();
        gates->close(kListEnd, join);
      }
  }

  std::optional<std::uint32_t> first_in_the_way() const {
    for (const Queue& queue : queues_) {
      for (const Half* side : {&queue.sends, &queue.recvs})
        if (!side->waiting.empty()) return side->waiting.front();
    }
    return std::nullopt;
  }

  TaskId add(const Task& task, const Gates& gates) {
    const TaskId id(static_cast<std::uint32_t>(schedule_.tasks.size()));
    schedule_.tasks.push_back(task);
    for (const auto& [by, gate] : gates.all()) edges_.emplace_back(gate, id);
    return id;
  }

  static constexpr std::uint32_t kListEnd = UINT32_MAX;
  static constexpr std::size_t kMostBuffers = 255;

  const TaskList& list_;
  Schedule schedule_;
  std::vector<Edge> edges_;
  std::vector<Queue> queues_;
  std::vector<std::vector<TaskId>> completed_;  // per completion queue, in the order of posting
  std::optional<BufferId> in_flight_;           // of what is written
  Bytes in_flight_bytes_;
};

}  // namespace

Result<Schedule> raise(const TaskList& list) { return Raiser(list).take(); }

}  // namespace weft
